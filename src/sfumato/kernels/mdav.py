"""MDAV with a tree of the remaining records for the nearest, and shells of them for the farthest."""

import numpy as np

from sfumato.kernels._compile import INT64, kernel
from sfumato.kernels._small_files import SmallFiles
from sfumato.kernels.deletion_tree import Tree, leaf_size, peel, plant, take_out
from sfumato.kernels.tree_search import farthest, nearest, outermost

SHELL = 256  # records in a shell
TRIAL = 32  # the tree alone is tried again after so many times its work
_small_files = SmallFiles()


def mdav_groups(X: np.ndarray, k: int) -> np.ndarray:
    """Group label of each row of X; ties are broken by row number."""
    if _small_files.takes(len(X)):
        return plain_labels(X, k)
    return mdav_labels(X, k, leaf_size(X.shape[1]), SHELL)


def plain_labels(X: np.ndarray, k: int) -> np.ndarray:
    """The same without a tree and without compiled code; sums run in the same order, so that ties are the same."""
    labels = np.empty(len(X), np.int64)
    left, columns = np.arange(len(X)), np.ascontiguousarray(X.T)
    total = np.cumsum(X, axis=0)[-1]
    group, opposite = 0, None
    while len(left) >= 2 * k:
        centre = columns[
            :, np.argmax(squared_distances(columns, total / len(left))) if opposite is None else opposite
        ]
        distances = squared_distances(columns, centre)
        near = np.argsort(distances, kind="stable")[:k]
        total = np.subtract.reduce(np.vstack([total, X[left[near]]]))
        labels[left[near]] = group
        group += 1
        stay = np.delete(np.arange(len(left)), near)
        opposite = np.argmax(distances[stay]) if opposite is None else None
        left, columns = left[stay], columns.take(stay, axis=1)
    labels[left] = group
    return labels


def squared_distances(columns: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """The squared distances of all records to a point, summed over the columns in order."""
    with np.errstate(over="ignore"):
        squares: np.ndarray = np.add.accumulate((columns - centre[:, None]) ** 2)[-1]
    return squares


@kernel
def mdav_labels(X: np.ndarray, k: int, size: int, shell: int) -> np.ndarray:
    """The same, given what may change its speed and nothing else: how many records a leaf and a shell hold."""
    n, d = X.shape
    labels = np.full(n, -1)
    total = np.zeros(d)
    for i in range(n):
        for j in range(d):
            total[j] += X[i, j]
    near, apart = np.empty(k, np.int64), np.empty(k)
    tree = plant(X, np.arange(n), size)
    shells = peel(X, np.arange(n), shell)
    m = planted = n
    of_centre, of_r = np.zeros(2, np.int64), np.zeros(2, np.int64)
    group = INT64(0)
    while m >= 2 * k:
        if 4 * m <= planted and m > size:  # fewer leaves, and tighter ones
            left = np.nonzero(labels < 0)[0]
            tree = plant(X, left, size)
            shells = peel(X, left, shell)
            planted = m
        r = _farthest(tree, shells, total / m, of_centre)
        nearest(tree, X[r], near, apart)
        _leave(tree, shells, near, labels, group, total)
        group += 1
        m -= k
        if m >= 2 * k:  # it was 3k or more before the first group left
            s = _farthest(tree, shells, X[r], of_r)
            nearest(tree, X[s], near, apart)
            _leave(tree, shells, near, labels, group, total)
            group += 1
            m -= k
    labels[labels < 0] = group
    return labels


@kernel
def _farthest(tree: Tree, shells: Tree, q: np.ndarray, asked: np.ndarray) -> int:
    """By the shells as long as they have less work than the tree; which is tried again after so much work.

    `asked` holds how many shells may be scanned, and the work left until both are weighed again.
    """
    far, reach, scanned = INT64(-1), -1.0, 0
    if asked[0] > 0 < asked[1]:
        far, reach, scanned = outermost(shells, q, asked[0])
        asked[1] -= scanned
        if scanned <= asked[0]:
            return far
        asked[0] //= 2
    far, work = farthest(tree, q, far, reach)
    asked[1] -= work
    if scanned == 0 and asked[1] < 0:
        asked[0], asked[1] = 2 * work, TRIAL * work
    return far


@kernel
def _leave(
    tree: Tree, shells: Tree, near: np.ndarray, labels: np.ndarray, group: int, total: np.ndarray
) -> None:
    for i in near:
        take_out(tree, i)
        take_out(shells, i)
        labels[i] = group
        for j in range(len(total)):
            total[j] -= tree.X[i, j]
