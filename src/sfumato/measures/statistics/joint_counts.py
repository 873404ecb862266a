"""Pairs of categories, counted: of masked and original ones of an attribute, or of two attributes of one file."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.data import Table
from sfumato.measures.statistics.cell_tracker import Digits, code_digits
from sfumato.measures.statistics.contract import OfEither, OfOriginal, Part, Statistic

LARGEST_DENSE = 1_000_000


class Joint(NamedTuple):
    """The pairs that occur (−1: missing), and how many records, or how much weight, each has."""

    masked: np.ndarray
    original: np.ndarray
    counts: np.ndarray

    def by_masked(self) -> np.ndarray:
        """For each pair, the count of its masked category."""
        totals: np.ndarray = np.bincount(self.masked + 1, weights=self.counts)[self.masked + 1]
        return totals

    def by_original(self) -> np.ndarray:
        """For each pair, the count of its original category."""
        totals: np.ndarray = np.bincount(self.original + 1, weights=self.counts)[self.original + 1]
        return totals

    def find(self, masked: np.ndarray, original: np.ndarray) -> np.ndarray:
        """Which of the pairs each record is."""
        width = int(self.original.max(initial=-1)) + 2
        return np.searchsorted(_cells(self.masked, self.original, width), _cells(masked, original, width))

    def joined(self, other: "Joint") -> "Joint":
        masked, original, counts = (np.concatenate(both) for both in zip(self, other, strict=True))
        return joint_counts(masked, original, counts)


def joint_counts(masked: np.ndarray, original: np.ndarray, weights: np.ndarray | None = None) -> Joint:
    """Count the pairs of two columns of codes, in an order that does not depend on that of the records.

    >>> joint_counts(np.int8([0, 0, -1, 0]), np.int8([1, 0, 0, 1])).counts.tolist()
    [1.0, 1.0, 2.0]
    """
    width = int(original.max(initial=-1)) + 2
    cells = _cells(masked, original, width)
    size = (int(masked.max(initial=-1)) + 2) * width
    if size <= min(LARGEST_DENSE, max(4096, 8 * len(cells))):
        records = np.bincount(cells, minlength=size)
        seen = np.flatnonzero(records)
        counts = (records if weights is None else np.bincount(cells, weights, minlength=size))[seen]
    else:
        seen, labels = np.unique(cells, return_inverse=True)
        counts = np.bincount(labels.ravel(), weights=weights, minlength=len(seen))
    return Joint(seen // width - 1, seen % width - 1, counts.astype(float))


def _cells(masked: np.ndarray, original: np.ndarray, width: int) -> np.ndarray:
    cells: np.ndarray = np.multiply(masked, width, dtype=np.int64)
    cells += original
    cells += width + 1
    return cells


@dataclass(frozen=True)
class JointCounts(Statistic):
    """How often each masked category goes with each original one of an attribute."""

    name: str
    weighted: bool

    def take(self, original: Part, masked: Table) -> Joint:
        return joint_counts(masked[self.name], original.table[self.name], original.weights(self.weighted))


class PairCounts(OfEither):
    """How often the categories of two attributes go together in one of the files."""

    def take(self, original: Part, masked: Table) -> Joint:
        """The pairs of codes, the first attribute in place of the masked one."""
        one, other = (self.table(original, masked)[name] for name in self.names)
        return joint_counts(one, other, original.weights(self.weighted))


@dataclass(frozen=True)
class DomainSizes(OfOriginal):
    """The numbers of categories of some attributes: those declared, and one more where values are missing."""

    names: tuple[str, ...]

    def take(self, original: Part, masked: Table) -> np.ndarray:
        return np.array([domain_size(original.table, name) for name in self.names])

    def join(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """A value is missing where it is in either part."""
        largest: np.ndarray = np.maximum(one, other)
        return largest


def conditional_bits(counts: np.ndarray, totals: np.ndarray) -> float:
    """Σ n_ij · log2(n_j / n_ij): the entropy left, over all records, once the category of the total is known."""
    occurring = counts > 0  # records of weight 0 say nothing
    return float(counts[occurring] @ np.log2(totals[occurring] / counts[occurring]))


def domain_size(original: Table, name: str) -> int:
    """The number of declared categories, and one more where values are missing."""
    return max(original.schema[name].domain_size + bool(original.missing(name).any()), 1)


def joint_digits(original: Table, masked: Table, names: tuple[str, ...]) -> Digits:
    """The masked columns, then the original ones, as digits of cells."""
    maps = [code_digits(masked.schema[name].domain_size) for name in names]
    before = [code_digits(original.schema[name].domain_size) for name in names]
    columns = [digit[masked[name]] for digit, name in zip(maps, names, strict=True)]
    columns += [digit[original[name]] for digit, name in zip(before, names, strict=True)]
    return Digits(names, maps, np.column_stack(columns), [len(digit) for digit in [*maps, *before]])
