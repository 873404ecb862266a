"""Pairs of records that are near to each other, as methods need them that learn from pairs."""

import numpy as np
from scipy.spatial.distance import pdist


def pairs_within(X: np.ndarray, theta: float) -> np.ndarray:
    """All pairs i < j whose distance is at most θ times the range of the distances: θ·(max D − min D).

    This needs room for n² pairs.

    >>> pairs_within(np.array([[0.0], [1.0], [3.0]]), 0.5).tolist()
    [[0, 1]]
    """
    distances = pdist(X)
    first, second = np.triu_indices(len(X), 1)
    similar = distances <= theta * (distances.max() - distances.min())
    return np.column_stack([first[similar], second[similar]]).astype(np.int32)


def nearest_pairs(X: np.ndarray, near: np.ndarray, theta: float) -> np.ndarray:
    """The pairs i < j of which one is among the nearest of the other, within θ·(max D − min D).

    Here max D is the distance from the record farthest from the centroid to the one farthest from that.

    >>> nearest_pairs(np.array([[0.0], [1.0], [3.0]]), np.array([[1], [0], [1]]), 1.0).tolist()
    [[0, 1], [1, 2]]
    """
    n, count = near.shape
    i, j = np.repeat(np.arange(n), count), near.ravel()
    first, second = np.divmod(np.unique(np.minimum(i, j) * n + np.maximum(i, j)), n)
    distances = np.sqrt(((X[first] - X[second]) ** 2).sum(axis=1))
    far = X[np.argmax(((X - X.mean(axis=0)) ** 2).sum(axis=1))]
    reach = np.sqrt(((X - far) ** 2).sum(axis=1).max())
    similar = distances <= theta * (reach - distances.min())
    return np.column_stack([first[similar], second[similar]]).astype(np.int32)
