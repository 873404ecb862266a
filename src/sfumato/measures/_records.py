"""Measures that are sums over records: judged in blocks of rows, and tracked by replacing terms."""

from abc import abstractmethod
from collections.abc import Callable, Mapping

import numpy as np

from sfumato.data import Table
from sfumato.measures._contract import Bound
from sfumato.measures._tracking import Change, Tracker

BLOCK = 16384
ROUNDING = 1e-12  # how much of the sums may be rounding before they are made anew

Reader = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Masked values of an attribute, and their rows, to what each cell is worth: one or more numbers."""


class RecordwiseBound(Bound):
    """A bound measure whose value follows from sums over records of terms made of cells.

    A subclass writes `readers`, `terms` and `summary`.
    """

    @abstractmethod
    def readers(self, masked: Table) -> Mapping[str, Reader]:
        """For each attribute, how the cells of a masked table with these domains are read."""

    @abstractmethod
    def terms(self, cells: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """What each record adds: cells are records × attributes × numbers, terms records × numbers ≥ 0."""

    @abstractmethod
    def summary(self, sums: np.ndarray) -> tuple[float, dict[str, float]]:
        """The value and the parts, from the sums of the terms."""

    def cells(self, readers: Mapping[str, Reader], masked: Table, rows: np.ndarray) -> np.ndarray:
        """The cells of some records."""
        return np.stack([readers[name](masked[name][rows], rows) for name in self.names], axis=1)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        """Sum the terms of all records."""
        return self.summary(self.sums(masked))

    def sums(self, masked: Table) -> np.ndarray:
        """The sums of the terms."""
        readers = self.readers(masked)
        blocks = (np.arange(i, min(i + BLOCK, masked.n)) for i in range(0, masked.n, BLOCK))
        sums = [self.terms(self.cells(readers, masked, rows), rows).sum(0) for rows in blocks]
        total: np.ndarray = np.sum(sums, axis=0)
        return total

    def track(self, masked: Table) -> Tracker:
        """Keep the cells and the sums."""
        if not masked.n:
            return super().track(masked)
        self._check(masked)
        return RecordTracker(self, masked)


class RecordTracker(Tracker):
    """The sums of a recordwise measure; a change replaces the terms of the records it touches."""

    def __init__(self, bound: RecordwiseBound, masked: Table) -> None:
        self.bound, self.readers = bound, bound.readers(masked)
        self.place = {name: j for j, name in enumerate(bound.names)}
        self.rows = np.arange(masked.n)
        self.cells = bound.cells(self.readers, masked, self.rows)
        self.kept = self.pending = self._fresh(self.cells)
        self.changed = self.rows[:0], self.cells[:0]
        super().__init__(bound.summary(self.kept[0])[0])

    def propose(self, change: Change) -> float:
        """Replace the terms of the changed records."""
        rows = change.rows
        old = self.cells[rows]
        new = old.copy()
        for name, values in change.columns.items():
            if name in self.place:
                new[:, self.place[name]] = self.readers[name](np.asarray(values), rows)
        self.changed = rows, new
        sums, rounding = self.kept
        leaving, entering = self.bound.terms(old, rows).sum(0), self.bound.terms(new, rows).sum(0)
        proposed = sums - leaving + entering
        rounding = rounding + np.finfo(float).eps * (sums + entering)
        self.pending = proposed, rounding
        if (rounding > ROUNDING * proposed).any() and not np.array_equal(leaving, entering):
            cells = self.cells.copy()
            cells[rows] = new
            self.pending = self._fresh(cells)
        return self.bound.summary(self.pending[0])[0]

    def commit(self) -> None:
        """Keep the new cells and sums."""
        rows, new = self.changed
        self.cells[rows] = new
        self.kept = self.pending

    def _fresh(self, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sums of all terms, and the bounds of what rounding adds to them later."""
        sums = self.bound.terms(cells, self.rows).sum(0)
        return sums, np.zeros_like(sums)
