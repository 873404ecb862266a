"""MDAV by fused scans: each pass over the remaining records answers a nearest and a farthest question."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def mdav_groups(X: np.ndarray, k: int) -> np.ndarray:
    """Group label of each row of X; ties are broken by row number."""
    n, d = X.shape
    labels = np.zeros(n, np.int64)
    left = np.arange(n)
    m = n
    total = np.zeros(d)
    for i in range(n):
        for j in range(d):
            total[j] += X[i, j]
    near = np.empty(k, np.int64)
    near_distance = np.empty(k)
    group = 0
    while m >= 2 * k:
        r = _farthest(X, left, m, total / m)
        _nearest(X, left, m, X[r], near, near_distance)
        m = _remove(X, left, m, near, labels, group, total)
        group += 1
        if m >= 2 * k:  # it was 3k or more before the first group left
            s = _farthest(X, left, m, X[r])
            _nearest(X, left, m, X[s], near, near_distance)
            m = _remove(X, left, m, near, labels, group, total)
            group += 1
    for a in range(m):
        labels[left[a]] = group
    return labels


@kernel
def _farthest(X: np.ndarray, left: np.ndarray, m: int, point: np.ndarray) -> int:
    best, best_distance = -1, -1.0
    for a in range(m):
        i = left[a]
        distance = 0.0
        for j in range(X.shape[1]):
            difference = X[i, j] - point[j]
            distance += difference * difference
        if distance > best_distance or (distance == best_distance and i < best):
            best, best_distance = i, distance
    return best


@kernel
def _nearest(
    X: np.ndarray, left: np.ndarray, m: int, point: np.ndarray, near: np.ndarray, near_distance: np.ndarray
) -> None:
    k = len(near)
    filled = 0
    for a in range(m):
        i = left[a]
        distance = 0.0
        for j in range(X.shape[1]):
            difference = X[i, j] - point[j]
            distance += difference * difference
        if filled == k:
            last = near_distance[k - 1]
            if distance > last or (distance == last and i > near[k - 1]):
                continue
            at = k - 1
        else:
            at = filled
            filled += 1
        while at > 0 and (
            near_distance[at - 1] > distance or (near_distance[at - 1] == distance and near[at - 1] > i)
        ):
            near[at], near_distance[at] = near[at - 1], near_distance[at - 1]
            at -= 1
        near[at], near_distance[at] = i, distance


@kernel
def _remove(
    X: np.ndarray,
    left: np.ndarray,
    m: int,
    near: np.ndarray,
    labels: np.ndarray,
    group: int,
    total: np.ndarray,
) -> int:
    for i in near:
        labels[i] = -1
        for j in range(X.shape[1]):
            total[j] -= X[i, j]
    kept = 0
    for a in range(m):
        if labels[left[a]] >= 0:
            left[kept] = left[a]
            kept += 1
    for i in near:
        labels[i] = group
    return kept
