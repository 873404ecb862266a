"""What every measure does: learn the original once, then judge many masked versions of it."""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from sfumato.core import DataError, Method, param, registry
from sfumato.data import SCALES, Role, Scale, Schema, Table
from sfumato.data.coverage import Coverage, coverage_of
from sfumato.data.declarations import known_columns
from sfumato.measures._scores import Score, mean_score
from sfumato.measures._tracking import RecomputingTracker, StatisticTracker, Tracker
from sfumato.measures.statistics.contract import (
    MeanWeight,
    Part,
    Statistic,
    checked_weights,
    unusable_weights,
    with_needs,
)

Judged = tuple[float, dict[str, float]]
"""A value and the parts it was made of."""
Outside = Literal["unused", "useful", "needed"]
"""What a measure does with people who are not in the file."""
SUMMARIES = ("information_loss", "disclosure_risk")


@dataclass(frozen=True)
class Files:
    """What a measure judges: the columns, how both files declare them, and how many records there are."""

    names: tuple[str, ...]
    original: Schema
    masked: Schema
    n: int

    @cached_property
    def numeric(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if self.original[name].is_numeric)

    @cached_property
    def categorical(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if not self.original[name].is_numeric)

    def reading(self, name: str) -> Coverage:
        """What the masked categories of a column say about the original ones."""
        return coverage_of(self.original[name], self.masked[name])


class Bound(ABC):
    """A measure that knows the original. A subclass keeps what it needs and writes `judge`."""

    def __init__(self, measure: "Measure", original: Table, names: tuple[str, ...]) -> None:
        self.measure, self.original, self.names = measure, original, names
        self.weights = survey_weights(original, measure.name) if measure.weighs(original.schema) else None
        self.needed_columns = measure.columns(original.schema, names)

    @abstractmethod
    def judge(self, masked: Table) -> Judged:
        """The value and its parts, for a masked table that fits the original."""

    def track(self, masked: Table) -> Tracker:
        """Follow the value while the masked table changes, as the measure can; else judge each change anew."""
        self.check(masked)
        found = self.measure.tracker(self, masked) if masked.n else None
        return found or RecomputingTracker(self, masked)

    def score(self, masked: Table) -> Score:
        """Judge a masked version of the original: same records, in the same order."""
        start = time.perf_counter()
        self.check(masked)
        value, parts = self.judge(masked) if masked.n else (0.0, {})
        seconds = time.perf_counter() - start
        return Score(measure=self.measure.name, value=value, parts=parts, seconds=seconds)

    def pooled(self, scores: Sequence[Score]) -> Score:
        """One score of several, each of another release of such people."""
        return mean_score(scores)

    def check(self, masked: Table) -> None:
        """Refuse a file that is no masked version of the original."""
        if self.measure.aligned and masked.n != self.original.n:
            raise DataError(
                f"{self.measure.name}: the masked file must hold the records of the original in the same order. "
                f"Got {masked.n} records where the original has {self.original.n}."
            )
        self.measure.check_masked(self.original.schema, masked.schema, self.needed_columns)


