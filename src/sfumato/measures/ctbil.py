"""CTBIL: how much contingency tables of up to a few attributes change."""

from collections.abc import Sequence
from itertools import chain, combinations
from math import prod
from typing import ClassVar, Literal

import numpy as np

from sfumato.core import param
from sfumato.data import Scale, Table
from sfumato.data.reading import Reading, original_codes, read
from sfumato.kernels.distinct import distinct
from sfumato.measures._contract import Bound, Measure

LARGEST_DENSE_TABLE = 1_000_000


class Ctbil(Measure):
    """CTBIL = 100 · Σ_tables Σ_cells |a − a'| / (2 · n · number of tables).

    Contingency-table-based information loss, over the tables of all sets of 1 to `dimension` attributes:
    the mean share of records that would have to move for a masked table to equal the original one, from 0
    to 100. Missing is a category of its own. A recoded category spreads its records evenly over the
    categories it covers. The parts are the loss of each attribute's own table, `raw`, the plain sum of
    eq. 2.10, and `actbil`, that sum divided by the number of cells (eq. 2.11; a domain counts one more
    category where values are missing in the original).

    Source: Marés, *thesis*, §2.4.1, eq. 2.10 and 2.11; the percent form is the mean total variation.

    >>> from sfumato.data import Attribute, Schema
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> original = Table(Schema([sex, town]), {"sex": np.array([0, 0, 1, 1]), "town": np.array([0, 1, 0, 1])})
    >>> masked = original.replace({"town": np.array([0, 0, 1, 1])})  # both one-way tables stay as they were
    >>> score = Ctbil().bind(original).score(masked)
    >>> round(score.value, 2), score.parts
    (16.67, {'sex': 0.0, 'town': 0.0, 'raw': 4.0, 'actbil': 0.5})
    """

    sense: ClassVar[Literal["loss", "risk"]] = "loss"
    scales: ClassVar[tuple[Scale, ...]] = ("ordinal", "nominal")

    dimension: int = param(default=2, low=1, high=4, help="largest number of attributes in a table")

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """List the tables and count their cells."""
        return _BoundCtbil(self, original, names)


class _BoundCtbil(Bound):
    def __init__(self, measure: Ctbil, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        positions = range(len(names))
        self.tables = tuple(
            chain.from_iterable(combinations(positions, t) for t in range(1, measure.dimension + 1))
        )
        sizes = [max(original.schema[n].domain_size + int(original.missing(n).any()), 1) for n in names]
        self.cells = sum(prod(sizes[j] for j in table) for table in self.tables)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        readings = [read(self.original.schema[name], masked.schema[name]) for name in self.names]
        new = [reading.of(masked[name]) for name, reading in zip(self.names, readings, strict=True)]
        old = [original_codes(self.original[name]) for name in self.names]
        moved = [np.any(a != b) for a, b in zip(old, new, strict=True)]
        # a record that is as it was counts in the same cell of both tables
        rows = np.flatnonzero(np.any([a != b for a, b in zip(old, new, strict=True)], axis=0))
        old, new = [a[rows] for a in old], [b[rows] for b in new]
        raw = [
            _difference([old[j] for j in table], [new[j] for j in table], [readings[j] for j in table])
            if any(moved[j] for j in table)
            else 0.0
            for table in self.tables
        ]
        parts = {name: 50 * raw[j] / masked.n for j, name in enumerate(self.names)}
        parts |= {"raw": sum(raw), "actbil": sum(raw) / self.cells}
        return 50 * sum(raw) / (masked.n * len(self.tables)), parts


def _difference(old: list[np.ndarray], new: list[np.ndarray], readings: Sequence[Reading]) -> float:
    """Σ|a − a'| over the cells of one table; missing, −1, becomes the last category of each attribute."""
    old = [codes % (reading.size + 1) for codes, reading in zip(old, readings, strict=True)]
    new = [codes % reading.width for codes, reading in zip(new, readings, strict=True)]
    cells = prod(reading.width for reading in readings)
    if cells <= min(LARGEST_DENSE_TABLE, max(4096, 8 * len(old[0]))):
        return _dense_difference(old, new, readings)
    return _sparse_difference(old, new, readings)


def _dense_difference(old: list[np.ndarray], new: list[np.ndarray], readings: Sequence[Reading]) -> float:
    before = _table(old, tuple(reading.size + 1 for reading in readings))
    after = _table(new, tuple(reading.width for reading in readings))
    for axis, reading in enumerate(readings):
        if reading.sets:
            after = np.moveaxis(np.tensordot(after, reading.weights(), (axis, 0)), -1, axis)
    return float(np.abs(before - after).sum())


def _table(codes: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    cells = np.ravel_multi_index(tuple(codes), shape)
    return np.bincount(cells, minlength=prod(shape)).reshape(shape)


def _sparse_difference(old: list[np.ndarray], new: list[np.ndarray], readings: Sequence[Reading]) -> float:
    """Only cells that some original record is in are looked at; what was moved elsewhere is the rest.

    The cells are joined, attribute by attribute, to the masked records that cover them, so that neither the
    product of the domains nor that of the sets is ever written down.
    """
    before = distinct(old)
    cell = np.arange(len(before.first))
    prefix, weight = np.zeros(len(cell), np.int64), np.ones(len(cell))
    labels = np.zeros(len(new[0]), np.int64)
    for codes, masked, reading in zip(old, new, readings, strict=True):
        starts, containing, weights = reading.containing()
        at = codes[before.first][cell]
        repeat, pick = _expanded(starts[at], starts[at + 1])
        keys, labels = np.unique(labels * reading.width + masked, return_inverse=True)
        wanted = prefix[repeat] * reading.width + containing[pick]
        found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hit = keys[found] == wanted
        cell, prefix, weight = cell[repeat][hit], found[hit], (weight[repeat] * weights[pick])[hit]
    masked_counts = np.bincount(labels)
    after = np.bincount(cell, weights=weight * masked_counts[prefix], minlength=len(before.first))
    elsewhere = max(len(new[0]) - float(after.sum()), 0.0)
    return float(np.abs(before.counts - after).sum()) + elsewhere


def _expanded(starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For ranges start … end − 1: which range each of their positions is in, and the positions."""
    lengths = ends - starts
    repeat = np.repeat(np.arange(len(lengths)), lengths)
    return repeat, np.arange(len(repeat)) - np.repeat(np.cumsum(lengths) - lengths - starts, lengths)
