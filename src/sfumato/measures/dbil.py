"""DBIL: how far masked categories lie from the original ones."""

import numpy as np

from sfumato.core import param
from sfumato.data import Table
from sfumato.data.coverage import Coverage, coverage_of, original_codes
from sfumato.measures._contract import Files, Judged, Measure, StatisticBound
from sfumato.measures._tracking import Change, Tracker
from sfumato.measures.statistics.contract import Statistic
from sfumato.measures.statistics.joint_counts import Joint, JointCounts

LARGEST_TABLE = 1_000_000  # distances that are looked up and not worked out


class Dbil(Measure):
    """DBIL = 100 · mean over records and attributes of d(original category, masked category).

    Distance-based information loss. Ordinal categories are |difference of ranks| / |D| apart, where |D|
    counts the declared domain; nominal ones 0 or 1. A recoded category counts as a uniform draw from the
    categories it covers. 0 where nothing changed, never above 100. A value that is missing on one side only
    is at distance 1; missing on both sides, at distance 0. Weights make the mean over records a weighted
    one. The parts are the loss of each attribute.

    With `ends` both ends of the way between two ordinal categories count, as eq. 2.6 prints it for a < b: neighbours are
    2 / |D| apart, and the first and the last category 1.

    It does not see whether relations survive: values that moved far from their own record count as lost
    even where every table stays the same.

    Source: Marés, *thesis*, §2.4.1, eq. 2.8 and 2.9, with the distances of eq. 2.6 and 2.7.

    >>> import numpy as np
    >>> from sfumato.data import Attribute, Schema
    >>> size = Attribute(name="size", scale="ordinal", role="key", categories=("S", "M", "L", "XL"))
    >>> original = Table(Schema([size]), {"size": np.array([0, 1, 2, 3])})
    >>> masked = original.replace({"size": np.array([0, 1, 3, 1])})  # moved by 0, 0, 1 and 2 of 4 ranks
    >>> Dbil().bind(original).score(masked).value
    18.75
    """

    sense = "loss"
    scales = ("ordinal", "nominal")

    ends: bool = param(default=False, help="count both ends of the way between ordinal categories (eq. 2.6)")

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return tuple(JointCounts(name, self.weighted) for name in files.names)

    def value(self, files: Files, *found: Joint) -> Judged:
        parts = {}
        for name, pairs in zip(files.names, found, strict=True):
            reading = files.reading(name)
            apart = _apart(reading, reading.of(pairs.masked), pairs.original, ends=self.ends)
            parts[name] = 100 * float(pairs.counts @ apart) / files.n
        return sum(parts.values()) / len(parts), parts

    def tracker(self, bound: StatisticBound, masked: Table) -> Tracker:
        return _DbilTracker(bound, masked)


class _DbilTracker(Tracker):
    def __init__(self, bound: StatisticBound, masked: Table) -> None:
        super().__init__(bound.score(masked).value)
        original = bound.original
        self.weights = bound.weights
        self.scale = 100 / (masked.n * len(bound.names))
        self.masked = {name: masked[name].copy() for name in bound.names}
        self.original = {name: original[name] for name in bound.names}
        ends = bound.measure.ends  # type: ignore[attr-defined]
        self.distances = {
            name: _Distances(coverage_of(original.schema[name], masked.schema[name]), ends=ends)
            for name in bound.names
        }
        self.pending: Change | None = None

    def propose(self, change: Change) -> float:
        self.pending, farther = change, 0.0
        for name in change.columns:
            if name in self.masked:
                was, now = self.masked[name][change.rows], np.asarray(change.columns[name]).astype(np.int64)
                at, of = self.original[name][change.rows], self.distances[name]
                apart = of(now, at) - of(was, at)
                farther += float(apart.sum() if self.weights is None else apart @ self.weights[change.rows])
        return self.value + self.scale * farther

    def commit(self) -> None:
        assert self.pending is not None
        for name, values in self.pending.columns.items():
            if name in self.masked:
                self.masked[name][self.pending.rows] = values


class _Distances:
    """Distances of masked and original codes, from a table where it is small enough."""

    def __init__(self, reading: Coverage, *, ends: bool) -> None:
        self.reading, self.ends = reading, ends
        self.table: np.ndarray | None = None
        masked, original = len(reading.readings), reading.size + 1
        if masked * original <= LARGEST_TABLE:  # missing, −1, is the last row and the last column
            a, b = np.divmod(np.arange(masked * original), original)
            b = np.where(b == original - 1, -1, b)
            self.table = _apart(reading, reading.readings[a], b, ends=ends).reshape(masked, original)

    def __call__(self, masked: np.ndarray, original: np.ndarray) -> np.ndarray:
        if self.table is not None:
            apart: np.ndarray = self.table[masked, original]
            return apart
        return _apart(self.reading, self.reading.of(masked), original_codes(original), ends=self.ends)


def _apart(reading: Coverage, masked: np.ndarray, original: np.ndarray, *, ends: bool) -> np.ndarray:
    apart = reading.distances(masked, original)
    if ends and reading.ordinal:
        known = (masked >= 0) & (original >= 0)
        apart += np.where(known, reading.drawn(np.not_equal, masked, original) / reading.span, 0.0)
    return apart
