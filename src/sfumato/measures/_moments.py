"""Means, variances, covariances and correlations of masked numbers, in full and kept up to date."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sfumato.data import Table
from sfumato.kernels.moments import pair_sums, replace_rows, statistics, trusted
from sfumato.kernels.spread import centre_and_spread

DRIFT = 1e-13  # how much of a variance may be rounding before the sums are made anew


class Units(NamedTuple):
    """The mean and standard deviation of each original attribute: the units that statistics are kept in."""

    centre: np.ndarray
    spread: np.ndarray

    def standardised(self, values: np.ndarray) -> np.ndarray:
        """Rows of raw values in these units."""
        z: np.ndarray = (values - self.centre) / self.spread
        return z


def units_of(original: Table, names: tuple[str, ...]) -> Units:
    """The units of some attributes; a constant is only centred."""
    found = [centre_and_spread(original[name]) for name in names]
    return Units(np.array([c for c, _ in found]), np.array([spread or 1.0 for _, spread in found]))


def centred_sums(z: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The pair sums of standardised rows around their own means, and those means.

    Deviations from the file's own mean keep their digits wherever the masking has moved it.
    """
    counts = np.maximum(np.count_nonzero(~np.isnan(z), axis=0), 1)
    means = np.nansum(z, axis=0) / counts
    w = np.ones(len(z)) if weights is None else weights
    return pair_sums(z - means, w), means


def moments(z: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """The statistics of `kernels.moments.statistics` for standardised rows, pairwise complete."""
    return statistics(*centred_sums(z, weights))


class RunningMoments:
    """The same statistics while rows change. Only `commit` changes what was kept."""

    def __init__(self, units: Units, values: np.ndarray) -> None:
        self.units = units
        self.values = values.copy()
        self._start(units.standardised(self.values))

    def _start(self, z: np.ndarray) -> None:
        self.sums, self.centre = centred_sums(z, None)
        self.rounding = np.zeros(z.shape[1])  # bounds of the error of each sum of squares
        self.statistics = statistics(self.sums, self.centre)

    def propose(self, rows: np.ndarray, columns: Mapping[int, np.ndarray]) -> np.ndarray:
        """The statistics after new values for some columns of some rows."""
        old = self.values[rows]
        new = old.copy()
        for j, values in columns.items():
            new[:, j] = values
        self.pending = rows, new
        sums, rounding, centre = self.sums.copy(), self.rounding.copy(), self.centre
        before, after = self.units.standardised(old) - centre, self.units.standardised(new) - centre
        replace_rows(sums, rounding, before, after)
        if not trusted(sums, rounding, DRIFT):
            values = self.values.copy()
            values[rows] = new
            sums, centre = centred_sums(self.units.standardised(values), None)
            rounding = np.zeros_like(rounding)
        found = statistics(sums, centre)
        self.proposed = sums, centre, rounding, found
        return found

    def commit(self) -> None:
        """Make the change that was proposed last."""
        rows, new = self.pending
        self.values[rows] = new
        self.sums, self.centre, self.rounding, self.statistics = self.proposed