class StatisticBound(Bound):
    """A measure of statistics, those of the original taken once."""

    def __init__(self, measure: "Measure", original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.files = Files(names, original.schema, original.schema, original.n)
        self.statistics = measure.statistics(self.files)
        part = Part(original, self.weights, {MeanWeight(): None})  # the weights are scaled already
        for one in with_needs(self.statistics):
            if one.of_original and one not in part.known:
                part.known[one] = one.bound(part).take(original)
        self.known = part.known
        self.bound_statistics = [None if one.of_original else one.bound(part) for one in self.statistics]

    def judge(self, masked: Table) -> Judged:
        found = [
            self.known[named] if one is None else one.take(masked)
            for named, one in zip(self.statistics, self.bound_statistics, strict=True)
        ]
        return self.measure.value(self.files_of(masked.schema), *found)

    def files_of(self, masked: Schema) -> Files:
        return Files(self.names, self.original.schema, masked, self.original.n)


class Measure(Method, ABC):
    """A measure of information loss, of disclosure risk, or a score of both.

    A subclass names its `statistics` and writes the `value` of them: it then judges tables in memory, files
    from disk, and, where the statistics can be moved along, tables that change. A measure that needs all
    records at once says that it is not `joinable`, and writes `bound` alone.

    Values are percents, 0 is best, and no value of a `bounded` measure is above 100. A measure whose work
    grows much faster than the file says up to how many records it is `quick`; beyond, it is used where it
    is asked for by name. So is one that tells nothing of its own without columns of some `roles`, where there are none.

    A measure that does not ask which released record is whose is not `aligned`: it takes any number of records.
    `outside` says whether it compares the people of the original with others of the same population, whom the release
    never saw: it may do without them, or they are needed. Such a measure writes `bound_beside`. The few `headline`
    measures make up the verdict on a release. What a measure `from_sample` says of a sample of a large file, masked by
    itself, is no better than what holds for all.
    """

    registered_in: ClassVar[str] = "measures"
    noun: ClassVar[str] = "a measure such as pil or ctbil(dimension=3)"
    sense: ClassVar[Literal["loss", "risk", "score"]]
    scales: ClassVar[tuple[Scale, ...]] = SCALES
    bounded: ClassVar[bool] = True
    quick: ClassVar[int] = 10_000_000
    roles: ClassVar[tuple[Role, ...]] = ()
    joinable: ClassVar[bool] = True
    aligned: ClassVar[bool] = True
    outside: ClassVar[Outside] = "unused"
    headline: ClassVar[bool] = False
    from_sample: ClassVar[bool] = False

    attributes: tuple[str, ...] = param(
        default=(), help="columns to judge (default: the key attributes it can take)"
    )
    scenario: str = param(
        default="", help="judge what the intruder of this scenario of the schema knows, in place of the keys"
    )
    weighted: bool = param(default=False, help="count each record by its survey weight")
    by_stratum: bool = param(default=False, help="judge each stratum by itself, and average by its records")

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        """The statistics it is made of; the masked file is not known yet."""
        raise NotImplementedError

    def value(self, files: Files, *found: Any) -> Judged:
        """The value and its parts, from the statistics in the order in which they were named."""
        raise NotImplementedError

    def only_in_memory(self, files: Files) -> str:
        """Which of its parameters needs all records at once, in words of the command line; empty if none."""
        return ""

    def columns(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
        """The columns it looks at: those it judges, unless a subclass needs others as well."""
        return names

    def tells(self, schema: Schema) -> bool:
        """Whether it has something of its own to say of a file: there are columns of its roles."""
        return all(map(schema.with_role, self.roles))

    def weighs(self, schema: Schema) -> bool:
        """Whether records count by a survey weight; a measure may do so wherever one is declared."""
        return self.weighted

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Do the costly work on the original once."""
        return StatisticBound(self, original, names)

    def bound_beside(self, original: Table, outside: Table | None, names: tuple[str, ...]) -> Bound:
        """The same with people outside; a measure that has no use for them does not look at them."""
        return self.bound(original, names)

    def tracker(self, bound: Any, masked: Table) -> Tracker | None:
        """Follows the value while a masked table changes; a subclass may know a quicker one, or none."""
        if not isinstance(bound, StatisticBound):
            return None
        moved = [None if one is None else one.follow(masked) for one in bound.bound_statistics]
        if any(m is None for m, one in zip(moved, bound.bound_statistics, strict=True) if one is not None):
            return None
        return StatisticTracker(bound, masked, moved)

    def bind(self, original: Table, outside: Table | None = None) -> Bound:
        """The measure, ready to judge masked versions of this table; `outside` are people who are not in it."""
        names = self.judged(original)
        if outside is None and self.outside == "needed":
            raise DataError(
                f"{self.name} compares the people in the file with others of the same population: "
                "give a file of such people (--outside), or let the job be rehearsed."
            )
        if not self.by_stratum:
            return self.bound_beside(original, outside, names)
        self.check_strata(original.schema)
        return StratifiedBound(self, original, names)

    def judged(self, original: Table) -> tuple[str, ...]:
        """The attributes it judges, checked: those named, or the key attributes that fit."""
        names = self.attributes or self.fitting(original)
        for position, name in enumerate(names):
            if name in names[:position]:
                raise DataError(f"{self.name}: column {name} is named twice.")
            scale = original.schema[name].scale
            if scale not in self.scales:
                raise DataError(
                    f"{self.name}: column {name} is {scale}; the measure takes {' and '.join(self.scales)}."
                )
        if not names:
            raise DataError(
                f"{self.name}: no key attribute is {' or '.join(self.scales)}; name the columns to judge."
            )
        return names

    def fitting(self, original: Table) -> tuple[str, ...]:
        """The key attributes of a table, or those of the scenario, that the measure can judge."""
        keys = known_columns(original.schema, self.scenario)
        return tuple(name for name in keys if original.schema[name].scale in self.scales)

    def check_strata(self, original: Schema) -> None:
        if not original.with_role("stratum"):
            raise DataError(f"{self.name}: no attribute has the role stratum; leave out by_stratum.")

    def check_masked(self, original: Schema, masked: Schema, columns: tuple[str, ...]) -> None:
        """Raise unless a masked file declares the columns as the original does."""
        for name in columns:
            if name not in masked:
                raise DataError(f"{self.name}: the masked file has no column {name}.")
            if masked[name].is_numeric != original[name].is_numeric:
                raise DataError(
                    f"{self.name}: column {name} is {original[name].scale} in the original "
                    f"and {masked[name].scale} in the masked file."
                )


class StratifiedBound(Bound):
    """A measure bound to each stratum by itself; the value is the mean over records (or their weights)."""

    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.strata = [
            (label, rows, measure.bound(original.take(rows), names)) for label, rows in original.strata()
        ]

    def judge(self, masked: Table) -> Judged:
        """The mean over strata, and the value of each as its part; one that is not released is lost."""
        found = (
            {label: rows for label, rows, _ in self.strata} if self.measure.aligned else dict(masked.strata())
        )
        values = {
            label: bound.judge(masked.take(found[label]))[0] if label in found else 100.0
            for label, _, bound in self.strata
        }
        sizes = [
            len(rows) if self.weights is None else self.weights[rows].sum() for _, rows, _ in self.strata
        ]
        return float(np.average(list(values.values()), weights=sizes)), values

    def track(self, masked: Table) -> Tracker:
        self.check(masked)
        return RecomputingTracker(self, masked)


def survey_weights(table: Table, owner: str) -> np.ndarray:
    """The survey weights of a table, scaled to a mean of 1."""
    weights = checked_weights(table, owner)
    if table.n and weights.sum() == 0:
        raise unusable_weights(table.schema.weight, owner)
    return weights / weights.mean() if table.n else weights


def fitting_measures(table: Table) -> list[Measure]:
    """Every registered measure of loss or risk that can judge at least one key attribute, losses first.

    The headline measures are not among them: they are asked for by the verdict.
    """
    measures: list[Measure] = [registry.make("measures", name) for name in registry.names("measures")]
    able = [measure for measure in measures if measure.sense != "score" and not measure.headline]
    telling = [measure for measure in able if measure.tells(table.schema)]
    fitting = [measure for measure in telling if measure.fitting(table)]
    return sorted(fitting, key=lambda measure: (measure.sense, measure.name not in SUMMARIES, measure.name))
