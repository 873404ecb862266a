"""Contingency tables of two files, gathered block by block: only cells that occur are kept."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.core import DataError
from sfumato.data.coverage import coverage_of, original_codes
from sfumato.large.judging.streamed._contract import Gathered, Pair
from sfumato.measures._cells import LARGEST_CELL

DENSE = 4  # cells up to so many times the records are counted by number, not sorted


class Cells(NamedTuple):
    """The cells of a table that occur, in order, and how many records, or how much weight, each has."""

    numbers: np.ndarray
    counts: np.ndarray
    shape: tuple[int, ...]

    def codes(self) -> list[np.ndarray]:
        """The category of each cell, attribute by attribute; missing is the last one."""
        return list(np.unravel_index(self.numbers, self.shape))

    def joined(self, other: "Cells") -> "Cells":
        """The cells of two parts together."""
        numbers = np.concatenate([self.numbers, other.numbers])
        counts = np.concatenate([self.counts, other.counts])
        seen, labels = np.unique(numbers, return_inverse=True)
        return Cells(seen, np.bincount(labels.ravel(), counts, minlength=len(seen)), self.shape)


def count_cells(codes: list[np.ndarray], shape: tuple[int, ...], weights: np.ndarray | None) -> Cells:
    """Count the records in each cell; missing, −1, becomes the last category.

    >>> count_cells([np.int8([0, 1, -1, 1])], (3,), None).counts.tolist()
    [1.0, 2.0, 1.0]
    """
    size = 1
    for width in shape:
        size *= width
    if size >= LARGEST_CELL:
        raise DataError("A table of so many categories cannot be counted; recode some of the attributes.")
    numbers = np.zeros(len(codes[0]), np.int64)
    for column, width in zip(codes, shape, strict=True):
        numbers *= width
        numbers += column
        numbers += np.where(column < 0, width, 0)
    if size <= max(DENSE * len(numbers), 4096):
        counts = np.bincount(numbers, weights, minlength=size)
        seen = np.flatnonzero(counts)
        return Cells(seen, counts[seen].astype(float), shape)
    seen, labels = np.unique(numbers, return_inverse=True)
    return Cells(seen, np.bincount(labels.ravel(), weights, minlength=len(seen)).astype(float), shape)


@dataclass(frozen=True)
class JointCounts(Gathered):
    """How often each masked category goes with each original one of an attribute."""

    name: str
    weighted: bool

    def gather(self, pair: Pair) -> Cells:
        """The pairs of codes in a block."""
        tables = pair.masked, pair.original
        shape = tuple(table.schema[self.name].domain_size + 1 for table in tables)
        return count_cells([table[self.name] for table in tables], shape, pair.weights(self.weighted))

    def join(self, one: Cells, other: Cells) -> Cells:
        """All pairs."""
        return one.joined(other)


class BothTables(NamedTuple):
    """A contingency table before and after masking."""

    before: Cells
    after: Cells


@dataclass(frozen=True)
class CrossCounts(Gathered):
    """The table of some attributes in the original, and that of what the masked categories say about them."""

    names: tuple[str, ...]
    weighted: bool

    def gather(self, pair: Pair) -> BothTables:
        """The tables of a block."""
        readings = [coverage_of(pair.original.schema[n], pair.masked.schema[n]) for n in self.names]
        weights = pair.weights(self.weighted)
        old = [original_codes(pair.original[name]) for name in self.names]
        new = [reading.of(pair.masked[name]) for name, reading in zip(self.names, readings, strict=True)]
        return BothTables(
            count_cells(old, tuple(reading.size + 1 for reading in readings), weights),
            count_cells(new, tuple(reading.width for reading in readings), weights),
        )

    def join(self, one: BothTables, other: BothTables) -> BothTables:
        """Both tables of all records."""
        return BothTables(one.before.joined(other.before), one.after.joined(other.after))
