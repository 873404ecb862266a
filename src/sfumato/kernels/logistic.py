"""Sums over records from which a logistic regression is fitted, the same on any number of threads."""

import numpy as np

from sfumato.kernels._compile import kernel

ROWS = 4  # added to the sums at once


@kernel
def logistic_sums(X: np.ndarray, weights: np.ndarray, second: float, coefficients: np.ndarray) -> np.ndarray:
    """The logistic loss of some records, its d derivatives, and its d × d second ones, in a row.

    `second` is 1 for records of the second class and 0 for those of the first.
    """
    n, d = X.shape
    sums = np.zeros(1 + d + d * d)
    curvature = sums[1 + d :].reshape(d, d)
    bent = np.zeros(-(-n // ROWS) * ROWS)
    for r in range(n):
        margin = 0.0
        for j in range(d):
            margin += X[r, j] * coefficients[j]
        p = 1 / (1 + np.exp(-margin))
        against = margin if second == 0 else -margin
        sums[0] += weights[r] * (max(against, 0.0) + np.log1p(np.exp(-abs(margin))))
        slope = weights[r] * (p - second)
        for j in range(d):
            sums[1 + j] += slope * X[r, j]
        bent[r] = weights[r] * p * (1 - p)
    for r in range(0, n, ROWS):
        _add_products(
            X[r],
            X[min(r + 1, n - 1)],
            X[min(r + 2, n - 1)],
            X[min(r + 3, n - 1)],
            bent[r : r + ROWS],
            curvature,
        )
    for i in range(d):
        for j in range(i):
            curvature[j, i] = curvature[i, j]
    return sums


@kernel
def _add_products(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, e: np.ndarray, w: np.ndarray, products: np.ndarray
) -> None:
    for i in range(len(a)):
        of_a, of_b, of_c, of_e = w[0] * a[i], w[1] * b[i], w[2] * c[i], w[3] * e[i]
        for j in range(i + 1):
            products[i, j] += of_a * a[j] + of_b * b[j] + of_c * c[j] + of_e * e[j]
