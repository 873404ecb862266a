"""Measures made of other measures: their statistics, their values, and the tracker that follows them all."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sfumato.data import Schema, Table
from sfumato.measures._contract import Bound, Files, Judged, Measure
from sfumato.measures._tracking import Change, Tracker
from sfumato.measures.statistics.contract import Statistic


class Composed(Measure):
    """A measure made of others. A subclass says which, and combines their values."""

    @abstractmethod
    def members(self, files: Files) -> dict[str, Measure]:
        """The measures it is made of, by part; each names its attributes."""

    @abstractmethod
    def combined(self, files: Files, values: Mapping[str, float]) -> Judged:
        """The value and the parts, from the values of the measures by part."""

    def only_in_memory(self, files: Files) -> str:
        for part, (member, its) in self._with_files(files).items():
            reason = member.only_in_memory(its) if member.joinable else f"{part}={member.name}"
            if reason:
                return reason
        return ""

    def columns(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
        members = self.members(Files(names, schema, schema, 0)).values()
        return tuple(dict.fromkeys(name for one in members for name in one.columns(schema, one.attributes)))

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        used = self._with_files(files).values()
        return tuple(dict.fromkeys(one for member, its in used for one in member.statistics(its)))

    def value(self, files: Files, *found: Any) -> Judged:
        known, values = dict(zip(self.statistics(files), found, strict=True)), {}
        for part, (member, its) in self._with_files(files).items():
            values[part] = member.value(its, *(known[one] for one in member.statistics(its)))[0]
        return self.combined(files, values)

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return ComposedBound(self, original, names)

    def tracker(self, bound: "ComposedBound", masked: Table) -> Tracker:
        return ComposedTracker(bound.bounds, masked, bound.combined)

    def _with_files(self, files: Files) -> dict[str, tuple[Measure, Files]]:
        members = self.members(files)
        return {part: (one, replace(files, names=one.attributes)) for part, one in members.items()}


class ComposedBound(Bound):
    """A measure made of others, each bound by itself."""

    measure: Composed

    def __init__(self, measure: Composed, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.files = Files(names, original.schema, original.schema, original.n)
        self.bounds = {part: one.bind(original) for part, one in measure.members(self.files).items()}

    def judge(self, masked: Table) -> Judged:
        return self.combined({part: bound.judge(masked)[0] for part, bound in self.bounds.items()})

    def combined(self, values: Mapping[str, float]) -> Judged:
        return self.measure.combined(self.files, values)


class ComposedTracker(Tracker):
    """Follows several measures by part, and combines their values.

    Each is told only of the columns it judges, and not at all of changes that do not concern it.
    """

    def __init__(
        self, bounds: Mapping[str, Bound], masked: Table, combine: Callable[[Mapping[str, float]], Judged]
    ) -> None:
        self.columns = {part: frozenset(bound.names) for part, bound in bounds.items()}
        self.trackers = {part: bound.track(masked) for part, bound in bounds.items()}
        self.combine = combine
        self.concerned: list[Tracker] = []
        super().__init__(combine({part: tracker.value for part, tracker in self.trackers.items()})[0])

    def propose(self, change: Change) -> float:
        self.concerned, values = [], {}
        for part, tracker in self.trackers.items():
            columns = {n: v for n, v in change.columns.items() if n in self.columns[part]}
            if columns:
                values[part] = tracker.try_(Change(change.rows, columns))
                self.concerned.append(tracker)
            else:
                values[part] = tracker.value
        return float(self.combine(values)[0])

    def commit(self) -> None:
        for tracker in self.concerned:
            tracker.accept()

    def discard(self) -> None:
        for tracker in self.concerned:
            tracker.reject()
