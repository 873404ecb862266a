"""Propensity loss: how well a model can tell masked records from original ones."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from sfumato.data import Table
from sfumato.kernels.logistic import logistic_sums
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._design import MOST_INDICATORS, Design
from sfumato.parallel.threads import in_blocks

FARTHEST = 10.0  # standard deviations; beyond, squares and products would drown all else
MOST_TERMS = 200
RIDGE = 1e-4
BLOCK = 4096
MOST_ROUNDS = 50
CLOSE = 1e-10
ROUNDING = 1e-12  # of a loss; what is lower by less is not told from what is higher


class Propensity(Measure):
    """100 · pMSE / 0.25, with pMSE = mean over all records of (p − ½)².

    The records of both files are put together, and p is the probability a logistic regression gives to each of
    them to be a masked one. Half of them are, so that pMSE is 0 where the model cannot tell and ¼ where it is
    always sure: the value runs from 0 to 100. The terms of the model are all attributes, the squares of
    numbers, and the products of any two columns of different attributes: means, shares, variances and relations
    of pairs are what it can see. Who was masked how is nothing to it; the file in another order loses nothing.

    Numbers and ordinal ranks are standardised by the original (farther than 10 standard deviations counts as 10),
    a nominal attribute is an indicator for each category (the 20 most frequent), and a missing value is the mean
    with an indicator that it is missing. Products take as many categories of each nominal attribute, the most
    frequent first, as leave the model with at most 200 terms, and are left out where numbers alone make more. A
    recoded category counts as a uniform draw from those it covers. A ridge of 10⁻⁴ per record keeps coefficients
    finite where files can be told apart perfectly. Weights count records.

    The part `null` is about what another sample of the same population would have, terms / (4 n), in percent
    (Snoke et al.). It is not subtracted: a masked file is no other sample, and one that was left alone has 0.

    It does not see relations of three or more attributes, nor whether two files differ where the model
    has no term for it.

    Source: Woo, Reiter, Oganian & Karr (2009), *Global measures of data utility for microdata masked for
    disclosure limitation*; Snoke, Raab, Nowok, Dibben & Slavkovic (2018), *General and specific utility measures
    for synthetic data*.

    >>> from sfumato.data import Attribute, Schema
    >>> x = Attribute(name="x", scale="numeric", role="key")
    >>> original = Table(Schema([x]), {"x": np.arange(100.0)})
    >>> masked = original.replace({"x": original["x"][::-1]})
    >>> Propensity().bind(original).score(masked).value < 1e-9
    True
    >>> masked = original.replace({"x": np.full(100, 49.5)})  # the mean is right
    >>> round(Propensity().bind(original).score(masked).value)
    67
    """

    sense = "loss"
    joinable = False
    quick = 100_000

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return _BoundPropensity(self, original, names)


class _BoundPropensity(Bound):
    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.design = Design(original, names, self.weights)
        self.columns = self._columns(original)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        holes = [self._holes(table, masked) for table in (self.original, masked)]
        terms = Terms.chosen(self.design.owner, self.design.is_number, holes[0].shape[1])
        weights = np.ones(masked.n) if self.weights is None else self.weights
        files = [
            Sample(np.concatenate([columns, missing], axis=1), weights)
            for columns, missing in zip((self.columns, self._columns(masked)), holes, strict=True)
        ]
        coefficients = fitted(files, terms)
        off = [(probabilities(file, terms, coefficients) - 0.5) ** 2 for file in files]
        pmse = float(np.mean([np.average(squares, weights=weights) for squares in off]))
        return 400 * pmse, {"null": min(100 * (len(coefficients) - 1) / (4 * masked.n), 100.0)}

    def _columns(self, table: Table) -> np.ndarray:
        columns: np.ndarray = np.clip(self.design.matrix(table), -FARTHEST, FARTHEST)
        return columns

    def _holes(self, table: Table, masked: Table) -> np.ndarray:
        """Which values are missing, of attributes where one is in either file."""
        names = [n for n in self.names if self.original.missing(n).any() or masked.missing(n).any()]
        return np.column_stack([np.zeros(table.n), *(table.missing(name) for name in names)])[:, 1:]


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
