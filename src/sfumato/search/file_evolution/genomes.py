"""Genomes of masked files: what differs from a file that was judged in full.

A genome is a base, the masked columns as they were when last judged from the start, and the changes made to
it since, in order. Its costs are those that trackers give when they follow the changes one by one; so they
depend on the genome alone, not on where or in which company it is judged. Columns that never changed since the
base are those of the base.
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

    def __init__(self, base: Columns, changes: Sequence[Change] = ()) -> None:
        self.base = {name: _frozen(values) for name, values in base.items()}
        self.changes = tuple(changes)

    def __reduce__(self) -> tuple[type, tuple[object, ...], dict[str, object]]:
        return type(self), (self.base, self.changes), {"key": self.key, "base_key": self.base_key}

    @cached_property
    def base_key(self) -> bytes:
        return _digest(b"base", None, self.base)

    @cached_property
    def key(self) -> bytes:
        """What tells genomes apart: the base and the changes, in their order."""
        key = self.base_key
        for change in self.changes:
            key = _digest(key, change.rows, change.columns)
        return key

    @cached_property
    def columns(self) -> dict[str, np.ndarray]:
        """The masked columns as they are now, read-only."""
        return _changed(self.base, self.changes)

    def after(self, change: Change) -> "Genome":
        """The child that a change makes. Large changes, and too many, make a new base."""
        if is_large(change, self.base) or self._is_full(change):
            return Genome(_changed(self.columns, [change]))
        child = Genome(self.base, (*self.changes, change))
        child.base_key, child.key = self.base_key, _digest(self.key, change.rows, change.columns)
        return child

    def table(self, original: Table) -> Table:
        return original.replace(self.columns)

    def base_table(self, original: Table) -> Table:
        return original.replace(self.base)

    def _is_full(self, change: Change) -> bool:
        """Whether one change more would be too many, or all of them larger than the file."""
        size = sum(values.size for values in self.base.values())
        return len(self.changes) >= MOST_CHANGES or sum(map(_size, (*self.changes, change))) > size


class Light:
    """A genome that leaves its base behind when it travels; whoever knows the base can make it whole.

    >>> genome = Genome({"age": np.array([31.0, 45.0])}).after(Change.cell(1, "age", 44.0))
    >>> Light(genome).whole() is genome
    True
    """

    def __init__(self, genome: Genome) -> None:
        self.key, self.base_key, self.changes = genome.key, genome.base_key, genome.changes
        self._genome: Genome | None = genome

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_genome": None}

    def whole(self, base: Columns | None = None) -> Genome | None:
        """The genome, by the base that it left behind; none where there is none."""
        if self._genome is None and base is not None:
            self._genome = Genome(base, self.changes)
            self._genome.key, self._genome.base_key = self.key, self.base_key
        return self._genome


def is_large(change: Change, columns: Columns) -> bool:
    """Whether judging from the start is quicker than following the change."""
    n = len(next(iter(columns.values())))
    numeric = any(values.dtype.kind == "f" for values in columns.values())
    return len(change.rows) > max(LARGE[numeric] * n, FEW)


def _size(change: Change) -> int:
    return len(change.rows) * (1 + len(change.columns))


def _changed(columns: Columns, changes: Sequence[Change]) -> dict[str, np.ndarray]:
    new: dict[str, np.ndarray] = {}
    for change in changes:
        for name, values in change.columns.items():
            if name not in new:
                new[name] = columns[name].copy()
            new[name][change.rows] = values
    for column in new.values():
        column.flags.writeable = False
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
