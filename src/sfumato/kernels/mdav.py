"""MDAV with a tree of the remaining records, by bounds where they prune and by plain scans where they do not."""

from itertools import count

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.deletion_tree import Tree, leaf_size, plant, take_out
from sfumato.kernels.tree_search import farthest, nearest, nearest_and_farthest

BOUNDS, SCANS, BEST = range(3)  # how the nearest and the farthest of a record are found
RETRY = 32  # every so many pairs of groups the bounds have another chance
SMALL = 2000  # records that plain numpy groups in less time than it takes to read compiled code from disk
FEW = 50  # files so small that are grouped without it: who groups more gains by compiling
_small_files = count()


def mdav_groups(X: np.ndarray, k: int) -> np.ndarray:
    """Group label of each row of X; ties are broken by row number."""
    if len(X) <= SMALL and next(_small_files) < FEW:
        return plain_labels(X, k)
    return mdav_labels(X, k, leaf_size(X.shape[1]), BEST)


def plain_labels(X: np.ndarray, k: int) -> np.ndarray:
    """The same without a tree and without compiled code; sums run in the same order, so that ties are the same."""
    labels = np.empty(len(X), np.int64)
    left, columns = np.arange(len(X)), np.ascontiguousarray(X.T)
    total = np.cumsum(X, axis=0)[-1]
    group, opposite = 0, None
    while len(left) >= 2 * k:
        centre = columns[:, np.argmax(_squared(columns, total / len(left))) if opposite is None else opposite]
        distances = _squared(columns, centre)
        near = np.argsort(distances, kind="stable")[:k]
        total = np.subtract.reduce(np.vstack([total, X[left[near]]]))
        labels[left[near]] = group
        group += 1
        stay = np.delete(np.arange(len(left)), near)
        opposite = np.argmax(distances[stay]) if opposite is None else None
        left, columns = left[stay], columns.take(stay, axis=1)
    labels[left] = group
    return labels


def _squared(columns: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """The squared distances of all records to a point."""
    with np.errstate(over="ignore"):
        squares: np.ndarray = np.add.accumulate((columns - centre[:, None]) ** 2)[-1]
    return squares


@kernel
def mdav_labels(X: np.ndarray, k: int, size: int, how: int) -> np.ndarray:
    """The same, given what may change its speed and nothing else.

    A search by bounds is worth its while as long as the two of a record scan fewer leaves than there are.
    """
    n, d = X.shape
    labels = np.full(n, -1)
    total = np.zeros(d)
    for i in range(n):
        for j in range(d):
            total[j] += X[i, j]
    near, apart = np.empty(k, np.int64), np.empty(k)
    tree = plant(X, np.arange(n), size)
    m = planted = n
    group, scans = int(np.int64(0)), 0
    while m >= 2 * k:
        if 2 * m <= planted and m > size:  # fewer and tighter leaves
            tree = plant(X, np.nonzero(labels < 0)[0], size)
            planted = m
        r, _ = farthest(tree, total / m)
        s = -1
        if how == SCANS or scans > 0:
            scans -= 1
            s = nearest_and_farthest(tree, X[r], near, apart)
            scanned = 0
        else:
            scanned = nearest(tree, X[r], near, apart)
        _leave(tree, X, near, labels, group, total)
        group += 1
        m -= k
        if m >= 2 * k:  # it was 3k or more before the first group left
            if s < 0 or labels[s] >= 0:  # all are as far as the farthest
                s, others = farthest(tree, X[r])
                if how == BEST and scanned + others > len(tree.size):
                    scans = RETRY
            nearest(tree, X[s], near, apart)
            _leave(tree, X, near, labels, group, total)
            group += 1
            m -= k
    labels[labels < 0] = group
    return labels


@kernel
def _leave(
    tree: Tree, X: np.ndarray, near: np.ndarray, labels: np.ndarray, group: int, total: np.ndarray
) -> None:
    for i in near:
        take_out(tree, i)
        labels[i] = group
        for j in range(X.shape[1]):
            total[j] -= X[i, j]
