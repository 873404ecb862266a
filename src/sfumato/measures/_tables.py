"""Contingency tables of an original and a masked file, and by how much they differ."""

from collections.abc import Iterable, Sequence
from math import prod

import numpy as np

from sfumato.core import DataError
from sfumato.data import Schema, Table
from sfumato.data.coverage import Coverage, coverage_of, original_codes
from sfumato.kernels.cell_sums import ABSOLUTE
from sfumato.kernels.distinct_records import distinct
from sfumato.measures._cells import LARGEST_CELL, CellTable, CellTracker, Digits, cell_count
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._tracking import Tracker

LARGEST_DENSE_TABLE = 1_000_000


class BoundTables(Bound):
    """A measure whose value is the mean of 50 · Σ|a − a'| / n over contingency tables."""

    def __init__(
        self, measure: Measure, original: Table, names: tuple[str, ...], tables: Iterable[tuple[str, ...]]
    ) -> None:
        super().__init__(measure, original, names)
        self.tables = tuple(tables)
        self.columns = tuple(dict.fromkeys([*names, *(name for table in self.tables for name in table)]))

    def differences(self, masked: Table) -> list[float]:
        """Σ|a − a'| over the cells of each table."""
        readings = {n: coverage_of(self.original.schema[n], masked.schema[n]) for n in self.columns}
        differs = {name: self._differs(masked, name, reading) for name, reading in readings.items()}
        moved = {name: bool(rows.any()) for name, rows in differs.items()}
        # a record that is as it was counts in the same cell of both tables
        rows = np.flatnonzero(np.any(list(differs.values()), axis=0))
        old, new = {}, {}
        for name, reading in readings.items():  # missing, −1, becomes the last category
            old[name] = original_codes(self.original[name][rows]) % (reading.size + 1)
            new[name] = reading.of(masked[name][rows]) % reading.width
        weights = None if self.weights is None else self.weights[rows]
        return [
            table_difference([old[n] for n in t], [new[n] for n in t], [readings[n] for n in t], weights)
            if any(moved[n] for n in t)
            else 0.0
            for t in self.tables
        ]

    def _differs(self, masked: Table, name: str, reading: Coverage) -> np.ndarray:
        before, after = self.original[name], masked[name]
        if masked.schema[name].categories != self.original.schema[name].categories:
            before, after = original_codes(before), reading.of(after)
        differs: np.ndarray = before != after
        return differs

    def mean(self, differences: list[float]) -> float:
        """The mean over tables, in percent; 0 where there is no table."""
        return 50 * sum(differences) / (self.original.n * len(self.tables)) if self.tables else 0.0

    def track(self, masked: Table) -> Tracker:
        """Keep the differences of all cells; recoded domains are judged from the start each time."""
        self._check(masked)
        readings = [coverage_of(self.original.schema[n], masked.schema[n]) for n in self.columns]
        place = {name: j for j, name in enumerate(self.columns)}
        tables = [CellTable(tuple(place[name] for name in table)) for table in self.tables]
        widths = [reading.size + 1 for reading in readings]
        too_many = cell_count(tables, widths) >= LARGEST_CELL
        if not masked.n or not tables or too_many or any(reading.sets for reading in readings):
            return super().track(masked)
        maps = [reading.readings + 1 for reading in readings]  # missing becomes 0
        new = np.column_stack([m[masked[n]] for m, n in zip(maps, self.columns, strict=True)])
        return CellTracker(
            self.score(masked).value,
            Digits(self.columns, maps, new, widths),
            tables,
            kind=ABSOLUTE,
            scale=50 / (masked.n * len(tables)),
            weights=self.weights,
            original=np.column_stack([original_codes(self.original[n]) + 1 for n in self.columns]),
        )

    def _check(self, masked: Table) -> None:
        super()._check(masked)
        for name in self.columns:
            if name not in masked or masked.schema[name].is_numeric:
                raise DataError(f"{self.measure.name}: the masked file has no column {name} of categories.")


