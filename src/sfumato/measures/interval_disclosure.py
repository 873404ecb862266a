"""Interval disclosure: how often the original value is close to the masked one."""

from collections.abc import Mapping
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from sfumato.attacks._intervals import Intervals, IntervalScale, interval_scale, share_of
from sfumato.core import ParameterError, param
from sfumato.data import Table
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._records import Reader, RecordwiseBound


class IntervalDisclosure(Measure):
    """ID = 100 · share of original values that lie in an interval of ±p % around the masked value.

    Averaged over p = 1, 2, … `percent` (or for p = `percent` alone if not `averaged`), then over
    attributes; from 0 to 100. p % is meant of
    `rank`: the number of original values: their ranks differ by no more than that. Tied values share the
    middle of their positions.
    `sd`: the standard deviation of the original attribute.
    `relative`: the original value, raw or (`standardised`) as its deviation from the mean. Balasch takes
    ±10 % alone: `interval="relative", averaged=False`.
    A value on the edge of the interval is inside.

    Categories have no other intervals than ranks: that of an ordinal one is the middle of its records, and
    a nominal one is disclosed where it is unchanged. A recoded category counts as a uniform draw from those
    it covers: it discloses a nominal value by 1 / |covered|, an ordinal one by the share that is close.
    A value that is missing on one side only is not disclosed; missing on both sides it is not counted.
    `per_record` asks for all attributes of the record at once, for each p; draws are then independent.
    With `weighted`, disclosed and counted records are summed by weight; ranks stay those of the file.
    The parts are the disclosure of each attribute, unless `per_record`.

    Source: Marés, *thesis*, §2.4.2, after Domingo-Ferrer & Torra (2001); sd intervals after Mateo-Sanz,
    Sebé & Domingo-Ferrer (2004); per record, Fayyoumi, *thesis*, §4.4; relative, Balasch, *thesis*, §3.3.

    >>> from sfumato.data import Attribute, Schema
    >>> x = Attribute(name="x", scale="numeric", role="key")
    >>> original = Table(Schema([x]), {"x": np.arange(100.0)})
    >>> masked = original.replace({"x": original["x"] + 4})  # 4 ranks off: inside for p = 4 to 10
    >>> round(IntervalDisclosure().bind(original).score(masked).value, 2)  # the last 4 pass the end, and are nearer
    70.6
    >>> IntervalDisclosure(interval="relative", averaged=False).bind(original).score(masked).value
    60.0
    """

    sense: ClassVar[Literal["loss", "risk"]] = "risk"

    percent: int = param(default=10, low=1, high=100, help="widest interval, in percent")
    interval: str = param(
        default="rank", choices=("rank", "sd", "relative"), help="what the percents of numbers are taken of"
    )
    averaged: bool = param(default=True, help="average over 1, 2, … percent, or take the widest alone")
    standardised: bool = param(
        default=False, help="relative intervals of deviations from the mean, not of values"
    )
    per_record: bool = param(default=False, help="count a record only where all attributes are inside")

    def check(self) -> None:
        """Only relative intervals depend on where zero is."""
        if self.standardised and self.interval != "relative":
            raise ParameterError(f"{self.name}: standardised goes with interval = relative only.")

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Sort the values and rank the categories."""
        return BoundIntervals(self, original, names)


class BoundIntervals(RecordwiseBound):
    """The intervals around original values."""

    def __init__(
        self,
        measure: IntervalDisclosure,
        original: Table,
        names: tuple[str, ...],
        weights: np.ndarray | None = None,
        yardsticks: Mapping[str, IntervalScale] | None = None,
    ) -> None:
        super().__init__(measure, original, names, weights)
        self.all_at_once = measure.per_record
        percents = range(1 if measure.averaged else measure.percent, measure.percent + 1)
        # a record is inside for some p or not: its attributes are combined for each p before the average
        ranges = [range(p, p + 1) for p in percents] if self.all_at_once else [percents]
        self.credits = [partial(share_of, r) for r in ranges]
        whole = yardsticks or {name: interval_scale(original, name, measure.interval) for name in names}
        self.intervals = {
            name: Intervals(original, name, whole[name], standardised=measure.standardised) for name in names
        }

    def readers(self, masked: Table) -> Mapping[str, Reader]:
        """How disclosed each cell is: one number, or one per interval if all must be inside."""
        return {n: self.intervals[n].reader(masked.schema[n], self.credits) for n in self.names}

    def terms(self, cells: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """How disclosed each attribute or record is, then whether it counts."""
        counted = ~np.isnan(cells[:, :, 0])
        if self.all_at_once:
            disclosed, counted = _all_inside(cells)[:, None], counted.any(1, keepdims=True)
            disclosed = np.where(counted, disclosed, 0.0)
        else:
            disclosed = np.where(counted, cells[:, :, 0], 0.0)
        terms = np.concatenate([disclosed, counted], axis=1)
        return terms if self.weights is None else terms * self.weights[rows, None]

    def summary(self, sums: np.ndarray) -> tuple[float, dict[str, float]]:
        """The share of what counts that is disclosed."""
        return disclosed_share(sums, () if self.all_at_once else self.names)

    def per_record(self, masked: Table) -> np.ndarray:
        """How disclosed each record is, from 0 to 1; NaN where all its values are missing on both sides."""
        self._check(masked)
        cells = self.cells(self.readers(masked), masked, np.arange(masked.n))
        if self.all_at_once:
            return np.where(np.isnan(cells[:, :, 0]).all(1), np.nan, _all_inside(cells))
        counted = np.count_nonzero(~np.isnan(cells[:, :, 0]), axis=1)
        disclosed = np.nansum(cells[:, :, 0], axis=1)
        return np.where(counted > 0, disclosed / np.maximum(counted, 1), np.nan)


def disclosed_share(sums: np.ndarray, names: tuple[str, ...]) -> tuple[float, dict[str, float]]:
    """The value, and the parts of the names, from what is disclosed and what counts."""
    disclosed, counted = sums.reshape(2, -1)
    shares = 100 * np.where(counted > 0, disclosed, 0.0) / np.where(counted > 0, counted, 1.0)
    parts = dict(zip(names, shares.tolist(), strict=True)) if names else {}
    return float(shares.sum() / len(shares)), parts


def _all_inside(cells: np.ndarray) -> np.ndarray:
    """The mean over intervals of the chance that all attributes are inside; what is missing twice is."""
    chance: np.ndarray = np.where(np.isnan(cells), 1.0, cells).prod(1).mean(1)
    return chance
