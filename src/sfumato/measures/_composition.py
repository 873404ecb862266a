"""Measures made of other measures: their values, and the tracker that follows them all."""

from collections.abc import Callable, Mapping

from sfumato.data import Table
from sfumato.measures._contract import Bound
from sfumato.measures._tracking import Change, Tracker

Combined = tuple[float, dict[str, float]]
Combine = Callable[[Mapping[str, float]], Combined]


class ComposedTracker(Tracker):
    """Follows several measures by name, and combines their values.

    Each is told only of the columns it judges, and not at all of changes that do not concern it.
    """

    def __init__(self, bounds: Mapping[str, Bound], masked: Table, combine: Combine) -> None:
        self.columns = {part: frozenset(bound.names) for part, bound in bounds.items()}
        self.trackers = {part: bound.track(masked) for part, bound in bounds.items()}
        self.combine = combine
        self.concerned: list[Tracker] = []
        super().__init__(combine({part: tracker.value for part, tracker in self.trackers.items()})[0])

    def propose(self, change: Change) -> float:
        """Try the change on each measure."""
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
        """Accept it everywhere."""
        for tracker in self.concerned:
            tracker.accept()

    def discard(self) -> None:
        """Reject it everywhere."""
        for tracker in self.concerned:
            tracker.reject()


class ComposedBound(Bound):
    """A measure made of others. A subclass fills `bounds` and writes `combine`."""

    bounds: dict[str, Bound]

    def combine(self, values: Mapping[str, float]) -> Combined:
        """The value and the parts, from the values of the measures by name."""
        raise NotImplementedError

    def judge(self, masked: Table) -> Combined:
        """Judge by each measure."""
        return self.combine({part: bound.judge(masked)[0] for part, bound in self.bounds.items()})

    def track(self, masked: Table) -> Tracker:
        """Follow each measure."""
        if not masked.n:
            return super().track(masked)
        self._check(masked)
        return ComposedTracker(self.bounds, masked, self.combine)
