"""c-median clustering of numbers and categories, from centroids that are as unlike each other as can be.

Columns of X are numbers, ranks of ordinal categories, or codes of nominal ones (`nominal[j]`); NaN is missing.
The distance of two records is Σ_j |x_j − y_j| · scales[j], where a nominal difference counts as 1 and so does a
value that is missing on one side only.
"""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels._small_files import SmallFiles

_small_files = SmallFiles()


def c_medians(
    X: np.ndarray,
    start: np.ndarray,
    nominal: np.ndarray,
    scales: np.ndarray,
    weights: np.ndarray,
    *,
    rounds: int = 100,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Cluster of each row, the centroids, and the summed distance to them; ties go to the first centroid.

    The centroid is the (lower) median of each column, the commonest category if nominal; a cluster that
    loses all its records keeps its centroid.

    >>> X = np.array([[0.0], [1.0], [9.0], [10.0], [11.0]])
    >>> labels, centroids, total = c_medians(X, X[:2], np.array([False]), np.ones(1), np.ones(5))
    >>> labels.tolist(), centroids.ravel().tolist(), total
    ([0, 0, 1, 1, 1], [0.0, 10.0], 3.0)
    """
    centroids, orders = start.copy(), _orders(X) if rounds else []
    labels, distances = _assign(X, centroids, nominal, scales)
    for _ in range(rounds):
        centroids = _centroids(X, orders, labels, centroids, nominal, weights)
        before = labels
        labels, distances = _assign(X, centroids, nominal, scales)
        if np.array_equal(before, labels):
            break
    return labels, centroids, float(distances @ weights)


def farthest_first(X: np.ndarray, c: int, first: int, nominal: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Up to c rows: a first one, then always the row whose nearest chosen row is farthest away.

    The maximum-dissimilarity selection of Kennard & Stone (1969). Ties go to the first row; the choice ends
    early where every row equals a chosen one.

    >>> X = np.array([[0.0], [4.0], [10.0], [10.0]])
    >>> farthest_first(X, 4, 0, np.array([False]), np.ones(1)).tolist()
    [0, 2, 1]
    """
    chosen = [first]
    nearest = _assign(X, X[[first]], nominal, scales)[1]
    while len(chosen) < c and nearest.max() > 0:
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, _assign(X, X[[chosen[-1]]], nominal, scales)[1])
    return np.array(chosen)


def outermost(X: np.ndarray, nominal: np.ndarray, scales: np.ndarray, weights: np.ndarray) -> int:
    """The row farthest from the centroid of all: a first one that chance has no part in."""
    labels = np.zeros(len(X), np.int64)
    centre = np.full((1, X.shape[1]), np.nan)
    centre = _centroids(X, _orders(X), labels, centre, nominal, weights)
    return int(_assign(X, centre, nominal, scales)[1].argmax())


def _orders(X: np.ndarray) -> list[np.ndarray]:
    """The rows of each column that are present, by value: sorted once, for all rounds."""
    present = (~np.isnan(X)).sum(axis=0)
    return [np.argsort(X[:, j], kind="stable")[: present[j]] for j in range(X.shape[1])]


def _centroids(
    X: np.ndarray,
    orders: list[np.ndarray],
    labels: np.ndarray,
    centroids: np.ndarray,
    nominal: np.ndarray,
    weights: np.ndarray,
) -> np.ndarray:
    """The centroid of each cluster; one without records stays as it was."""
    found = centroids.copy()
    small = labels.astype(np.int16) if len(centroids) < 2**15 else labels  # sorted by digits, in linear time
    filled = np.bincount(labels, minlength=len(centroids)) > 0
    for j, order in enumerate(orders):
        rows = order[np.argsort(small[order], kind="stable")]
        middle = _modes if nominal[j] else _medians
        found[filled, j] = middle(X[rows, j], labels[rows], weights[rows], len(centroids))[filled]
    return found


def _medians(values: np.ndarray, labels: np.ndarray, weights: np.ndarray, clusters: int) -> np.ndarray:
    """Of values that are sorted within each cluster, and clusters that follow each other."""
    found = np.full(clusters, np.nan)
    ends = np.cumsum(np.bincount(labels, minlength=clusters))
    starts = np.concatenate([[0], ends[:-1]])
    full = np.flatnonzero(ends > starts)
    passed = np.concatenate([[0.0], np.cumsum(weights)])
    before, total = passed[starts[full]], passed[ends[full]] - passed[starts[full]]
    # a little less than half: sums of weights are rounded
    middle = np.searchsorted(passed[1:], before + total * (0.5 - 1e-12))
    found[full] = values[np.clip(middle, starts[full], ends[full] - 1)]
    return found


def _modes(values: np.ndarray, labels: np.ndarray, weights: np.ndarray, clusters: int) -> np.ndarray:
    codes, at = np.unique(values, return_inverse=True)
    if len(codes) == 0:
        return np.full(clusters, np.nan)
    table = np.bincount(labels * len(codes) + at.ravel(), weights, minlength=clusters * len(codes))
    table = np.round(table.reshape(clusters, -1), 9)  # so that rounding does not break a tie
    return np.where(table.any(axis=1), codes[table.argmax(axis=1)], np.nan)


def _assign(
    X: np.ndarray, centroids: np.ndarray, nominal: np.ndarray, scales: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest centroid of each row, and how far it is."""
    plain = _small_files.takes(len(X))
    return (plain_assigned if plain else compiled_assigned)(X, centroids, nominal, scales)


def plain_assigned(
    X: np.ndarray, centroids: np.ndarray, nominal: np.ndarray, scales: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same without compiled code; distances are summed in the same order."""
    total = np.zeros((len(centroids), len(X)))
    for x, centres, is_nominal, scale in zip(X.T, centroids.T, nominal, scales, strict=True):
        apart = np.abs(x - centres[:, None])
        one_missing = np.isnan(x) != np.isnan(centres)[:, None]
        term = (apart > 0).astype(float) if is_nominal else apart * scale
        total += np.where(np.isnan(apart), one_missing, term)
    labels = total.argmin(axis=0)
    return labels, total[labels, np.arange(len(X))]


@kernel
def compiled_assigned(
    X: np.ndarray, centroids: np.ndarray, nominal: np.ndarray, scales: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same, compiled."""
    labels = np.zeros(len(X), np.int64)
    distances = np.zeros(len(X))
    for i in range(len(X)):
        best = np.inf
        for k in range(len(centroids)):
            distance = 0.0
            for j in range(X.shape[1]):
                difference = abs(X[i, j] - centroids[k, j])
                if np.isnan(difference):
                    if np.isnan(X[i, j]) != np.isnan(centroids[k, j]):
                        distance += 1.0
                elif nominal[j]:
                    if difference > 0:
                        distance += 1.0
                else:
                    distance += difference * scales[j]
                if distance >= best:
                    break
            if distance < best:
                best, labels[i] = distance, k
        distances[i] = best
    return labels, distances
