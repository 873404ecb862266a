"""Trackers: the value of a measure, kept up to date while a masked table changes a little at a time."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.data import Table

if TYPE_CHECKING:
    from sfumato.measures._contract import Bound, StatisticBound
    from sfumato.measures.statistics.contract import Moved


@dataclass(frozen=True)
class Change:
    """New values for some columns of some records: one cell, one record or a range of records.

    `rows` are distinct. Values are codes or numbers as in a `Table`, one per row.

    >>> Change.cell(3, "age", 41.0)
    Change(rows=array([3]), columns={'age': array([41.])})
    """

    rows: np.ndarray
    columns: Mapping[str, np.ndarray]

    @classmethod
    def cell(cls, row: int, name: str, value: float) -> "Change":
        return cls(np.array([row]), {name: np.array([value])})


class Tracker(ABC):
    """The value of a bound measure for a masked table that changes.

    `try_(change)` gives the value that the measure would have; `accept` makes the change, `reject` forgets
    it. A second `try_` forgets the first. A subclass writes `propose` and `commit` (and `discard` if it
    keeps more than `pending`).
    """

    def __init__(self, value: float) -> None:
        self.value = value
        self._tried: float | None = None

    @abstractmethod
    def propose(self, change: Change) -> float:
        """The value after a change; keeps what `commit` needs, and changes nothing else."""

    @abstractmethod
    def commit(self) -> None:
        """Make the change that was proposed last."""

    def discard(self) -> None:  # noqa: B027 -- most trackers have nothing to forget
        """Forget the change that was proposed last."""

    def try_(self, change: Change) -> float:
        if self._tried is not None:
            self.reject()
        self._tried = self.propose(change)
        return self._tried

    def accept(self) -> None:
        if self._tried is None:
            raise RuntimeError("accept: no change was tried")
        self.commit()
        self.value, self._tried = self._tried, None

    def reject(self) -> None:
        if self._tried is None:
            raise RuntimeError("reject: no change was tried")
        self.discard()
        self._tried = None


class RecomputingTracker(Tracker):
    """For measures without an incremental form: each change is judged from the start."""

    def __init__(self, bound: "Bound", masked: Table) -> None:
        super().__init__(bound.score(masked).value)
        self.bound, self.masked = bound, masked
        self.pending = masked

    def propose(self, change: Change) -> float:
        self.pending = changed(self.masked, change)
        return self.bound.judge(self.pending)[0]

    def commit(self) -> None:
        self.masked = self.pending


class StatisticTracker(Tracker):
    """The value of statistics that are moved along; those of the original, where there is none to move, stay."""

    def __init__(self, bound: "StatisticBound", masked: Table, moved: "Sequence[Moved | None]") -> None:
        self.files, self.value_of = bound.files_of(masked.schema), bound.measure.value
        self.found = [
            bound.known[named] if one is None else one.now
            for named, one in zip(bound.statistics, moved, strict=True)
        ]
        self.moved = [(place, one) for place, one in enumerate(moved) if one is not None]
        super().__init__(self.value_of(self.files, *self.found)[0])

    def propose(self, change: Change) -> float:
        for place, one in self.moved:
            self.found[place] = one.propose(change)
        return self.value_of(self.files, *self.found)[0]

    def commit(self) -> None:
        for _, one in self.moved:
            one.commit()


def changed(masked: Table, change: Change) -> Table:
    columns = {}
    for name, values in change.columns.items():
        column = masked[name].copy()
        column[change.rows] = values
        columns[name] = column
    return masked.replace(columns)
