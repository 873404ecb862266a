"""Interval disclosure: how often the original value is close to the masked one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from sfumato.attacks.linkage.interval_chances import IntervalChances
from sfumato.attacks.linkage.intervals import Intervals, IntervalScale, share_of
from sfumato.core import Aliases, ParameterError, param
from sfumato.data import Schema, Table
from sfumato.measures._contract import Bound, Files, Judged, Measure, StatisticBound
from sfumato.measures.statistics.contract import BoundStatistic, Part, Statistic
from sfumato.measures.statistics.ranks import RankFiles, Ranks
from sfumato.measures.statistics.record_sums import Reader, RecordSums
from sfumato.measures.statistics.spreads import CategoryCounts, Extremes, Range, Spreads, Units

ROUNDING = 1e-9  # of a percentage; what lies nearer to 100 is taken to be there


class IntervalDisclosure(Measure):
    """ID = 100 · share of original values that lie in an interval of ±p % around the masked value.

    Averaged over p = 1, 2, … `percent` (or for p = `percent` alone if not `averaged`), then over
    attributes; from 0 to 100. p % is meant of
    `rank`: the number of original values: their ranks differ by no more than that. Tied values share the
    middle of their positions.
    `sd`: the standard deviation of the original attribute.
    `relative`: the original value, raw or (`standardised`) as its deviation from the mean. Balasch writes
    of ±10 % alone: `interval="relative", averaged=False`.
    `scaled`: the original value less the smallest one, that is, the value on a scale from 0 to 1. Balasch's tables
    agree with the mean of 1 to 10 % of it.
    A value on the edge of the interval is inside.

    Categories have no other intervals than ranks: that of an ordinal one is the middle of its records, and
    a nominal one is disclosed where it is unchanged. A recoded category counts as a uniform draw from those
    it covers: it discloses a nominal value by 1 / |covered|, an ordinal one by the share that is close.
    A value that is missing on one side only is not disclosed; missing on both sides it is not counted.
    `per_record` asks for all attributes of the record at once, for each p; draws are then independent.
    With `weighted`, disclosed and counted records are summed by weight; ranks stay those of the file.
    The parts are the disclosure of each attribute, unless `per_record`.

    With `ranks="masked"` a rank interval of numbers is what an intruder sees who has the masked file alone: from the
    masked value p % of the records below to that p % above, in the order of the masked file (equal values in the order
    of their records), cut at its ends. An original beyond all masked values is never inside. Fayyoumi's measure is
    `ranks="masked", per_record=True`. Categories keep the ranks of the original.

    With `above_chance` the value is 100 · max(0, (ID − chance) / (1 − chance)), where chance is what whole released
    records given to random people would disclose: the mean over all pairs of an original and a released record. 0
    then means that a released value says no more about its own person than about anybody, 100 is unchanged; it
    does not see values that are farther away than chance would have them, which tell something as well. Parts may lie
    below 0.

    Source: Marés, *thesis*, §2.4.2, after Domingo-Ferrer & Torra (2001); sd intervals after Mateo-Sanz,
    Sebé & Domingo-Ferrer (2004); per record and masked ranks, Fayyoumi, *thesis*, §2.4.1 and §4.4; relative, Balasch, *thesis*, §3.3.

    >>> from sfumato.data import Attribute, Schema
    >>> x = Attribute(name="x", scale="numeric", role="key")
    >>> original = Table(Schema([x]), {"x": np.arange(100.0)})
    >>> masked = original.replace({"x": original["x"] + 4})  # 4 ranks off: inside for p = 4 to 10
    >>> round(IntervalDisclosure().bind(original).score(masked).value, 2)  # the last 4 pass the end, and are nearer
    70.6
    >>> IntervalDisclosure(interval="relative", averaged=False).bind(original).score(masked).value
    60.0
    >>> round(IntervalDisclosure(ranks="masked").bind(original).score(masked).value, 2)  # the first 4 lie below all
    67.2
    """

    aliases: ClassVar[Aliases] = {"ID": {}}

    sense = "risk"

    percent: int = param(default=10, low=1, high=100, help="widest interval, in percent")
    interval: str = param(
        default="rank",
        choices=("rank", "sd", "relative", "scaled"),
        help="what the percents of numbers are taken of",
    )
    ranks: str = param(
        default="original", choices=("original", "masked"), help="the file in whose order ranks are counted"
    )
    averaged: bool = param(default=True, help="average over 1, 2, … percent, or take the widest alone")
    standardised: bool = param(
        default=False, help="relative intervals of deviations from the mean, not of values"
    )
    per_record: bool = param(default=False, help="count a record only where all attributes are inside")

    above_chance: bool = param(
        default=False,
        help="count what is disclosed beyond what records given to random people would disclose",
    )

    def check(self) -> None:
        """Only relative intervals depend on where zero is; chance is that of attributes, not of records."""
        if self.standardised and self.interval != "relative":
            raise ParameterError(f"{self.name}: standardised goes with interval = relative only.")
        if self.ranks == "masked" and self.interval != "rank":
            raise ParameterError(f"{self.name}: ranks = masked goes with interval = rank only.")
        if self.above_chance and self.ranks == "masked":
            raise ParameterError(f"{self.name}: above_chance is by ranks of the original; leave out ranks.")
        if self.above_chance and self.per_record:
            raise ParameterError(f"{self.name}: above_chance is by attribute; leave out per_record.")

    def only_in_memory(self, files: Files) -> str:
        return "above_chance" if self.above_chance else "ranks=masked" if self.ranks == "masked" else ""

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return (Disclosed(replace(self, attributes=files.names, by_stratum=False), files.numeric),)

    def value(self, files: Files, *found: np.ndarray) -> Judged:
        disclosed, counted, *by_chance = found[0].reshape(4 if self.above_chance else 2, -1)
        shares = _shares(disclosed, counted)
        if self.above_chance:
            chances = _shares(*by_chance)
            # attributes that chance discloses nearly always have little to tell, and much noise in it
            room = max(float((100 - chances).sum()), ROUNDING)
            parts = 100 * (shares - chances) / np.maximum(100 - chances, ROUNDING)
            value = max(100 * float((shares - chances).sum()) / room, 0.0)
            return value, dict(zip(files.names, parts.tolist(), strict=True))
        parts = {} if self.per_record else dict(zip(files.names, shares.tolist(), strict=True))
        return float(shares.sum() / len(shares)), parts

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return BoundIntervals(self, original, names)


class BoundIntervals(StatisticBound):
    """The intervals around original values; it also tells how disclosed each record is."""

    @property
    def disclosed(self) -> "BoundDisclosed":
        (found,) = self.bound_statistics
        assert isinstance(found, BoundDisclosed)
        return found

    def per_record(self, masked: Table) -> np.ndarray:
        """How disclosed each record is, from 0 to 1; NaN where all its values are missing on both sides."""
        self.check(masked)
        cells = self.disclosed.cells(self.disclosed.readers_of(masked), masked, np.arange(masked.n))
        if self.disclosed.all_at_once:
            return np.where(np.isnan(cells[:, :, 0]).all(1), np.nan, _all_inside(cells))
        counted = np.count_nonzero(~np.isnan(cells[:, :, 0]), axis=1)
        disclosed = np.nansum(cells[:, :, 0], axis=1)
        return np.where(counted > 0, disclosed / np.maximum(counted, 1), np.nan)


@dataclass(frozen=True)
class Disclosed(Statistic):
    """How much of each attribute, or of the records, is disclosed, then how much of them counts."""

    measure: IntervalDisclosure
    numeric: tuple[str, ...]

    @property
    def weighted(self) -> bool:
        return self.measure.weighted

    @property
    def needs(self) -> tuple[Statistic, ...]:
        categorical = [name for name in self.measure.attributes if name not in self.numeric]
        return (*super().needs, *map(self._of_number, self.numeric), *map(CategoryCounts, categorical))

    def bound(self, original: Part) -> BoundStatistic:
        return (DisclosedAmongMasked if self.measure.ranks == "masked" else BoundDisclosed)(self, original)

    def yardstick(self, original: Part, name: str) -> IntervalScale:
        """What percents of an attribute are taken of."""
        interval, nothing = self.measure.interval, np.empty(0)
        if name not in self.numeric:
            counts = original.known[CategoryCounts(name)]
            below = np.append(0, np.cumsum(counts))
            return IntervalScale(interval, max(int(below[-1]), 1), nothing, below)
        whole = original.known[self._of_number(name)]
        if isinstance(whole, Range):
            return IntervalScale(interval, 1, nothing, nothing, whole.low if whole.low < np.inf else 0.0)
        if isinstance(whole, Units):
            centre, spread = whole.centre.item(), whole.deviation.item()
            return IntervalScale(interval, int(whole.n.item()), nothing, nothing, centre, spread)
        return whole.yardstick() if isinstance(whole, RankFiles) else whole

    def _of_number(self, name: str) -> Statistic:
        if self.measure.interval == "scaled":
            return Extremes(name)
        return Ranks(name) if self.measure.interval == "rank" else Spreads((name,))


class BoundDisclosed(RecordSums):
    """The intervals around original values."""

    def __init__(self, statistic: Disclosed, original: Part) -> None:
        measure = statistic.measure
        super().__init__(statistic, original, measure.attributes, weighted=measure.weighted)
        self.all_at_once = measure.per_record
        percents = range(1 if measure.averaged else measure.percent, measure.percent + 1)
        # a record is inside for some p or not: its attributes are combined for each p before the average
        ranges = [range(p, p + 1) for p in percents] if self.all_at_once else [percents]
        self.credits = [partial(share_of, r) for r in ranges]
        self.intervals = {
            name: Intervals(
                original.table, name, statistic.yardstick(original, name), standardised=measure.standardised
            )
            for name in self.names
        }

        self.chances = (
            {name: IntervalChances(self.intervals[name], percents, self.weights) for name in self.names}
            if measure.above_chance
            else {}
        )

    def readers(self, masked: Schema) -> Mapping[str, Reader]:
        """How disclosed each cell is: one number, or one per interval if all must be inside.

        Two more are what it discloses by chance, and how much of the original it is held against.
        """
        readers = {n: self.intervals[n].reader(masked[n], self.credits) for n in self.names}
        if not self.chances:
            return readers
        return {n: partial(_beside, readers[n], self.chances[n].reader(masked[n])) for n in self.names}

    def terms(self, cells: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """How disclosed each attribute or record is, then whether it counts."""
        counted = ~np.isnan(cells[:, :, 0])
        if self.all_at_once:
            disclosed, counted = _all_inside(cells)[:, None], counted.any(1, keepdims=True)
            disclosed = np.where(counted, disclosed, 0.0)
        else:
            disclosed = np.where(counted, cells[:, :, 0], 0.0)
        terms = np.concatenate([disclosed, counted], axis=1)
        terms = terms if self.weights is None else terms * self.weights[rows, None]
        # chance is that of everybody: the weight of the record that the value stands in plays no part
        return np.concatenate([terms, cells[:, :, 1], cells[:, :, 2]], axis=1) if self.chances else terms


class DisclosedAmongMasked(BoundDisclosed):
    """The same with windows in the order of the masked file: every change may move all of them."""

    def readers_of(self, masked: Table) -> Mapping[str, Reader]:
        numbers = [name for name in self.names if name in self.statistic.numeric]
        among = {n: self.intervals[n].reader_among(masked[n], self.credits) for n in numbers}
        return {**self.readers(masked.schema), **among}

    def follow(self, masked: Table) -> None:
        return None


def _beside(one: Reader, other: Reader, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.concatenate([one(values, rows), other(values, rows)], axis=1)


def _shares(disclosed: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """In percent; 0 where nothing counts."""
    return 100 * np.where(counted > 0, disclosed, 0.0) / np.where(counted > 0, counted, 1.0)


def _all_inside(cells: np.ndarray) -> np.ndarray:
    """The mean over intervals of the chance that all attributes are inside; what is missing twice is."""
    chance: np.ndarray = np.where(np.isnan(cells), 1.0, cells).prod(1).mean(1)
    return chance
