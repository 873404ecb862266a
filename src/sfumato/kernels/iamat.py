"""IAMAT on a tree of boxes: groups grow by the record nearest to their centroid."""

import numpy as np

from sfumato.kernels._compile import INT64, kernel
from sfumato.kernels._small_files import SmallFiles
from sfumato.kernels.deletion_tree import leaf_size, plant, take_out
from sfumato.kernels.mdav import squared_distances
from sfumato.kernels.tree_search import farthest, nearest

_small_files = SmallFiles()


def iamat_groups(X: np.ndarray, k: int, gamma: float, fixed: bool) -> np.ndarray:
    """Group label of each row of X, −1 for the fewer than k rows left over; ties are broken by row number.

    Of the rows not in a group, the one p with the highest product of associations exp(−|x − p|²/α) with the
    members x is the one with the lowest sum of |x − p|², and so the one nearest to their centroid.
    """
    if _small_files.takes(len(X)):
        return plain_labels(X, k, gamma, fixed)
    return iamat_labels(X, k, gamma, fixed, leaf_size(X.shape[1]))


def plain_labels(X: np.ndarray, k: int, gamma: float, fixed: bool) -> np.ndarray:
    """The same without a tree and without compiled code; sums run in the same order, so that ties are the same."""
    labels = np.full(len(X), -1)
    left, columns = np.arange(len(X)), np.ascontiguousarray(X.T)
    total = np.cumsum(X, axis=0)[-1]
    whole, group = total / len(X), 0
    while len(left) >= k:
        at = np.argmax(squared_distances(columns, whole if fixed else total / len(left)))
        members, within = np.empty(0, np.int64), np.zeros(X.shape[1])
        while True:
            members, within = np.append(members, left[at]), within + X[left[at]]
            total = total - X[left[at]]
            left, columns = np.delete(left, at), np.delete(columns, at, axis=1)
            if len(left) == 0 or len(members) == 2 * k - 1:
                break
            if len(members) >= k and (gamma == 0 or len(left) <= k):
                break
            at = np.argmin(squared_distances(columns, within / len(members)))
            if len(members) >= k and _is_nearer_to_others(columns, at, X[members].T, gamma):
                break
        labels[members] = group
        group += 1
    return labels


def _is_nearer_to_others(columns: np.ndarray, at: int | np.intp, members: np.ndarray, gamma: float) -> bool:
    """Whether a record is at least gamma times as far from the members of a group as from others that are left."""
    others = squared_distances(columns, columns[:, at])
    others[at] = np.inf
    return bool(squared_distances(members, columns[:, at]).min() >= gamma * others.min())


@kernel
def iamat_labels(X: np.ndarray, k: int, gamma: float, fixed: bool, leaf: int) -> np.ndarray:
    """The same, given what may change its speed and nothing else."""
    n, d = X.shape
    labels = np.full(n, -1)
    tree = plant(X, np.arange(n), leaf)
    planted = left = n
    total, within, point = np.zeros(d), np.zeros(d), np.empty(d)
    for i in range(n):
        _add(total, X, i, INT64(1))
    members = np.empty(2 * k, np.int64)
    found, apart = np.empty(1, np.int64), np.empty(1)
    pair, pair_apart = np.empty(2, np.int64), np.empty(2)
    centre = np.empty(d)
    _divide(total, n, centre)
    group = 0
    while left >= k:
        if 2 * left <= planted and left > leaf:  # fewer and tighter leaves
            tree = plant(X, np.nonzero(labels < 0)[0], leaf)
            planted = left
        if not fixed:
            _divide(total, left, centre)
        p, _ = farthest(tree, centre, INT64(-1), -1.0)
        size = 0
        within[:] = 0.0
        while True:
            members[size] = p
            size += 1
            left -= 1
            take_out(tree, p)
            labels[p] = group
            _add(within, X, p, INT64(1))
            _add(total, X, p, INT64(-1))
            if left == 0 or size == 2 * k - 1 or (size >= k and (gamma == 0 or left <= k)):
                break
            _divide(within, size, point)
            nearest(tree, point, found, apart)
            p = found[0]
            if size >= k:
                nearest(tree, X[p], pair, pair_apart)
                if _nearest_member(X, members, size, p) >= gamma * pair_apart[1]:
                    break
        group += 1
    return labels


@kernel
def _add(total: np.ndarray, X: np.ndarray, i: int, sign: int) -> None:
    for c in range(X.shape[1]):
        total[c] += sign * X[i, c]


@kernel
def _divide(total: np.ndarray, by: int, mean: np.ndarray) -> None:
    for c in range(len(total)):
        mean[c] = total[c] / by


@kernel
def _nearest_member(X: np.ndarray, members: np.ndarray, size: int, p: int) -> float:
    least = np.inf
    for a in range(size):
        distance = 0.0
        for c in range(X.shape[1]):
            distance += (X[members[a], c] - X[p, c]) ** 2
        least = min(least, distance)
    return least
