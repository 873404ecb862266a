"""ACNN: clusters of an associative neural network, made into groups of at least k."""

import numpy as np

from sfumato.core import DataError, param
from sfumato.kernels.mdav import mdav_groups
from sfumato.masking._aggregates import group_means
from sfumato.masking._group_lists import split_large
from sfumato.masking._microaggregation import Microaggregation

MOST = 4000  # records: a cycle multiplies two matrices of that size
NOTHING = 1e-9  # an association this small is none: rounding would decide its sign


class Acnn(Microaggregation):
    """Records associate with each other through all the others, until clusters stand apart.

    At first the association of two records is a = exp(−|x − y|²/α), with α = √n over the mean squared distance to the
    centroid. In each cycle a pair interacts through every other record p, y_ij = Σ a_ip a_pj over positive
    associations, and associates anew by a = tanh((y_ij − θ_ij)/2), where θ_ij is the mean of all interactions of i and j. It
    ends when associations change by no more than `tolerance` in the mean, or after so many `cycles`. Records with the
    same positive associations are a cluster; one without any is rejected.

    The source shows why such clusters are no groups yet: they have any size. Here the records of clusters of fewer than
    k, and rejected ones, join the nearest cluster of k or more, and clusters of 2k or more are parted by
    `mdav`. It often finds one or two clusters, and then loses no less than `mdav`, in far more time: it is here to be
    compared with. Memory grows as n² and time as n³, so that it takes at most 4,000 records. Groups hold k to 2k − 1.

    Source: Yao, Lee & Chen (2000), as Algorithm 11 and equations 5.1–5.12 of Fayyoumi, *thesis*, §5.2.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = pa.table({"staff": [1.0, 3.0, 2.0, 91.0, 90.0, 92.0], "sales": [5.0, 7.0, 6.0, 90.0, 85.0, 95.0]})
    >>> Acnn(k=3).apply(table_from_frame(firms), np.random.default_rng(1))["sales"].tolist()
    [6.0, 6.0, 6.0, 90.0, 90.0, 90.0]
    """

    cycles: int = param(default=50, low=1, help="cycles after which learning stops in any case")
    tolerance: float = param(default=1e-6, low=0, help="mean change of an association that ends learning")

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if len(X) > MOST:
            raise DataError(f"{self.name}: takes at most {MOST} records. Got {len(X)}; use iamat instead.")
        labels = associated_clusters(X, self.cycles, self.tolerance)
        return split_large(X, small_joined(X, labels, self.k), self.k, mdav_groups)


def associated_clusters(X: np.ndarray, cycles: int, tolerance: float) -> np.ndarray:
    """Algorithm 11: the cluster of each record, −1 for those it rejects."""
    n = len(X)
    a = _first_associations(X)
    for _ in range(cycles):
        positive = np.maximum(a, 0)
        np.fill_diagonal(positive, 0)  # a pair interacts through others only
        y = positive @ positive
        np.fill_diagonal(y, 0)
        means = y.sum(axis=0) / (2 * (n - 1))
        before, a = a, np.tanh((y - means[:, None] - means) / 2)  # eq. 5.6
        np.fill_diagonal(a, 1)
        if np.abs(a - before).sum() <= tolerance * n * n:
            break
    return characteristic_labels(a > NOTHING)


def _first_associations(X: np.ndarray) -> np.ndarray:
    squared = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2) if len(X) < 200 else _squared_distances(X)
    spread = ((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()
    associations: np.ndarray = np.exp(-squared * spread / np.sqrt(len(X)))
    return associations


def _squared_distances(X: np.ndarray) -> np.ndarray:
    """Without room for the differences of all pairs in all columns."""
    squared = np.zeros((len(X), len(X)))
    for column in X.T:
        squared += (column[:, None] - column) ** 2
    return squared


def characteristic_labels(together: np.ndarray) -> np.ndarray:
    """Labels by eqs. 5.9–5.12: the first of the distinct rows of the matrix that holds a record; −1 for one alone.

    >>> characteristic_labels(np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]], bool)).tolist()
    [0, -1, 0, -1]
    """
    labels = np.full(len(together), -1)
    seen: set[bytes] = set()
    for row in together:
        if row.sum() > 1 and row.tobytes() not in seen:
            labels[row & (labels < 0)] = len(seen)
            seen.add(row.tobytes())
    return labels


def small_joined(X: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """Records of clusters of fewer than k, and those of none, in the nearest cluster of k or more; one where none is."""
    sizes = np.bincount(labels[labels >= 0], minlength=1)
    large = (labels >= 0) & (sizes[labels] >= k)
    if not large.any():
        return np.zeros(len(X), np.int64)
    joined = np.zeros(len(X), np.int64)
    joined[large] = np.unique(labels[large], return_inverse=True)[1].reshape(-1)
    means = group_means(X[large], joined[large])
    for i in np.flatnonzero(~large):
        joined[i] = np.argmin(((means - X[i]) ** 2).sum(axis=1))
    return joined
