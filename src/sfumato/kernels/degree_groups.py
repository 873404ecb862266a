"""k-degree anonymity: the cheapest groups of nodes whose degrees become alike, and edges that fill the gaps."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def anonymous_degrees(degrees: np.ndarray, k: int, middle: bool) -> np.ndarray:
    """The least changed degrees, from degrees in falling order, of which each is shared by at least k.

    With C(i) the cost of the first i degrees, C(i) = min C(t) + Σ |d − d_j| over the last group t+1 … i of k to
    2k − 1 degrees: larger ones can be split at no cost. All take the largest degree d of their group, or the
    middle one. Needs at least k degrees.
    """
    n = len(degrees)
    before = np.zeros(n + 1, np.int64)
    for i in range(n):
        before[i + 1] = before[i] + degrees[i]
    never = np.int64(1) << 62
    cost = np.full(n + 1, never)
    opens = np.zeros(n + 1, np.int64)
    cost[0] = 0
    for i in range(k, n + 1):
        for t in range(max(0, i - 2 * k + 1), i - k + 1):
            if cost[t] < never:
                at = t + (i - t) // 2 if middle else t
                above = before[at] - before[t] - (at - t) * degrees[at]
                tried = cost[t] + above + (i - at) * degrees[at] - (before[i] - before[at])
                if tried < cost[i]:
                    cost[i], opens[i] = tried, t
    changed = np.empty(n, np.int64)
    i = n
    while i > 0:
        t = opens[i]
        changed[t:i] = degrees[t + (i - t) // 2 if middle else t]
        i = t
    return changed


@kernel
def filled(indptr: np.ndarray, indices: np.ndarray, wanted: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Edges between nodes that want more of them, none of which is there already.

    The node that wants most is joined to those that want most after it, again and again. What nobody could
    give stays in `wanted`, which is changed. `ties` is an order of the nodes, for those that want the same.
    """
    n, most = len(wanted), wanted.max()
    starts = np.zeros(most + 2, np.int64)  # queue[starts[r] : starts[r − 1]] want r edges
    for node in range(n):
        for r in range(wanted[node]):
            starts[r] += 1
    queue, place, at = np.empty(n, np.int64), np.empty(n, np.int64), starts.copy()
    for node in ties:
        place[node] = at[wanted[node]]
        queue[place[node]] = node
        at[wanted[node]] += 1
    edges = np.empty((wanted.sum() // 2, 2), np.int64)
    newest, older = np.full(n, -1), np.full((len(edges), 2), -1)  # the added edges of a node, as a chain
    seen, partners = np.full(n, -1), np.empty(n, np.int64)
    left, made = np.zeros(n, np.int64), 0
    while n and wanted[queue[0]] > 0:
        a = queue[0]
        for slot in range(indptr[a], indptr[a + 1]):
            seen[indices[slot]] = a
        link = newest[a]
        while link >= 0:
            edge, side = link // 2, link % 2
            seen[edges[edge, 1 - side]] = a
            link = older[edge, side]
        found, position = 0, 1
        while found < wanted[a] and position < n and wanted[queue[position]] > 0:
            if seen[queue[position]] != a:
                partners[found] = queue[position]
                found += 1
            position += 1
        for b in partners[:found]:
            edges[made, 0], edges[made, 1] = a, b
            older[made, 0], older[made, 1] = newest[a], newest[b]
            newest[a], newest[b] = 2 * made, 2 * made + 1
            made += 1
            _wants_less(b, wanted, queue, place, starts)
        left[a] = wanted[a] - found
        while wanted[a] > 0:
            _wants_less(a, wanted, queue, place, starts)
    wanted[:] = left
    return edges[:made]


@kernel
def _wants_less(
    node: int, wanted: np.ndarray, queue: np.ndarray, place: np.ndarray, starts: np.ndarray
) -> None:
    r = wanted[node]
    last = starts[r - 1] - 1
    other, here = queue[last], place[node]
    queue[here], queue[last] = other, node
    place[other], place[node] = here, last
    starts[r - 1] = last
    wanted[node] = r - 1
