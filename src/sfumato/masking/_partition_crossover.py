"""Partition crossover: where two ways to group a file part, each part is taken from the better one."""

import numpy as np
import scipy

from sfumato.masking._group_lists import group_centres


def crossed(X: np.ndarray, labels: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, float]:
    """The best groups that can be put together from parts of both, and how much less their SSE is than that of the first.

    Groups of one and groups of the other hang together where they share a row. What hangs together holds the same
    rows in both, so that it may be taken from either, whatever is done elsewhere.

    >>> X = np.array([[0.0], [9.0], [1.0], [8.0], [70.0], [71.0], [80.0], [81.0]])
    >>> labels, less = crossed(X, np.array([0, 1, 0, 1, 2, 3, 2, 3]), np.array([0, 0, 1, 1, 2, 2, 3, 3]))
    >>> labels.tolist(), less
    ([0, 1, 0, 1, 2, 2, 3, 3], 99.0)
    """
    first, second = int(labels.max()) + 1, int(others.max()) + 1
    shared = scipy.sparse.coo_array(
        (np.ones(len(X)), (labels, others + first)), shape=(first + second, first + second)
    )
    parts, part = scipy.sparse.csgraph.connected_components(shared, directed=False)
    less = np.bincount(part[:first], _squares(X, labels), parts) - np.bincount(
        part[first:], _squares(X, others), parts
    )
    better = less > 1e-12 * max(less.max(), 1e-300)
    taken = np.where(better[part[labels]], others + first, labels)
    return np.unique(taken, return_inverse=True)[1].astype(np.int64), float(less[better].sum())


def _squares(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """SSE of each group."""
    groups = int(labels.max()) + 1
    apart = X - group_centres(X, labels, groups)[labels]
    return np.bincount(labels, (apart**2).sum(axis=1), groups)
