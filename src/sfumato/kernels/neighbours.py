"""The k nearest others of every row, exactly and in linear memory, by a tree of boxes."""

from collections.abc import Callable
from functools import partial

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels._small_files import SmallFiles
from sfumato.kernels.deletion_tree import Tree, leaf_size, plant
from sfumato.kernels.mdav import squared_distances
from sfumato.kernels.tree_search import nearest

_small_files = SmallFiles()


def all_nearest_others(X: np.ndarray, k: int) -> Callable[[int, int], np.ndarray]:
    """What tells the k rows nearest to each of the rows from one to another, nearest first, ties by row number."""
    if _small_files.takes(len(X)):
        return partial(plain_nearest_others, X, k)
    tree = plant(X, np.arange(len(X)), leaf_size(X.shape[1]))
    return lambda start, end: nearest_others(tree, X, start, end, k)


def plain_nearest_others(X: np.ndarray, k: int, start: int, end: int) -> np.ndarray:
    """The same without a tree and without compiled code; distances are summed in the same order."""
    found, columns = np.empty((end - start, k), np.int64), np.ascontiguousarray(X.T)
    for i in range(start, end):
        distances = squared_distances(columns, X[i])
        distances[i] = np.inf
        found[i - start] = np.argsort(distances, kind="stable")[:k]
    return found


@kernel
def nearest_others(tree: Tree, X: np.ndarray, start: int, end: int, k: int) -> np.ndarray:
    """The k rows nearest to each of the rows start … end − 1, nearest first, ties by row number.

    The tree is `plant(X, np.arange(len(X)), leaf_size(d))` with more than k rows. Searches only read it, so that
    blocks of rows can be answered in threads.
    """
    found = np.empty((end - start, k), np.int64)
    near, apart = np.empty(k + 1, np.int64), np.empty(k + 1)
    for i in range(start, end):
        nearest(tree, X[i], near, apart)
        at = 0
        for other in near:
            if other != i and at < k:
                found[i - start, at] = other
                at += 1
    return found
