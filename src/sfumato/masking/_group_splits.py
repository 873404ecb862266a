"""Groups of 2k records or more, made smaller."""

from collections.abc import Callable

import numpy as np

Grouping = Callable[[np.ndarray, int], np.ndarray]


def split_large(X: np.ndarray, labels: np.ndarray, k: int, grouping: Grouping) -> np.ndarray:
    """The same labels, but every group of 2k rows or more is grouped by itself.

    >>> split_large(np.zeros((5, 1)), np.zeros(5, np.int64), 2, lambda X, k: np.array([0, 0, 1, 1, 1])).tolist()
    [0, 0, 1, 1, 1]
    """
    sizes = np.bincount(labels)
    by_group = np.split(np.argsort(labels, kind="stable"), np.cumsum(sizes)[:-1])
    finer = labels.copy()
    groups = len(sizes)
    for group in np.flatnonzero(sizes >= 2 * k):
        rows = by_group[group]
        found = grouping(np.ascontiguousarray(X[rows]), k)
        finer[rows] = np.where(found == 0, group, found + groups - 1)
        groups += int(found.max())
    return finer
