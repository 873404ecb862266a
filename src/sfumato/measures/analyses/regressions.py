"""Regressions: each column on others, and how far confidence intervals of the coefficients overlap."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sfumato.data import Table
from sfumato.kernels.single_thread import one_thread
from sfumato.measures._design import Design
from sfumato.measures.analyses.contract import Kind, record_weights, sampled

MOST_RECORDS = 5_000  # in a census every difference would be significant
MOST_INDICATORS = 6  # of a nominal column
Z = 1.96
FARTHEST = 4.0  # standard deviations; what lies beyond counts as so many
RIDGE = 1e-4  # of a variance; keeps sums among the columns from having any coefficients they like
SURE = 1e-6  # the least standard error, where all is explained


class Fit(NamedTuple):
    """Coefficients of one regression, a column for each indicator explained, and their standard errors."""

    slopes: np.ndarray
    errors: np.ndarray


class Regressions(Kind):
    """1 − overlap of the 95 % intervals of each coefficient, averaged over the categories of nominal columns.

    The overlap of two intervals is the mean of the shares of each that lies in the other (Karr et al., 2006).
    Columns are as in `Design`, of a nominal one the five categories after the most frequent, which they are
    compared with; values beyond four standard deviations count as four. Standard errors are robust (White, 1980), so
    they hold for skewed numbers and for survey weights, by which records count. Of a large file 5,000 records are
    taken: in a census every difference would be significant. Each item is the column explained, then those that
    explain it.
    """

    def __init__(self, original: Table, items: Sequence[tuple[str, ...]]) -> None:
        self.names = tuple(dict.fromkeys(name for item in items for name in item))
        self.about = tuple((item[0], other) for item in items for other in item[1:])
        original = sampled(original, MOST_RECORDS)
        self.design = Design(original, self.names, record_weights(original))
        owner = self.design.owner
        within = np.arange(len(owner)) - np.searchsorted(owner, owner)
        alone = np.bincount(owner, minlength=len(self.names))[owner] == 1
        self.used = ((within > 0) & (within < MOST_INDICATORS)) | alone
        place = {name: at for at, name in enumerate(self.names)}
        self.explained = [self.used & (owner == place[item[0]]) for item in items]
        self.others = [np.array([place[name] for name in item[1:]]) for item in items]
        self.explaining = [self.used & np.isin(owner, others) for others in self.others]
        self.fits = self._fitted(original)

    def distances(self, table: Table) -> np.ndarray:
        fits = self._fitted(sampled(table, MOST_RECORDS))
        found = []
        for old, new, explaining, others in zip(self.fits, fits, self.explaining, self.others, strict=True):
            owner = self.design.owner[explaining]
            apart = _apart(old, new) if old.slopes.size else np.zeros(len(owner))
            sums = np.bincount(owner, apart, minlength=len(self.names))
            found.append((sums / np.maximum(np.bincount(owner, minlength=len(self.names)), 1))[others])
        return np.concatenate(found)

    def _fitted(self, table: Table) -> list[Fit]:
        columns = self.design.matrix(table).clip(-FARTHEST, FARTHEST)
        weights = record_weights(table)
        shares = np.full(table.n, 1 / table.n) if weights is None else weights / weights.sum()
        with one_thread():
            columns -= shares @ columns
            covariances = columns.T @ (columns * shares[:, None])
            return [
                _fit(columns, covariances, shares, explained, explaining)
                for explained, explaining in zip(self.explained, self.explaining, strict=True)
            ]


def _fit(
    columns: np.ndarray,
    covariances: np.ndarray,
    shares: np.ndarray,
    explained: np.ndarray,
    explaining: np.ndarray,
) -> Fit:
    """Weighted least squares; the standard errors are those of White's sandwich."""
    if not explained.any() or not explaining.any():
        return Fit(np.empty((0, 0)), np.empty((0, 0)))
    own = covariances[np.ix_(explaining, explaining)]
    inverse = np.linalg.inv(own + np.diag(RIDGE * np.maximum(np.diag(own), 1.0)))
    slopes = inverse @ covariances[np.ix_(explaining, explained)]
    left = columns[:, explained] - columns[:, explaining] @ slopes
    pull = columns[:, explaining] @ inverse
    errors = np.sqrt(np.square(pull).T @ np.square(left * shares[:, None]))
    return Fit(slopes, np.maximum(errors, SURE))


def _apart(old: Fit, new: Fit) -> np.ndarray:
    """For each column that explains, the mean over what it explains."""
    low = np.maximum(old.slopes - Z * old.errors, new.slopes - Z * new.errors)
    high = np.minimum(old.slopes + Z * old.errors, new.slopes + Z * new.errors)
    shared = np.maximum(high - low, 0.0)
    overlap = shared / (4 * Z * old.errors) + shared / (4 * Z * new.errors)
    mean: np.ndarray = 1.0 - np.minimum(overlap, 1.0).mean(axis=1)
    return mean


def on_all_others(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Each column explained by all others.

    >>> on_all_others(["a", "b", "c"])[1]
    ('b', 'a', 'c')
    """
    return [(name, *(other for other in names if other != name)) for name in names]
