"""Groups in the form that kernels work on (members, sizes and centres), and large ones made smaller."""

from collections.abc import Callable

import numpy as np

from sfumato.kernels.group_arrays import Groups
from sfumato.masking._aggregates import group_means

Grouping = Callable[[np.ndarray, int], np.ndarray]


def as_groups(X: np.ndarray, labels: np.ndarray, k: int) -> Groups:
    """Labels in the form the kernel works on, with room for as many groups as there can be."""
    n, room = len(X), len(X) // k + 1
    sizes = np.bincount(labels, minlength=room)
    order = np.argsort(labels, kind="stable")
    starts = np.cumsum(sizes) - sizes
    places = np.empty(n, np.int64)
    places[order] = np.arange(n) - starts[labels[order]]
    members = np.zeros((room, 2 * k), np.int64)
    members[labels, places] = np.arange(n)
    return Groups(
        labels=labels.astype(np.int64, copy=True),
        places=places,
        members=members,
        sizes=sizes,
        centres=group_centres(X, labels, room),
        total=np.array([labels.max() + 1]),
    )


def group_centres(X: np.ndarray, labels: np.ndarray, groups: int) -> np.ndarray:
    sums = np.column_stack([np.bincount(labels, weights=column, minlength=groups) for column in X.T])
    return sums / np.maximum(np.bincount(labels, minlength=groups), 1)[:, None]


def rest_joined(X: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """The same labels, but every row without one (−1) joins the group of fewer than 2k − 1 where SSE rises least.

    >>> rest_joined(np.array([[0.0], [1.0], [8.0], [9.0], [5.0]]), np.array([0, 0, 1, 1, -1]), 2).tolist()
    [0, 0, 1, 1, 1]
    """
    labels = labels.copy()
    for i in np.flatnonzero(labels < 0):
        grouped = labels >= 0
        sizes = np.bincount(labels[grouped])
        apart = ((group_means(X[grouped], labels[grouped]) - X[i]) ** 2).sum(axis=1)
        labels[i] = np.argmin(np.where(sizes < 2 * k - 1, apart * sizes / (sizes + 1), np.inf))
    return labels


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
