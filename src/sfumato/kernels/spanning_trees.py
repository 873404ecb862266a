"""Trees over records: the minimum spanning tree, a forest of nearest neighbours, and cutting both up."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def spanning_tree(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Prim's minimum spanning tree: rows as they join, the row each hangs on (−1: none), squared lengths."""
    n, d = X.shape
    order = np.arange(n)
    hangs_on = np.full(n, -1)
    length = np.full(n, np.inf)
    length[0] = 0.0
    for at in range(n):
        best = at
        for a in range(at + 1, n):
            i, b = order[a], order[best]
            if length[i] < length[b] or (length[i] == length[b] and i < b):
                best = a
        order[at], order[best] = order[best], order[at]
        here = order[at]
        for a in range(at + 1, n):
            i = order[a]
            distance = 0.0
            for j in range(d):
                difference = X[i, j] - X[here, j]
                distance += difference * difference
            if distance < length[i]:
                length[i], hangs_on[i] = distance, here
    return order, hangs_on, length


@kernel
def cut_tree(order: np.ndarray, hangs_on: np.ndarray, longest_first: np.ndarray, k: int) -> np.ndarray:
    """Labels after cutting every edge, the longest first, that leaves k rows on both sides."""
    n = len(order)
    up = hangs_on.copy()
    size = np.ones(n, np.int64)
    for at in range(n - 1, 0, -1):
        size[up[order[at]]] += size[order[at]]
    for i in longest_first:
        if size[i] < k or up[i] < 0:
            continue
        top = up[i]
        while up[top] >= 0:
            top = up[top]
        if size[top] - size[i] < k:
            continue
        above = up[i]
        while above >= 0:
            size[above] -= size[i]
            above = up[above]
        up[i] = -1
    labels = np.empty(n, np.int64)
    groups = 0
    for i in order:
        if up[i] < 0:
            labels[i] = groups
            groups += 1
        else:
            labels[i] = labels[up[i]]
    return labels


@kernel
def neighbour_forest(neighbours: np.ndarray, k: int) -> np.ndarray:
    """The row each row points to (−1: none), so that every tree holds k or more.

    The root of a tree that is too small points to the nearest of its k − 1 neighbours outside the tree.
    """
    n = len(neighbours)
    to = np.full(n, -1)
    tree = np.arange(n)
    size = np.ones(n, np.int64)
    for i in range(n):
        root = _root(tree, i)
        while size[root] < k:
            for j in neighbours[root]:
                other = _root(tree, j)
                if other != root:
                    break
            to[root] = j
            tree[root] = other
            size[other] += size[root]
            root = other
    return to


@kernel
def _root(tree: np.ndarray, i: int) -> int:
    while tree[i] != i:
        tree[i] = tree[tree[i]]
        i = tree[i]
    return i


@kernel
def prune_forest(to: np.ndarray, k: int) -> np.ndarray:
    """Labels of groups of k to 2k − 2 rows pruned from the leaves; what is left at a root is −1.

    The branches of a row that are too small are put together until they hold k; the row itself goes with
    those left over.
    """
    n = len(to)
    branches = np.zeros(n, np.int64)
    for i in range(n):
        if to[i] >= 0:
            branches[to[i]] += 1
    ready = np.empty(n, np.int64)
    count = 0
    for i in range(n):
        if branches[i] == 0:
            ready[count] = i
            count += 1
    labels = np.full(n, -1)
    bag = np.full(n, -1)  # the last row put into the bag of each row
    below = np.full(n, -1)  # the row put into the same bag before
    size = np.zeros(n, np.int64)
    groups = 0
    for at in range(n):
        i = ready[at]
        below[i], bag[i] = bag[i], i
        size[i] += 1
        groups = _emit(i, k, labels, bag, below, size, groups)
        up = to[i]
        if up < 0:
            continue
        if size[i] > 0:
            member = bag[i]
            while below[member] >= 0:
                member = below[member]
            below[member], bag[up] = bag[up], bag[i]
            size[up] += size[i]
            groups = _emit(up, k, labels, bag, below, size, groups)
        branches[up] -= 1
        if branches[up] == 0:
            ready[count] = up
            count += 1
    return labels


@kernel
def _emit(
    i: int,
    k: int,
    labels: np.ndarray,
    bag: np.ndarray,
    below: np.ndarray,
    size: np.ndarray,
    groups: int,
) -> int:
    if size[i] < k:
        return groups
    member = bag[i]
    while member >= 0:
        labels[member] = groups
        member = below[member]
    bag[i], size[i] = -1, 0
    return groups + 1
