"""Trackers of measures that are sums over the cells of contingency tables."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sfumato.kernels.cell_sums import EMPTY, add_to_cells, move_records
from sfumato.measures._tracking import Change, Tracker

LARGEST_DENSE = 2_000_000  # cells, of all tables together: 16 MB
LARGEST_CELL = 2**62


class CellTable(NamedTuple):
    """A contingency table of some columns of digits, and the sign with which it counts."""

    columns: tuple[int, ...]
    sign: float = 1.0


class Digits(NamedTuple):
    """Categories as digits 0 … width − 1, one column per attribute: those of the masked file come first."""

    names: tuple[str, ...]
    maps: Sequence[np.ndarray]  # the digit of each masked code; that of missing, −1, is last
    columns: np.ndarray  # of the records: n × (masked attributes, then columns that never change)
    widths: Sequence[int]


def code_digits(size: int) -> np.ndarray:
    """Codes as digits: missing is 0, the others follow in order."""
    return np.append(np.arange(1, size + 1), 0)


def cell_count(tables: Sequence[CellTable], widths: Sequence[int]) -> int:
    return sum(_cells(table, widths) for table in tables)


def _cells(table: CellTable, widths: Sequence[int]) -> int:
    cells = 1
    for column in table.columns:
        cells *= int(widths[column])
    return cells


class CellTracker(Tracker):
    """value + scale · (signed sum of a function of the cell counts now − that sum at the start).

    `original`, where given, are the digits whose counts are taken off, cell by cell: the tables then hold
    differences.
    """

    def __init__(
        self,
        value: float,
        digits: Digits,
        tables: Sequence[CellTable],
        *,
        kind: int,
        scale: float,
        weights: np.ndarray | None = None,
        original: np.ndarray | None = None,
    ) -> None:
        super().__init__(value)
        self.kind, self.scale, self.maps = kind, scale, digits.maps
        self.position = {name: j for j, name in enumerate(digits.names)}
        self.digits = np.ascontiguousarray(digits.columns, dtype=np.int64)
        n = len(self.digits)
        self.weights = np.ones(n) if weights is None else _exactly_summed(weights)
        self.signs = np.array([table.sign for table in tables])
        self.strides, self.offsets = _numbering(tables, digits.widths)
        self._make_slots(cell_count(tables, digits.widths), 2 * n * len(tables))
        self._count(self.digits, self.weights)
        if original is not None:
            self._count(np.asarray(original, np.int64), -self.weights)
        self._moved: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    def propose(self, change: Change) -> float:
        """Move the records; `discard` moves them back."""
        names = [name for name in change.columns if name in self.position]
        if not names:
            return self.value
        rows = np.asarray(change.rows, np.int64)
        columns = np.array([self.position[name] for name in names])
        values = np.empty((len(rows), len(names)), np.int64)
        for c, name in enumerate(names):
            codes = np.asarray(change.columns[name])
            values[:, c] = self.maps[columns[c]][codes.astype(np.int64, copy=False)]
        self._grow_for(2 * len(rows) * len(self.offsets))
        self._moved = rows, columns, values
        return self.value + self.scale * self._move()

    def commit(self) -> None:
        """The records have moved already."""
        self._moved = None

    def discard(self) -> None:
        if self._moved is not None:
            self._move()
            self._moved = None

    def _move(self) -> float:
        assert self._moved is not None
        tables = self.strides, self.offsets, self.signs
        return move_records(
            self.counts, self.keys, self.used, self.digits, *self._moved, *tables, self.weights, self.kind
        )

    def _count(self, digits: np.ndarray, amounts: np.ndarray) -> None:
        for strides, offset in zip(self.strides, self.offsets, strict=True):
            add_to_cells(self.counts, self.keys, self.used, digits @ strides + offset, amounts)

    def _make_slots(self, cells: int, most: int) -> None:
        self.used = np.zeros(1, np.int64)
        if cells <= LARGEST_DENSE:
            self.keys, self.counts = np.empty(0, np.int64), np.zeros(cells)
        else:
            slots = 1 << max(2 * most, 1024).bit_length()
            self.keys, self.counts = np.full(slots, EMPTY, np.int64), np.zeros(slots)

    def _grow_for(self, more: int) -> None:
        """Keep at least a third of the slots empty; cells that nobody is in any longer are dropped."""
        if len(self.keys) == 0 or 3 * (self.used[0] + more) <= 2 * len(self.keys):
            return
        full = np.flatnonzero(self.counts)
        cells, counts = self.keys[full], self.counts[full]
        self._make_slots(LARGEST_CELL, len(full) + more)
        add_to_cells(self.counts, self.keys, self.used, cells, counts)


def _exactly_summed(weights: np.ndarray) -> np.ndarray:
    """Weights rounded so that any sum of them is exact: a move taken back leaves no trace."""
    bits = 52 - math.ceil(math.log2(max(2.0 * float(weights.sum()), 1.0)))
    unit = 2.0**-bits
    return np.asarray(np.round(weights / unit) * unit)


def _numbering(tables: Sequence[CellTable], widths: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    strides = np.zeros((len(tables), len(widths)), np.int64)
    offsets = np.zeros(len(tables), np.int64)
    first = 0
    for t, table in enumerate(tables):
        offsets[t], stride = first, 1
        for column in table.columns:
            strides[t, column] = stride
            stride *= int(widths[column])
        first += stride
    return strides, offsets
