"""Moments, block by block: sums of products and the discrepancies of cells add up."""

from dataclasses import dataclass, replace

import numpy as np

from sfumato.kernels.moments import pair_sums, statistics
from sfumato.large.judging.streamed._contract import Found, Gathered, Judgement, Pair, Statistic, Streamed
from sfumato.large.judging.totals import Totals
from sfumato.measures._moments import Units
from sfumato.measures.moments import BoundData, discrepancies
from sfumato.measures.moments import Moments as Measured


def units_of(totals: Totals, names: tuple[str, ...]) -> Units:
    """The units of the whole original."""
    whole = [totals.original[name] for name in names]
    return Units(np.array([w.centre for w in whole]), np.array([w.spread or 1.0 for w in whole]))


def standardised(pair: Pair, names: tuple[str, ...], *, masked: bool) -> np.ndarray:
    """Rows of the numbers of a block, of the original or masked, in the units of the whole original."""
    table = pair.masked if masked else pair.original
    return units_of(pair.totals, names).standardised(table.numbers(names))


@dataclass(frozen=True)
class PairSums(Gathered):
    """Sums of products of the standardised numbers of one of the files, around its means."""

    names: tuple[str, ...]
    weighted: bool
    masked: bool

    def gather(self, pair: Pair) -> np.ndarray:
        """The sums of a block."""
        z = standardised(pair, self.names, masked=self.masked)
        weights = pair.weights(self.weighted)
        w = np.ones(len(z)) if weights is None else weights
        return pair_sums(z - self.means(pair.totals), w)

    def moments(self, sums: np.ndarray, totals: Totals) -> np.ndarray:
        """Means, variances, covariances and correlations, from the sums of all records."""
        return statistics(sums, self.means(totals))

    def means(self, totals: Totals) -> np.ndarray:
        """The means of the standardised columns, without weights; 0 where nothing is present."""
        units, side = units_of(totals, self.names), totals.masked if self.masked else totals.original
        present = np.array([side[name].n for name in self.names]) > 0
        centre = np.array([side[name].centre for name in self.names])
        return np.where(present, (centre - units.centre) / units.spread, 0.0)


@dataclass(frozen=True)
class CellDiscrepancies(Gathered):
    """The sum of the discrepancies of all cells."""

    measure: Measured

    def gather(self, pair: Pair) -> np.ndarray:
        """The sum of a block."""
        names = self.measure.attributes
        units, weights = units_of(pair.totals, names), pair.weights(self.measure.weighted)
        return BoundData(self.measure, pair.original, names, units, weights).sums(pair.masked)


class Moments(Streamed):
    """The mean variation of data and moments."""

    @property
    def needs(self) -> tuple[Statistic, ...]:
        """The sums of both files, then those of cells."""
        return (
            PairSums(self.names, self.weighted, masked=False),
            PairSums(self.names, self.weighted, masked=True),
            CellDiscrepancies(replace(self.measure, attributes=self.names)),
        )

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Compare the moments."""
        before, after = (PairSums(self.names, self.weighted, masked=masked) for masked in (False, True))
        files = before.moments(found[before], totals), after.moments(found[after], totals)
        data = float(found[self.needs[2]][0]) / (totals.n * len(self.names))
        units = units_of(totals, self.names)
        return Judgement(*discrepancies(self.measure.family, units, data, files))
