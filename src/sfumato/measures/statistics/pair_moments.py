"""Means, variances, covariances and correlations of standardised numbers: taken, joined and moved along."""

from typing import NamedTuple

import numpy as np

from sfumato.data import Table
from sfumato.kernels.moments import pair_sums, replace_rows, statistics, trusted
from sfumato.measures._tracking import Change
from sfumato.measures.statistics.contract import BoundStatistic, Moved, OfEither, Part, Statistic
from sfumato.measures.statistics.spreads import Spreads, Units

DRIFT = 1e-13  # how much of a variance may be rounding before the sums are made anew


class PairSums(NamedTuple):
    """The sums of `kernels.moments.pair_sums` around some centres."""

    sums: np.ndarray
    centre: np.ndarray

    def moments(self) -> np.ndarray:
        """The statistics of `kernels.moments.statistics`, pairwise complete."""
        return statistics(self.sums, self.centre)

    def around(self, centre: np.ndarray) -> "PairSums":
        weight, linear, squares, products = self.sums
        by = (centre - self.centre)[:, None]  # of the first of each pair; of the second, transposed
        shifted = (
            weight,
            linear - by * weight,
            squares - 2 * by * linear + by * by * weight,
            products - by.T * linear - by * linear.T + by * by.T * weight,
        )
        return PairSums(np.array(shifted), centre)

    def joined(self, other: "PairSums") -> "PairSums":
        """Those of two parts, around the mean of all."""
        n, more = (np.diag(one.sums[0]) for one in (self, other))
        share = more / np.where(n + more > 0, n + more, 1.0)
        centre = (1 - share) * self.centre + share * other.centre
        return PairSums(self.around(centre).sums + other.around(centre).sums, centre)


def centred_sums(z: np.ndarray, weights: np.ndarray | None) -> PairSums:
    """The pair sums of standardised rows around their own means.

    Deviations from the file's own mean keep their digits wherever the masking has moved it.
    """
    counts = np.maximum(np.count_nonzero(~np.isnan(z), axis=0), 1)
    means = np.nansum(z, axis=0) / counts
    w = np.ones(len(z)) if weights is None else weights
    return PairSums(pair_sums(z - means, w), means)


class OfNumbers(OfEither):
    """A statistic of standardised numbers."""

    @property
    def needs(self) -> tuple[Statistic, ...]:
        """The units, which are those of the original."""
        return (*super().needs, Spreads(self.names))

    def standardised(self, original: Part, masked: Table) -> np.ndarray:
        return standardised(original, self.table(original, masked), self.names)


class PairMoments(OfNumbers):
    """The pair sums of the standardised numbers of one of the files."""

    def bound(self, original: Part) -> BoundStatistic:
        """That can be moved along, where records count alike."""
        return _BoundMoments(self, original)

    def take(self, original: Part, masked: Table) -> PairSums:
        """Around the means of the table."""
        return centred_sums(self.standardised(original, masked), original.weights(self.weighted))


class _BoundMoments(BoundStatistic):
    def follow(self, masked: Table) -> "MovedMoments | None":
        """Keep the sums; those of weighted files are taken anew."""
        named: PairMoments = self.statistic
        if named.weighted:
            return None
        return MovedMoments(self.original.known[Spreads(named.names)], named.names, masked)


def standardised(original: Part, table: Table, names: tuple[str, ...]) -> np.ndarray:
    """Rows of the numbers of a table, in the units of the whole original."""
    units: Units = original.known[Spreads(names)]
    return units.standardised(table.numbers(names))


class MovedMoments(Moved):
    """Pair sums while rows change. Only `commit` changes what was kept."""

    now: PairSums

    def __init__(self, units: Units, names: tuple[str, ...], masked: Table) -> None:
        self.units, self.place = units, {name: j for j, name in enumerate(names)}
        self.values = masked.numbers(names).copy()
        self.now = centred_sums(units.standardised(self.values), None)
        self.rounding = np.zeros(len(names))  # bounds of the error of each sum of squares

    def propose(self, change: Change) -> PairSums:
        old = self.values[change.rows]
        new = old.copy()
        for name, values in change.columns.items():
            if name in self.place:
                new[:, self.place[name]] = values
        (sums, centre), rounding = self.now, self.rounding.copy()
        sums = sums.copy()
        before, after = self.units.standardised(old) - centre, self.units.standardised(new) - centre
        replace_rows(sums, rounding, before, after)
        found = PairSums(sums, centre)
        if not trusted(sums, rounding, DRIFT):
            values = self.values.copy()
            values[change.rows] = new
            found, rounding = centred_sums(self.units.standardised(values), None), np.zeros_like(rounding)
        self.pending = change.rows, new, found, rounding
        return found

    def commit(self) -> None:
        rows, new, self.now, self.rounding = self.pending
        self.values[rows] = new
