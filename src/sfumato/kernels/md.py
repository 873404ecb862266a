"""Maximum distance: the two records farthest apart, found without a matrix of distances."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def md_groups(X: np.ndarray, k: int) -> np.ndarray:
    """Group label of each row of X, at least 2k; ties are broken by row number.

    Each row has an upper bound of its squared distance to any row left; it starts with the distances to the
    centre, stays true as rows leave, and is replaced by the distance itself only where it is the largest.
    """
    n = len(X)
    labels = np.full(n, -1)
    left = np.arange(n)
    bound = _first_bounds(X)
    partner = np.full(n, -1)
    near = np.empty(k, np.int64)
    apart = np.empty(k)
    m, group = n, 0
    while m >= 2 * k:
        r, s = _diameter(X, left, m, labels, bound, partner)
        for centre, other in ((r, s), (s, -1)):
            _nearest(X, left, m, centre, other, near, apart)
            labels[near] = group
            group += 1
            kept = 0
            for a in range(m):
                if labels[left[a]] < 0:
                    left[kept] = left[a]
                    kept += 1
            m = kept
    if m >= k:
        labels[left[:m]] = group
    elif m > 0:
        _join_last(X, labels, left[:m], group)
    return labels


@kernel
def _first_bounds(X: np.ndarray) -> np.ndarray:
    n, d = X.shape
    centre = np.zeros(d)
    for i in range(n):
        centre += X[i] / n
    radius = np.empty(n)
    for i in range(n):
        radius[i] = np.sqrt(_squared(X[i], centre))
    bounds: np.ndarray = (radius + radius.max()) ** 2 * (1 + 1e-9)
    return bounds


@kernel
def _diameter(
    X: np.ndarray, left: np.ndarray, m: int, labels: np.ndarray, bound: np.ndarray, partner: np.ndarray
) -> tuple[int, int]:
    apart = np.empty(m)
    while True:
        r = left[0]
        for a in range(1, m):
            if bound[left[a]] > bound[r]:
                r = left[a]
        if partner[r] >= 0 and labels[partner[r]] < 0:
            return r, partner[r]
        bound[r] = -1.0
        for a in range(m):
            if left[a] != r:
                apart[a] = _squared(X[r], X[left[a]])
                if apart[a] > bound[r]:
                    bound[r], partner[r] = apart[a], left[a]
        for a in range(m):  # no row is farther from another than by way of r
            if left[a] != r:
                through = (np.sqrt(apart[a]) + np.sqrt(bound[r])) ** 2 * (1 + 1e-9)
                bound[left[a]] = min(bound[left[a]], through)


@kernel
def _nearest(
    X: np.ndarray, left: np.ndarray, m: int, centre: int, other: int, near: np.ndarray, apart: np.ndarray
) -> None:
    near[0], apart[0] = centre, -1.0
    filled = 1
    for a in range(m):  # left is in ascending order, so an equal distance never displaces
        i = left[a]
        if i in (centre, other):
            continue
        distance = _squared(X[i], X[centre])
        if filled < len(near):
            at = filled
            filled += 1
        elif distance < apart[filled - 1]:
            at = filled - 1
        else:
            continue
        while apart[at - 1] > distance:
            near[at], apart[at] = near[at - 1], apart[at - 1]
            at -= 1
        near[at], apart[at] = i, distance


@kernel
def _join_last(X: np.ndarray, labels: np.ndarray, rest: np.ndarray, groups: int) -> None:
    """Put each row of the rest into the nearer of the last two groups."""
    means = np.zeros((2, X.shape[1]))
    sizes = np.zeros(2)
    for i in range(len(X)):
        side = labels[i] - groups + 2
        if labels[i] >= 0 and side >= 0:
            means[side] += X[i]
            sizes[side] += 1
    for i in rest:
        first = _squared(X[i], means[0] / sizes[0]) <= _squared(X[i], means[1] / sizes[1])
        labels[i] = groups - 2 if first else groups - 1


@kernel
def _squared(a: np.ndarray, b: np.ndarray) -> float:
    total = 0.0
    for j in range(len(a)):
        difference = a[j] - b[j]
        total += difference * difference
    return total
