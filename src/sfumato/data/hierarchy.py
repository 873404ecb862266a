"""Hierarchies: ever coarser versions of a domain, from the category itself to one word for all."""

import csv
import io
from pathlib import Path

import msgspec

from sfumato.core import DataError, FileError
from sfumato.core.regular_files import small_text


class Hierarchy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For each category, the path to the root: `rows[i][level]`, level 0 being the category itself.

    >>> places = Hierarchy((("Lleida", "Catalonia", "Spain"), ("Soria", "Castile", "Spain")))
    >>> places.ancestors(1)
    {'Lleida': 'Catalonia', 'Soria': 'Castile'}
    >>> places.depth
    2
    """

    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if not self.rows:
            raise DataError("Hierarchy: there must be at least one row.")
        seen: set[str] = set()
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.rows[0]) or len(row) < 2:
                raise DataError(
                    f"Hierarchy row {number}: all rows must have the same number of levels, at least two. "
                    f"Got {len(row)} where the first row has {len(self.rows[0])}."
                )
            if row[0] in seen:
                raise DataError(f"Hierarchy row {number}: category {row[0]!r} has a path already.")
            seen.add(row[0])
        self._check_nesting()

    @property
    def depth(self) -> int:
        """The number of levels above the categories."""
        return len(self.rows[0]) - 1

    @property
    def leaves(self) -> tuple[str, ...]:
        return tuple(row[0] for row in self.rows)

    def ancestors(self, level: int) -> dict[str, str]:
        if not 0 <= level <= self.depth:
            raise DataError(f"Hierarchy: level must be from 0 to {self.depth}. Got {level}.")
        return {row[0]: row[level] for row in self.rows}

    def check_covers(self, column: str, categories: tuple[str, ...]) -> None:
        """Refuse a hierarchy that leaves out a category of the domain, and name it."""
        missing = [category for category in categories if category not in set(self.leaves)]
        if missing:
            raise DataError(
                f"Column {column}: the hierarchy has no path for category {missing[0]!r}: add a row."
            )

    @classmethod
    def read(cls, path: str | Path, delimiter: str = ",") -> "Hierarchy":
        """Read a file with one row per category: the category, its parent, and so on up to the root."""
        text = small_text(Path(path), "Hierarchy file")
        try:
            rows = [
                tuple(cell.strip() for cell in row)
                for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
                if row
            ]
        except csv.Error:
            raise FileError(f"Hierarchy file {path} cannot be read as text with {delimiter!r}.") from None
        return cls(tuple(rows))

    def _check_nesting(self) -> None:
        for level in range(1, self.depth):
            parent: dict[str, str] = {}
            for row in self.rows:
                if parent.setdefault(row[level], row[level + 1]) != row[level + 1]:
                    raise DataError(f"Hierarchy: {row[level]!r} has two parents at level {level + 1}.")
