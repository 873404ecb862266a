"""Grouping records by equal values, without a sort over whole rows."""

from collections.abc import Sequence

import numpy as np


def group_labels(columns: Sequence[np.ndarray]) -> np.ndarray:
    """A label per record, equal for records with equal values in every column; NaN equals NaN.

    >>> group_labels([np.array([1, 1, 2]), np.array([5.0, 5.0, 5.0])]).tolist()
    [0, 0, 1]
    """
    labels = np.zeros(len(columns[0]), np.int64)
    for values in columns:
        distinct, codes = np.unique(values, return_inverse=True)
        combined = labels * len(distinct) + codes.ravel()
        labels = np.unique(combined, return_inverse=True)[1].ravel()
    return labels


def group_sizes(columns: Sequence[np.ndarray]) -> np.ndarray:
    """For each record, how many records have the same values.

    >>> group_sizes([np.array([1, 1, 2])]).tolist()
    [2, 2, 1]
    """
    labels = group_labels(columns)
    sizes: np.ndarray = np.bincount(labels)[labels]
    return sizes
