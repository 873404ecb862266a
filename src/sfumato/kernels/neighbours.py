"""The k nearest others of every row, exactly and in linear memory, by a tree of boxes."""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.deletion_tree import Tree
from sfumato.kernels.tree_search import nearest


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
