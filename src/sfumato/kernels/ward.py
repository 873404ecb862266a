"""k-Ward: the two ends of a sorted file are groups; the rest is merged until all groups hold k records."""

import heapq

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def ward_groups(X: np.ndarray, k: int) -> tuple[np.ndarray, int]:
    """The first row of each row's group, and how many distances it took, from all pairs of groups.

    The rows of X are sorted, at least 2k, and at least k in every group of the answer. Each group remembers
    the nearest of those after it, which is the minimum of its row of the distance matrix.
    """
    n = len(X)
    mean, size, into = _ends_grouped(X, k)
    left = np.flatnonzero(size)
    m = len(left)
    nearest = np.full(n, -1)
    least = np.full(n, np.inf)
    work = 0
    for a in range(m):
        work += _find_nearest(a, left, m, mean, size, k, nearest, least)
    small = m - 2
    while small > 0:
        u = left[0]
        for a in range(1, m):
            if least[left[a]] < least[u]:
                u = left[a]
        v = nearest[u]
        small -= (size[u] < k) + (size[v] < k) - (size[u] + size[v] < k)
        _merge(u, v, mean, size, into)
        kept = 0
        for a in range(m):
            if left[a] != v:
                left[kept] = left[a]
                kept += 1
        m = kept
        for a in range(m):
            i = left[a]
            if i == u or nearest[i] == u or nearest[i] == v:
                work += _find_nearest(a, left, m, mean, size, k, nearest, least)
            elif i < u and (size[i] < k or size[u] < k):
                work += 1
                distance = _distance(i, u, mean, size)
                if distance < least[i] or (distance == least[i] and u < nearest[i]):
                    least[i], nearest[i] = distance, u
    return _roots(into), work


@kernel
def _find_nearest(
    a: int,
    left: np.ndarray,
    m: int,
    mean: np.ndarray,
    size: np.ndarray,
    k: int,
    nearest: np.ndarray,
    least: np.ndarray,
) -> int:
    i = left[a]
    nearest[i], least[i] = -1, np.inf
    work = 0
    for b in range(a + 1, m):
        j = left[b]
        if size[i] < k or size[j] < k:
            work += 1
            distance = _distance(i, j, mean, size)
            if distance < least[i]:
                nearest[i], least[i] = j, distance
    return work


@kernel
def sorted_ward_groups(X: np.ndarray, k: int) -> tuple[np.ndarray, int]:
    """The same as `ward_groups` for a single column, from neighbours only.

    Groups stand in the order of their means. If a group y stands between x and z and may merge with both,
    then D(x, z) > min(D(x, y), D(y, z)): the best pair are neighbours, or a group of fewer than k and one of
    k or more with none but groups of k or more between them.
    """
    n = len(X)
    mean, size, into = _ends_grouped(X, k)
    first = np.arange(n)  # the first row of each group settles ties
    groups = np.flatnonzero(size)
    around = np.full((4, n), -1)  # before and after among all groups, then among those of fewer than k
    _chain(groups, around[:2])
    _chain(groups[1:-1], around[2:])
    stamp = np.zeros(n, np.int64)
    heap = [(np.inf, 0, 0, 0, 0, 0)]
    work = 0
    for i in groups[1:-1]:
        work += _push_nearest(i, mean, size, first, k, around, stamp, heap)
    while len(heap) > 1:
        _, _, _, i, j, when = heapq.heappop(heap)
        if stamp[i] != when or size[i] == 0 or size[i] >= k:
            continue
        touched = (around[2, i], around[3, i], around[2, j], around[3, j], j)
        was_small = size[j] < k
        _unlink(i, around[:2])
        _unlink(i, around[2:])
        _merge(j, i, mean, size, into)
        first[j] = min(first[i], first[j])
        if was_small and size[j] >= k:
            _unlink(j, around[2:])
        _move(j, mean, around[:2])
        for t in touched:
            if t >= 0 and 0 < size[t] < k:
                work += _push_nearest(t, mean, size, first, k, around, stamp, heap)
    return _roots(into), work


@kernel
def _push_nearest(
    i: int,
    mean: np.ndarray,
    size: np.ndarray,
    first: np.ndarray,
    k: int,
    around: np.ndarray,
    stamp: np.ndarray,
    heap: list[tuple[float, int, int, int, int, int]],
) -> int:
    best, least, work = -1, np.inf, 0
    for side in range(2):
        j = around[side, i]
        while j >= 0:
            work += 1
            distance = _distance(i, j, mean, size)
            if distance < least or (distance == least and first[j] < first[best]):
                best, least = j, distance
            j = -1 if size[j] < k else around[side, j]
            if j >= 0:
                gap = mean[i, 0] - mean[j, 0]
                if size[j] < k or gap * gap * (size[i] * k / (size[i] + k)) > least * (1 + 1e-12):
                    j = -1  # no group of k or more farther on can be nearer
    stamp[i] += 1
    low, high = min(first[i], first[best]), max(first[i], first[best])
    heapq.heappush(heap, (least, low, high, i, best, stamp[i]))
    return work


@kernel
def _chain(groups: np.ndarray, around: np.ndarray) -> None:
    for a in range(1, len(groups)):
        around[0, groups[a]] = groups[a - 1]
        around[1, groups[a - 1]] = groups[a]


@kernel
def _unlink(i: int, around: np.ndarray) -> None:
    before, after = around[0, i], around[1, i]
    if before >= 0:
        around[1, before] = after
    if after >= 0:
        around[0, after] = before


@kernel
def _move(i: int, mean: np.ndarray, around: np.ndarray) -> None:
    """Put a group whose mean has changed where it belongs."""
    for side in range(2):
        sign = 2 * side - 1
        at = around[side, i]
        if at < 0 or sign * mean[at, 0] >= sign * mean[i, 0]:
            continue
        _unlink(i, around)
        while around[side, at] >= 0 and sign * mean[around[side, at], 0] < sign * mean[i, 0]:
            at = around[side, at]
        beyond = around[side, at]
        around[side, at], around[1 - side, i], around[side, i] = i, at, beyond
        if beyond >= 0:
            around[1 - side, beyond] = i


@kernel
def _ends_grouped(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means and sizes of the groups to start with, and the group that each row went into."""
    n = len(X)
    mean, size, into = X.copy(), np.ones(n, np.int64), np.arange(n)
    for a in range(1, k):
        _merge(0, a, mean, size, into)
        _merge(n - 1, n - 1 - a, mean, size, into)
    return mean, size, into


@kernel
def _merge(u: int, v: int, mean: np.ndarray, size: np.ndarray, into: np.ndarray) -> None:
    total = size[u] + size[v]
    for j in range(mean.shape[1]):
        mean[u, j] = (size[u] * mean[u, j] + size[v] * mean[v, j]) / total
    size[u], size[v], into[v] = total, 0, u


@kernel
def _distance(i: int, j: int, mean: np.ndarray, size: np.ndarray) -> float:
    """How much SSE grows when two groups are merged."""
    total = 0.0
    for c in range(mean.shape[1]):
        difference = mean[i, c] - mean[j, c]
        total += difference * difference
    growth: float = total * (size[i] * size[j] / (size[i] + size[j]))
    return growth


@kernel
def _roots(into: np.ndarray) -> np.ndarray:
    roots = into.copy()
    for i in range(len(roots)):
        while roots[roots[i]] != roots[i]:
            roots[i] = roots[roots[i]]
    return roots
