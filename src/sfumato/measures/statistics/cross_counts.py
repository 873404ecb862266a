"""Contingency tables of an original and a masked file, and by how much they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import NamedTuple

import numpy as np

from sfumato.core import DataError, param
from sfumato.data import Schema, Table
from sfumato.data.coverage import Coverage, coverage_of, original_codes
from sfumato.kernels.cell_sums import ABSOLUTE
from sfumato.kernels.distinct_records import distinct
from sfumato.measures._contract import Files, Measure, StatisticBound
from sfumato.measures._tracking import Tracker
from sfumato.measures.statistics.cell_tracker import LARGEST_CELL, CellTable, CellTracker, Digits, cell_count
from sfumato.measures.statistics.contract import Part, Statistic

LARGEST_DENSE_TABLE = 1_000_000

Names = tuple[str, ...]


@dataclass(frozen=True)
class CrossCounts(Statistic):
    """Contingency tables of the original, and those of what the masked categories say: as far as they differ."""

    tables: tuple[Names, ...]
    weighted: bool

    def take(self, original: Part, masked: Table) -> "ChangedRecords":
        """The records that differ: one that is as it was counts in the same cell of both tables."""
        columns = dict.fromkeys(name for table in self.tables for name in table)
        readings = {name: coverage_of(original.table.schema[name], masked.schema[name]) for name in columns}
        differs = {name: _differs(original.table, masked, name, one) for name, one in readings.items()}
        moved = frozenset(name for name, rows in differs.items() if rows.any())
        rows = np.flatnonzero(np.any(list(differs.values()), axis=0)) if columns else np.empty(0, np.int64)
        old, new = {}, {}
        for name, reading in readings.items():  # missing, −1, becomes the last category
            old[name] = original_codes(original.table[name][rows]) % (reading.size + 1)
            new[name] = reading.of(masked[name][rows]) % reading.width
        weights = original.weights(self.weighted)
        return ChangedRecords(
            self.tables, readings, moved, old, new, None if weights is None else weights[rows]
        )

    def packed(self, taken: "ChangedRecords") -> "ChangedCells":
        """The cells that these records leave and enter, table by table."""
        return taken.counted()


class ChangedRecords(NamedTuple):
    """Records that differ in some column, by the codes of both files."""

    tables: tuple[Names, ...]
    readings: Mapping[str, Coverage]
    moved: frozenset[str]
    old: Mapping[str, np.ndarray]
    new: Mapping[str, np.ndarray]
    weights: np.ndarray | None

    def differences(self) -> list[float]:
        """Σ|a − a'| over the cells of each table."""
        old, new, readings, weights = self.old, self.new, self.readings, self.weights
        return [
            table_difference([old[n] for n in t], [new[n] for n in t], [readings[n] for n in t], weights)
            if not self.moved.isdisjoint(t)
            else 0.0
            for t in self.tables
        ]

    def counted(self) -> "ChangedCells":
        """The same as counts of cells."""
        readings = [[self.readings[name] for name in table] for table in self.tables]
        before, after = (
            [_cells([codes[name] for name in table], self.weights) for table in self.tables]
            for codes in (self.old, self.new)
        )
        return ChangedCells(readings, before, after)


class Cells(NamedTuple):
    """The cells of a table that occur, by the code of each attribute, and the records or the weight of each."""

    codes: list[np.ndarray]
    counts: np.ndarray

    def joined(self, other: "Cells") -> "Cells":
        codes = [np.concatenate(both) for both in zip(self.codes, other.codes, strict=True)]
        return _cells(codes, np.concatenate([self.counts, other.counts]))


def _cells(codes: list[np.ndarray], weights: np.ndarray | None) -> Cells:
    found = distinct(codes)
    counts = np.bincount(found.labels, weights, minlength=len(found.first))
    return Cells([column[found.first] for column in codes], counts.astype(float))


class ChangedCells(NamedTuple):
    """The cells that changed records were in and are in, table by table."""

    readings: list[list[Coverage]]
    before: list[Cells]
    after: list[Cells]

    def differences(self) -> list[float]:
        return [
            table_difference(old.codes, new.codes, readings, old.counts, new.counts)
            for readings, old, new in zip(self.readings, self.before, self.after, strict=True)
        ]

    def joined(self, other: "ChangedCells") -> "ChangedCells":
        before, after = (
            [a.joined(b) for a, b in zip(mine, theirs, strict=True)]
            for mine, theirs in ((self.before, other.before), (self.after, other.after))
        )
        return ChangedCells(self.readings, before, after)


def _differs(original: Table, masked: Table, name: str, reading: Coverage) -> np.ndarray:
    before, after = original[name], masked[name]
    if masked.schema[name].categories != original.schema[name].categories:
        before, after = original_codes(before), reading.of(after)
    differs: np.ndarray = before != after
    return differs


def mean_difference(differences: Sequence[float], n: int) -> float:
    """The mean share of records, in percent, that would have to move; 0 where there is no table."""
    return 50 * sum(differences) / (n * len(differences)) if differences else 0.0


def table_tracker(bound: StatisticBound, masked: Table, tables: Sequence[Names]) -> Tracker | None:
    """Keeps the differences of all cells; none for recoded domains, which are judged from the start each time."""
    columns = tuple(dict.fromkeys(name for table in tables for name in table))
    files = bound.files_of(masked.schema)
    readings = [files.reading(name) for name in columns]
    place = {name: j for j, name in enumerate(columns)}
    counted = [CellTable(tuple(place[name] for name in table)) for table in tables]
    widths = [reading.size + 1 for reading in readings]
    too_many = cell_count(counted, widths) >= LARGEST_CELL
    if not tables or too_many or any(reading.sets for reading in readings):
        return None
    maps = [reading.readings + 1 for reading in readings]  # missing becomes 0
    new = np.column_stack([m[masked[n]] for m, n in zip(maps, columns, strict=True)])
    return CellTracker(
        bound.score(masked).value,
        Digits(columns, maps, new, widths),
        counted,
        kind=ABSOLUTE,
        scale=50 / (masked.n * len(tables)),
        weights=bound.weights,
        original=np.column_stack([original_codes(bound.original[n]) + 1 for n in columns]),
    )


class OfPairs(Measure):
    """A measure of the tables of pairs of attributes."""

    sense = "loss"
    scales = ("ordinal", "nominal")

    crossed: tuple[str, ...] = param(default=(), help="columns to cross with (default: each other)")

    def columns(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
        return (*names, *self.crossed)

    def pairs(self, files: Files) -> tuple[tuple[str, str], ...]:
        """The attributes crossed with each other, or each with those of another list."""
        if not self.crossed:
            return tuple(combinations(files.names, 2))
        for name in self.crossed:
            if files.original[name].is_numeric:
                raise DataError(f"{self.name}: column {name} is numeric; crossed takes ordinal and nominal.")
        return tuple(dict.fromkeys((a, b) for a in files.names for b in self.crossed if a != b))


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
