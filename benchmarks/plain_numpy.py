"""The work of kernels as one would write it with numpy, to be measured beside them."""

from itertools import combinations

import numpy as np
import scipy
from scipy.special import ndtri
from scipy.stats import rankdata

ALPHA = 0.1


def noise(X: np.ndarray) -> np.ndarray:
    """Correlated noise: normal numbers with a tenth of the covariance of the file."""
    rng = np.random.default_rng(1)
    root = np.linalg.cholesky(ALPHA * np.cov(X, rowvar=False))
    moved: np.ndarray = X + rng.normal(size=X.shape) @ root.T
    return moved


def shuffled(X: np.ndarray, given: int) -> np.ndarray:
    """The first columns are dealt out by ranks drawn from a normal model of their scores, given the other columns."""
    rng, n = np.random.default_rng(1), len(X)
    Z = ndtri((rankdata(X, axis=0) - 0.5) / n)
    R = np.corrcoef(Z, rowvar=False)
    masked = X.shape[1] - given
    B = np.linalg.solve(R[masked:, masked:], R[masked:, :masked])
    left = R[:masked, :masked] - B.T @ R[masked:, masked:] @ B
    Y = Z[:, masked:] @ B + rng.normal(size=(n, masked)) @ np.linalg.cholesky(left).T
    dealt = np.empty((n, masked))
    for j in range(masked):
        dealt[np.argsort(Y[:, j]), j] = np.sort(X[:, j])
    return dealt


def rare_share(X: np.ndarray, k: int) -> float:
    """Percent of rows that fewer than k rows are like."""
    _, inverse, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    return float(100 * (counts[inverse.ravel()] < k).mean())


def not_diverse_share(X: np.ndarray, secret: np.ndarray, least: int) -> float:
    """Percent of rows in whose class there are fewer different secrets."""
    classes = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    pairs = np.unique(np.column_stack([classes, secret]), axis=0)
    return float(100 * (np.bincount(pairs[:, 0])[classes] < least).mean())


def not_close_share(X: np.ndarray, secret: np.ndarray, t: float) -> float:
    """Percent of rows in whose class the secrets are farther than t from those of the file, which have no order."""
    classes = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    table = np.zeros((classes.max() + 1, secret.max() + 1))
    np.add.at(table, (classes, secret), 1)
    shares = table / table.sum(axis=1, keepdims=True)
    apart = np.abs(shares - table.sum(axis=0) / len(secret)).sum(axis=1) / 2
    return float(100 * (apart > t)[classes].mean())


def minimal_uniques(X: np.ndarray) -> int:
    """How many sets of columns single a row out that no part of them does."""
    n, d = X.shape
    found: dict[tuple[int, ...], np.ndarray] = {}
    total = 0
    for size in range(1, d + 1):
        for columns in combinations(range(d), size):
            _, inverse, counts = np.unique(X[:, columns], axis=0, return_inverse=True, return_counts=True)
            alone = counts[inverse.ravel()] == 1
            below = np.zeros(n, bool)
            for part in combinations(columns, size - 1):
                below |= found.get(part, False)
            total += int((alone & ~below).sum())
            found[columns] = alone
    return total


def nearest_share(X: np.ndarray, Y: np.ndarray) -> float:
    """Percent of rows of Y that are nearest to their own row of X, thousand by thousand."""
    X, Y = (X - X.mean(axis=0)) / X.std(axis=0), (Y - X.mean(axis=0)) / X.std(axis=0)
    right = 0
    for start in range(0, len(Y), 1000):
        part = Y[start : start + 1000]
        apart = (X**2).sum(axis=1) - 2 * part @ X.T
        right += int((apart.argmin(axis=1) == np.arange(start, start + len(part))).sum())
    return 100 * right / len(Y)


def assigned_share(X: np.ndarray, Y: np.ndarray) -> float:
    """Percent of rows of Y that the assignment with the least sum of squared distances gives their own row of X."""
    apart = scipy.spatial.distance.cdist(Y, X, "sqeuclidean")
    rows, columns = scipy.optimize.linear_sum_assignment(apart)
    return float(100 * (rows == columns).mean())
