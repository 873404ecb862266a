"""Nearest records."""

import numpy as np

from sfumato.kernels.neighbours import all_nearest_others
from sfumato.parallel.threads import in_blocks

BLOCK = 2048


def neighbours(X: np.ndarray, count: int) -> np.ndarray:
    """The row numbers of the nearest other rows of each row, the nearest first, ties in their order.

    >>> neighbours(np.array([[0.0], [1.0], [5.0], [0.0]]), 2).tolist()
    [[3, 1], [0, 3], [1, 0], [0, 1]]
    """
    answer = all_nearest_others(np.ascontiguousarray(X), min(count, len(X) - 1))
    return in_blocks(answer, len(X), BLOCK)
