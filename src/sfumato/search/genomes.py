"""Genomes of masked files: what differs from a file that was judged in full.

A genome is a base, the masked columns as they were when last judged from the start, and the changes made to
it since, in order. Its costs are those that trackers give when they follow the changes one by one; so they
depend on the genome alone, not on where or in which company it is judged. Columns that a child did not change
are its parent's.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import blake2b

import numpy as np

from sfumato.data import Table
from sfumato.measures import Change

Columns = Mapping[str, np.ndarray]

MOST_CHANGES = 64  # a genome with more is judged from the start again
LARGE = {True: 0.9, False: 0.05}  # share of the records from which on that is quicker; by: has numbers
FEW = 500  # changed records that are never too many


class Genome:
    """A masked file as a search sees it. Immutable.

    >>> start = Genome({"age": np.array([31.0, 45.0, 28.0]), "sex": np.int8([0, 1, 1])})
    >>> child = start.after(Change.cell(1, "age", 44.0))
    >>> child.columns["age"].tolist(), child.columns["sex"] is start.columns["sex"]
    ([31.0, 44.0, 28.0], True)
    """

    def __init__(self, base: Columns, changes: Sequence[Change] = (), *, parent_key: bytes = b"") -> None:
        self.base = {name: _frozen(values) for name, values in base.items()}
        self.changes = tuple(changes)
        self._parent_key = parent_key

    def __reduce__(self) -> tuple[type, tuple[object, ...], dict[str, object]]:
        return type(self), (self.base, self.changes), {"key": self.key}

    @cached_property
    def key(self) -> bytes:
        """What tells genomes apart: the base and the changes, in their order."""
        if self._parent_key and self.changes:
            return _digest(self._parent_key, self.changes[-1].rows, self.changes[-1].columns)
        key = _digest(b"base", None, self.base)
        for change in self.changes:
            key = _digest(key, change.rows, change.columns)
        return key

    @cached_property
    def columns(self) -> dict[str, np.ndarray]:
        """The masked columns as they are now, read-only."""
        found = dict(self.base)
        for change in self.changes:
            found = _changed(found, change)
        return found

    def after(self, change: Change) -> "Genome":
        """The child that a change makes. Large changes, and too many, make a new base."""
        columns = _changed(self.columns, change)
        if is_large(change, columns) or self._is_full(change):
            return Genome(columns)
        child = Genome(self.base, (*self.changes, change), parent_key=self.key)
        child.__dict__["columns"] = columns
        return child

    def table(self, original: Table) -> Table:
        """The masked file."""
        return original.replace(self.columns)

    def base_table(self, original: Table) -> Table:
        """The file that was judged in full."""
        return original.replace(self.base)

    def _is_full(self, change: Change) -> bool:
        """Whether one change more would be too many, or all of them larger than the file."""
        size = sum(values.size for values in self.base.values())
        return len(self.changes) >= MOST_CHANGES or sum(map(_size, (*self.changes, change))) > size


def is_large(change: Change, columns: Columns) -> bool:
    """Whether judging from the start is quicker than following the change."""
    n = len(next(iter(columns.values())))
    numeric = any(values.dtype.kind == "f" for values in columns.values())
    return len(change.rows) > max(LARGE[numeric] * n, FEW)


def _size(change: Change) -> int:
    return len(change.rows) * (1 + len(change.columns))


def _changed(columns: Columns, change: Change) -> dict[str, np.ndarray]:
    new = {}
    for name, values in change.columns.items():
        column = columns[name].copy()
        column[change.rows] = values
        column.flags.writeable = False
        new[name] = column
    return {**columns, **new}


def _frozen(values: np.ndarray) -> np.ndarray:
    if values.flags.writeable:
        values = values.copy()  # the caller may still hold the old one
        values.flags.writeable = False
    return values


def _digest(before: bytes, rows: np.ndarray | None, columns: Columns) -> bytes:
    digest = blake2b(before, digest_size=16)
    if rows is not None:
        digest.update(np.ascontiguousarray(rows).tobytes())
    for name in sorted(columns):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(columns[name]).tobytes())
    return digest.digest()