def pairs_of(
    measure: Measure, original: Schema, names: tuple[str, ...], crossed: tuple[str, ...]
) -> list[tuple[str, str]]:
    """The attributes crossed with each other, or each with those of another list."""
    if not crossed:
        return [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    for name in crossed:
        if original[name].is_numeric:
            raise DataError(f"{measure.name}: column {name} is numeric; crossed takes ordinal and nominal.")
    return list(dict.fromkeys((a, b) for a in names for b in crossed if a != b))


def table_difference(
    old: list[np.ndarray],
    new: list[np.ndarray],
    readings: Sequence[Coverage],
    weights: np.ndarray | None = None,
    new_weights: np.ndarray | None = None,
) -> float:
    """Σ|a − a'| over the cells of one table.

    The two sides hold the same records, and share their weights, unless the new side has its own.
    """
    cells = prod(reading.width for reading in readings)
    later = weights if new_weights is None else new_weights
    if cells <= min(LARGEST_DENSE_TABLE, max(4096, 8 * len(old[0]))):
        return _dense_difference(old, new, readings, (weights, later))
    return _sparse_difference(old, new, readings, (weights, later))


def _dense_difference(
    old: list[np.ndarray],
    new: list[np.ndarray],
    readings: Sequence[Coverage],
    weights: tuple[np.ndarray | None, np.ndarray | None],
) -> float:
    before = _table(old, tuple(reading.size + 1 for reading in readings), weights[0])
    after = _table(new, tuple(reading.width for reading in readings), weights[1])
    for axis, reading in enumerate(readings):
        if reading.sets:
            after = np.moveaxis(np.tensordot(after, reading.weights(), (axis, 0)), -1, axis)
    return float(np.abs(before - after).sum())


def _table(codes: list[np.ndarray], shape: tuple[int, ...], weights: np.ndarray | None) -> np.ndarray:
    cells = np.ravel_multi_index(tuple(codes), shape)
    return np.bincount(cells, weights, minlength=prod(shape)).reshape(shape)


def _sparse_difference(
    old: list[np.ndarray],
    new: list[np.ndarray],
    readings: Sequence[Coverage],
    weights: tuple[np.ndarray | None, np.ndarray | None],
) -> float:
    """Only cells that some original record is in are looked at; what was moved elsewhere is the rest.

    The cells are joined, attribute by attribute, to the masked records that cover them, so that neither the
    product of the domains nor that of the sets is ever written down.
    """
    before = distinct(old)
    cell = np.arange(len(before.first))
    prefix, weight = np.zeros(len(cell), np.int64), np.ones(len(cell))
    labels = np.zeros(len(new[0]), np.int64)
    for codes, masked, reading in zip(old, new, readings, strict=True):
        starts, containing, spread = reading.containing()
        at = codes[before.first][cell]
        repeat, pick = _expanded(starts[at], starts[at + 1])
        keys, labels = np.unique(labels * reading.width + masked, return_inverse=True)
        wanted = prefix[repeat] * reading.width + containing[pick]
        found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hit = keys[found] == wanted
        cell, prefix, weight = cell[repeat][hit], found[hit], (weight[repeat] * spread[pick])[hit]
    masked_counts = np.bincount(labels, weights[1])
    after = np.bincount(cell, weights=weight * masked_counts[prefix], minlength=len(before.first))
    original_counts = np.bincount(before.labels, weights[0])
    elsewhere = max(float(original_counts.sum() - after.sum()), 0.0)
    return float(np.abs(original_counts - after).sum()) + elsewhere


def _expanded(starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For ranges start … end − 1: which range each of their positions is in, and the positions."""
    lengths = ends - starts
    repeat = np.repeat(np.arange(len(lengths)), lengths)
    return repeat, np.arange(len(repeat)) - np.repeat(np.cumsum(lengths) - lengths - starts, lengths)
