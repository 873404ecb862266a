"""Interval disclosure, block by block: ranks and spreads are those of the whole original."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sfumato.attacks._intervals import IntervalScale
from sfumato.large.judging.streamed._contract import Found, Gathered, Judgement, Pair, Statistic, Streamed
from sfumato.large.judging.totals import Totals
from sfumato.measures.interval_disclosure import BoundIntervals, disclosed_share
from sfumato.measures.interval_disclosure import IntervalDisclosure as Measured


@dataclass(frozen=True)
class Disclosed(Gathered):
    """How many values, or records, are disclosed, and how many count."""

    measure: Measured
    numeric: tuple[str, ...]

    @property
    def ranked(self) -> tuple[str, ...]:
        """Numbers, where intervals are those of ranks."""
        return self.numeric if self.measure.interval == "rank" else ()

    def gather(self, pair: Pair) -> np.ndarray:
        """The sums of a block."""
        measure, names = self.measure, self.measure.attributes
        weights = pair.weights(measure.weighted)
        bound = BoundIntervals(measure, pair.original, names, weights, self._yardsticks(pair))
        rows = np.arange(pair.original.n)
        sums: np.ndarray = bound.terms(bound.cells(bound.readers(pair.masked), pair.masked, rows), rows).sum(
            0
        )
        return sums

    def _yardsticks(self, pair: Pair) -> Mapping[str, IntervalScale]:
        return {
            name: pair.ranks[name].yardstick() if name in self.ranked else self._counted(pair.totals, name)
            for name in self.measure.attributes
        }

    def _counted(self, totals: Totals, name: str) -> IntervalScale:
        interval, nothing = self.measure.interval, np.empty(0)
        if name in self.numeric:
            whole = totals.original[name]
            return IntervalScale(interval, int(whole.n), nothing, nothing, whole.centre, whole.spread)
        counts = totals.categories[name][:-1]
        return IntervalScale(interval, max(int(counts.sum()), 1), nothing, np.append(0, np.cumsum(counts)))


class IntervalDisclosure(Streamed):
    """The share of original values that lie close to the masked ones."""

    @property
    def needs(self) -> tuple[Statistic, ...]:
        """One column at a time, so that one is mapped at a time; all at once where they are judged so."""
        sets = [self.names] if self.measure.per_record else [(name,) for name in self.names]
        numeric = [tuple(name for name in names if self.subject.original[name].is_numeric) for names in sets]
        return tuple(
            Disclosed(replace(self.measure, attributes=names), numbers)
            for names, numbers in zip(sets, numeric, strict=True)
        )

    def finish(self, found: Found, totals: Totals) -> Judgement:
        """Divide what is disclosed by what counts."""
        sums = np.array([found[need] for need in self.needs])
        return Judgement(*disclosed_share(sums.T, () if self.measure.per_record else self.names))
