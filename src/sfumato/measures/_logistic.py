"""A logistic regression that tells two files apart, with squares and products, in blocks of records."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from sfumato.kernels.logistic import logistic_sums
from sfumato.measures._design import MOST_INDICATORS
from sfumato.parallel.threads import in_blocks

MOST_TERMS = 200
RIDGE = 1e-4
BLOCK = 4096
MOST_ROUNDS = 50
CLOSE = 1e-10
ROUNDING = 1e-12  # of a loss; what is lower by less is not told from what is higher


class Sample(NamedTuple):
    """Records of one of the two files, and how much each counts."""

    columns: np.ndarray
    weights: np.ndarray


class Terms(NamedTuple):
    """Which columns are squared, and which pairs of them multiplied."""

    squared: np.ndarray
    left: np.ndarray
    right: np.ndarray

    @classmethod
    def chosen(cls, owner: np.ndarray, is_number: np.ndarray, others: int) -> "Terms":
        """Squares of numbers, and products of columns of different attributes, as many as the model may have.

        `others` more columns follow, which are neither squared nor multiplied.
        """
        squared = np.flatnonzero(is_number)
        rank = np.arange(len(owner)) - np.searchsorted(owner, owner)  # among the columns of its attribute
        for most in range(MOST_INDICATORS, -1, -1):
            taken = np.flatnonzero(is_number | (rank < most))
            i, j = np.triu_indices(len(taken), 1)
            apart = owner[taken[i]] != owner[taken[j]]
            if 1 + len(owner) + others + len(squared) + int(apart.sum()) <= MOST_TERMS:
                return cls(squared, taken[i[apart]], taken[j[apart]])
        return cls(squared, squared[:0], squared[:0])

    def of(self, columns: np.ndarray) -> np.ndarray:
        """All terms of some records, the constant first."""
        ones, products = np.ones((len(columns), 1)), columns[:, self.left] * columns[:, self.right]
        return np.concatenate([ones, columns, columns[:, self.squared] ** 2, products], axis=1)


class Fit(NamedTuple):
    """The penalised loss at some coefficients, its gradient and its second derivatives."""

    loss: float
    gradient: np.ndarray
    curvature: np.ndarray


def fitted(files: Sequence[Sample], terms: Terms) -> np.ndarray:
    """The coefficients of P(a record is of the second file), by Newton's method with steps halved if need be.

    The mean of the logistic loss plus RIDGE / 2 · Σ coefficients² has one least value. Two equal files have
    gradients that cancel to the last digit, and coefficients of exactly 0.
    """
    coefficients = np.zeros(terms.of(files[0].columns[:1]).shape[1])
    fit = _fit(files, terms, coefficients)
    for _ in range(MOST_ROUNDS):
        step = np.linalg.solve(fit.curvature, fit.gradient)
        tried = _fit(files, terms, coefficients - step)
        while tried.loss > fit.loss + ROUNDING and np.abs(step).max() > CLOSE:
            step /= 2
            tried = _fit(files, terms, coefficients - step)
        coefficients, fit = coefficients - step, tried
        if np.abs(step).max() <= CLOSE:
            break
    return coefficients


def probabilities(file: Sample, terms: Terms, coefficients: np.ndarray) -> np.ndarray:
    def block(start: int, end: int) -> np.ndarray:
        margins = np.einsum("nj,j->n", terms.of(file.columns[start:end]), coefficients)
        p: np.ndarray = expit(margins)
        return p

    return in_blocks(block, len(file.columns), BLOCK)


def _fit(files: Sequence[Sample], terms: Terms, coefficients: np.ndarray) -> Fit:
    d, total = len(coefficients), sum(float(file.weights.sum()) for file in files)
    by_file = [_sums(file, second, terms, coefficients) for second, file in enumerate(files)]
    sums: np.ndarray = np.sum(by_file, axis=0) / total
    return Fit(
        float(sums[0] + RIDGE / 2 * np.square(coefficients).sum()),
        sums[1 : 1 + d] + RIDGE * coefficients,
        sums[1 + d :].reshape(d, d) + RIDGE * np.eye(d),
    )


def _sums(file: Sample, second: int, terms: Terms, coefficients: np.ndarray) -> np.ndarray:
    def block(start: int, end: int) -> np.ndarray:
        X = terms.of(file.columns[start:end])
        return logistic_sums(X, file.weights[start:end], float(second), coefficients)[None]

    sums: np.ndarray = in_blocks(block, len(file.columns), BLOCK).sum(0)
    return sums
