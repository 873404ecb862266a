"""Sums over records of terms made of cells: taken in blocks of rows, and moved by replacing terms."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sfumato.data import Schema, Table
from sfumato.measures._tracking import Change
from sfumato.measures.statistics.contract import BoundStatistic, Moved, Part

BLOCK = 16384
ROUNDING = 1e-12  # how much of the sums may be rounding before they are made anew

Reader = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Masked values of an attribute, and their rows, to what each cell is worth: one or more numbers."""


class RecordSums(BoundStatistic):
    """A statistic that is a sum over records. A subclass writes `readers` and `terms`, for all of its names."""

    names: tuple[str, ...]

    def __init__(self, statistic: Any, original: Part, names: tuple[str, ...], *, weighted: bool) -> None:
        super().__init__(statistic, original)
        self.names, self.weights = names, original.weights(weighted)

    @abstractmethod
    def readers(self, masked: Schema) -> Mapping[str, Reader]:
        """For each attribute, how the cells of a masked table with this schema are read."""

    def readers_of(self, masked: Table) -> Mapping[str, Reader]:
        """The same for this table; a subclass that reads cells by all the others sees them here."""
        return self.readers(masked.schema)

    def terms(self, cells: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """What each record adds: cells are records × attributes × numbers, terms records × numbers ≥ 0."""
        terms: np.ndarray = cells[:, :, 0]
        return terms if self.weights is None else terms * self.weights[rows, None]

    def whole(self, sums: np.ndarray) -> Any:
        """What is taken: the sums of the terms, and what else a subclass has summed up of the original."""
        return sums

    def cells(self, readers: Mapping[str, Reader], masked: Table, rows: np.ndarray) -> np.ndarray:
        return np.stack([readers[name](masked[name][rows], rows) for name in self.names], axis=1)

    def take(self, masked: Table) -> Any:
        readers = self.readers_of(masked)
        blocks = (np.arange(i, min(i + BLOCK, masked.n)) for i in range(0, masked.n, BLOCK))
        sums = [self.terms(self.cells(readers, masked, rows), rows).sum(0) for rows in blocks]
        return self.whole(np.sum(sums, axis=0))

    def follow(self, masked: Table) -> Moved | None:
        return MovedSums(self, masked)


class MovedSums(Moved):
    """Sums over records; a change replaces the terms of the records it touches."""

    def __init__(self, sums: RecordSums, masked: Table) -> None:
        self.terms, self.whole, self.readers = sums.terms, sums.whole, sums.readers(masked.schema)
        self.place = {name: j for j, name in enumerate(sums.names)}
        self.rows = np.arange(masked.n)
        self.cells = sums.cells(self.readers, masked, self.rows)
        self.sums, self.rounding = self.pending = self._fresh(self.cells)
        self.now = self.whole(self.sums)
        self.changed = self.rows[:0], self.cells[:0]

    def propose(self, change: Change) -> Any:
        rows = change.rows
        old = self.cells[rows]
        new = old.copy()
        for name, values in change.columns.items():
            if name in self.place:
                new[:, self.place[name]] = self.readers[name](np.asarray(values), rows)
        self.changed = rows, new
        leaving, entering = self.terms(old, rows).sum(0), self.terms(new, rows).sum(0)
        proposed = self.sums - leaving + entering
        rounding = self.rounding + np.finfo(float).eps * (self.sums + entering)
        self.pending = proposed, rounding
        if (rounding > ROUNDING * proposed).any() and not np.array_equal(leaving, entering):
            cells = self.cells.copy()
            cells[rows] = new
            self.pending = self._fresh(cells)
        return self.whole(self.pending[0])

    def commit(self) -> None:
        rows, new = self.changed
        self.cells[rows] = new
        self.sums, self.rounding = self.pending
        self.now = self.whole(self.sums)

    def _fresh(self, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sums of all terms, and the bounds of what rounding adds to them later."""
        sums = self.terms(cells, self.rows).sum(0)
        return sums, np.zeros_like(sums)
