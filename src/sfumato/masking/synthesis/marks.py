"""Marks: a random number for each content of each column, so that a record is known by the sum of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.data import Table

MISSING_KEY = -1e200  # below all numbers there are


@dataclass(frozen=True)
class Marks:
    """The marks of a table: `contents` are the keys of each column in order, with a mark each; `cells` those of its records."""

    contents: Mapping[str, tuple[np.ndarray, np.ndarray]]
    cells: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, table: Table, names: Sequence[str], rng: np.random.Generator) -> "Marks":
        contents, cells = {}, {}
        for name in names:
            keys, labels = np.unique(content_keys(table[name], table.reasons(name)), return_inverse=True)
            marks = rng.integers(1, 2**64, len(keys), dtype=np.uint64)
            contents[name], cells[name] = (keys, marks), marks[labels.ravel()]
        return cls(contents, cells)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.contents)

    def of_column(self, name: str, values: np.ndarray, reasons: np.ndarray | None = None) -> np.ndarray:
        """The marks of some contents of a column; 0 for what nobody has in it, and for a column that nobody has."""
        if name not in self.contents or not len(self.contents[name][0]):
            return np.zeros(len(values), np.uint64)
        keys, marks = self.contents[name]
        wanted = content_keys(values, reasons)
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[at] == wanted, marks[at], np.uint64(0))

    def people(self, names: Sequence[str] | None = None) -> np.ndarray:
        """The sums of marks that only one record has, in order; over all columns, or some."""
        sums = sum_of_marks([self.cells[name] for name in (names or self.names) if name in self.cells])
        found, counts = np.unique(sums, return_counts=True)
        return np.asarray(found[counts == 1])


def sum_of_marks(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Records by the sums of their marks, which go round at 2⁶⁴."""
    return np.asarray(np.sum(columns, axis=0, dtype=np.uint64))


def content_keys(values: np.ndarray, reasons: np.ndarray | None) -> np.ndarray:
    """A number for each content of a column, by size where it is one; each code for a missing value has its own."""
    missing = np.isnan(values) if values.dtype.kind == "f" else values < 0
    codes = 0.0 if reasons is None else reasons.astype(np.float64)
    return np.where(missing, MISSING_KEY * (1.0 + codes), values.astype(np.float64))
