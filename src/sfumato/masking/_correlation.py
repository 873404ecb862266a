"""Spread and correlation of columns in which values may be missing."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sfumato.core import DataError
from sfumato.data import Table

ROWS_AT_ONCE = 1 << 14
IN_CACHE = (
    1 << 12
)  # rows of a dozen columns that stay at hand, and are too few for threads of a product of matrices


def check_not_alone(present: int, name: str, owner: str) -> None:
    """Refuse a lone value, which nothing that looks at the others would protect."""
    if present == 1:
        raise DataError(f"{owner}: column {name} must have at least 2 values, or none. Got 1.")


def present_rows(table: Table, name: str, owner: str) -> np.ndarray:
    """The rows with a value; refuses a lone one, which nothing that looks at the others would protect."""
    rows = np.flatnonzero(~table.missing(name))
    check_not_alone(len(rows), name, owner)
    return rows


def standardised(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns of mean 0 and variance 1, and the means and standard deviations they had; missing is NaN.

    A column that is constant becomes 0; one without values has mean and standard deviation 0.

    >>> standardised(np.array([[1.0, 7.0], [3.0, np.nan]]))[0].tolist()
    [[-1.0, 0.0], [1.0, nan]]
    """
    means, deviations = spreads(X)
    return scaled(X, means, deviations), means, deviations


def spreads(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The means and standard deviations of columns; what is left of equal numbers is rounding, and counts as 0."""
    present = ~np.isnan(X)
    counts = np.maximum(present.sum(axis=0), 1)
    means = np.where(present, X, 0.0).sum(axis=0) / counts
    squares = np.where(present, X - means, 0.0)
    squares *= squares
    return means, without_rounding(means, np.sqrt(squares.sum(axis=0) / counts))


def without_rounding(means: np.ndarray, deviations: np.ndarray) -> np.ndarray:
    """Standard deviations, 0 where they are no more than a rounding error of the mean."""
    return np.where(deviations <= 1e-12 * np.abs(means), 0.0, deviations)


def scaled(X: np.ndarray, means: np.ndarray, deviations: np.ndarray) -> np.ndarray:
    """Columns moved by their mean and divided by their standard deviation; those without one become 0."""
    Z: np.ndarray = X - means
    Z *= np.divide(1.0, deviations, out=np.zeros_like(deviations), where=deviations > 0)
    return Z


def correlation(Z: np.ndarray) -> np.ndarray:
    """The correlations of standardised columns, each from the records that have both values.

    Such a matrix need not be one of correlations; negative eigenvalues become 0, and the diagonal 1 again.

    >>> correlation(np.array([[-1.0, 1.0], [1.0, -1.0], [np.nan, 0.0]])).round(6).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    return correlation_of(*products_of_pairs(Z))


def products_of_pairs(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each pair of columns: the sum of products over the records that have both, and how many these are."""
    products, pairs = np.zeros((2, Z.shape[1], Z.shape[1]))
    for top in range(0, len(Z), ROWS_AT_ONCE):
        block = Z[top : top + ROWS_AT_ONCE]
        present = ~np.isnan(block)
        filled = np.where(present, block, 0.0)
        products += filled.T @ filled
        counted = present.astype(np.float64)
        pairs += counted.T @ counted
    return products, pairs


def correlation_of(products: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The correlations that sums of products of standardised columns give."""
    root = square_root(products / np.maximum(pairs, 1.0))
    lengths = np.sqrt((root * root).sum(axis=1))
    varies = lengths > 1e-6  # a constant correlates with nothing
    root *= np.divide(1.0, lengths, out=np.zeros_like(lengths), where=varies)[:, None]
    correlations: np.ndarray = root @ root.T
    return correlations


class JointMoments(NamedTuple):
    """Of complete columns: means, standard deviations (0 where all values are equal) and correlations."""

    means: np.ndarray
    deviations: np.ndarray
    correlation: np.ndarray


def joint_moments(columns: Sequence[np.ndarray]) -> JointMoments | None:
    """All in two passes over columns that lie by themselves; None where a value is missing.

    >>> found = joint_moments([np.array([1.0, 3.0]), np.array([5.0, 1.0])])
    >>> found.means.tolist(), found.deviations.tolist(), found.correlation.round(6).tolist()
    ([2.0, 3.0], [1.0, 2.0], [[1.0, -1.0], [-1.0, 1.0]])
    """
    n = len(columns[0])
    means = np.array([column.sum() for column in columns]) / max(n, 1)
    if np.isnan(means).any():
        return None
    products, room = np.zeros((len(columns), len(columns))), np.empty((len(columns), IN_CACHE))
    for top in range(0, n, IN_CACHE):
        block = room[:, : min(IN_CACHE, n - top)]
        for j, column in enumerate(columns):
            np.subtract(column[top : top + IN_CACHE], means[j], out=block[j])
        products += block @ block.T
    deviations = without_rounding(means, np.sqrt(np.diag(products) / max(n, 1)))
    scales = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=deviations > 0)
    pairs = np.full(products.shape, float(n))
    return JointMoments(means, deviations, correlation_of(products * np.outer(scales, scales), pairs))


def square_root(S: np.ndarray) -> np.ndarray:
    """A matrix L with L Lᵀ = S, for a covariance matrix that may be singular."""
    values, vectors = np.linalg.eigh((S + S.T) / 2)
    root: np.ndarray = vectors * np.sqrt(np.maximum(values, 0.0))
    return root
