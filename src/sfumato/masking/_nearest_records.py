"""Nearest records."""

import numpy as np

from sfumato.kernels.deletion_tree import leaf_size, plant
from sfumato.kernels.neighbours import nearest_others
from sfumato.parallel.threads import in_blocks

BLOCK = 2048


def neighbours(X: np.ndarray, count: int) -> np.ndarray:
    """The row numbers of the nearest other rows of each row, the nearest first, ties in their order.

    >>> neighbours(np.array([[0.0], [1.0], [5.0], [0.0]]), 2).tolist()
    [[3, 1], [0, 3], [1, 0], [0, 1]]
    """
    X, n = np.ascontiguousarray(X), len(X)
    tree = plant(X, np.arange(n), leaf_size(X.shape[1]))
    return in_blocks(lambda start, end: nearest_others(tree, X, start, end, min(count, n - 1)), n, BLOCK)
