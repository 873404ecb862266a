"""Places: a tree of locations whose types have the abstraction levels of social-network profiles.

A file of places has the columns name, type, parent and, if wanted, "other names" separated by |. The types and
their levels are those of Table 6.1 of Marés' thesis; the root is the one place without a parent.
"""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sfumato.core import DataError, FileError
from sfumato.core.regular_files import small_text
from sfumato.data.attribute import Attribute
from sfumato.data.hierarchy import Hierarchy

LEVELS = {
    "route": 0,
    "sublocality": 0,
    "natural feature": 0,
    "point of interest": 0,
    "neighborhood": 0,
    "locality": 1,
    "colloquial area": 1,
    "administrative area level 3": 2,
    "administrative area level 2": 3,
    "administrative area level 1": 4,
    "country": 5,
    "political": 5,
    "continent": 6,
    "world": 7,
}
TOP = max(LEVELS.values())
SHIPPED = Path(__file__).with_name("places.csv")
COLUMNS = ("name", "type", "parent")


@dataclass(frozen=True)
class Place:
    """A place by its unique name, what it lies in, and what else people call it."""

    name: str
    type: str
    parent: str
    others: tuple[str, ...] = ()

    @property
    def level(self) -> int:
        """How abstract its type is: 0 for a neighbourhood, 7 for the world."""
        return LEVELS[self.type]


class Places:
    """A tree of places.

    `hierarchy` has one row for each place, of any level, and one column for each level of Table 6.1. A place
    stands in all columns up to its own level, and a level that a branch leaves out repeats the place above:
    so the last column in which a place still stands is its level, and every ancestor is found in its own.

    >>> places = Places.shipped()
    >>> places.branch("Brooklyn")
    ('Brooklyn', 'New York City', 'New York', 'United States', 'North America', 'World')
    >>> places.hierarchy.rows[places.names.index("United States")]
    ('United States', 'United States', 'United States', 'United States', 'United States', 'United States',
    'North America', 'World')
    >>> places["United States"].level - places["Brooklyn"].level
    5
    """

    def __init__(self, places: Iterable[Place], *, source: str = "the places") -> None:
        self._places: dict[str, Place] = {}
        for place in places:
            if place.name in self._places:
                raise DataError(f"{source}: {place.name!r} is listed twice; names must be unique.")
            self._places[place.name] = place
        self._check(source)

    def __getitem__(self, name: str) -> Place:
        return self._places[name]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __len__(self) -> int:
        return len(self._places)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._places)

    @cached_property
    def hierarchy(self) -> Hierarchy:
        return Hierarchy(tuple(self._row(name) for name in self.names))

    def branch(self, name: str) -> tuple[str, ...]:
        """The place and all it lies in, up to the root."""
        found = [name]
        while self._places[found[-1]].parent:
            found.append(self._places[found[-1]].parent)
        return tuple(found)

    def attribute(self, name: str = "location") -> Attribute:
        """A nominal key whose categories are all the places, with their hierarchy."""
        return Attribute(
            name=name, scale="nominal", role="key", categories=self.names, hierarchy=self.hierarchy
        )

    @classmethod
    def shipped(cls) -> "Places":
        return cls.read(SHIPPED)

    @classmethod
    def read(cls, path: str | Path) -> "Places":
        text = small_text(Path(path), "File of places").removeprefix("\ufeff")
        try:
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
        except csv.Error:
            raise FileError(f"File of places {path} cannot be read as text with commas.") from None
        if not rows or any(column not in rows[0] for column in COLUMNS):
            raise DataError(
                f"{path}: a file of places has the columns {', '.join(COLUMNS)} and at least a row."
            )
        return cls((_place(row) for row in rows), source=str(path))

    def _row(self, name: str) -> tuple[str, ...]:
        branch = self.branch(name)
        return tuple(
            next(place for place in branch if self._places[place].level >= at) for at in range(TOP + 1)
        )

    def _check(self, source: str) -> None:
        roots = [place.name for place in self._places.values() if not place.parent]
        if len(roots) != 1:
            raise DataError(f"{source}: one place, the world, has no parent. Got {len(roots)} such places.")
        for place in self._places.values():
            where = f"{source}, place {place.name!r}"
            if place.type not in LEVELS:
                raise DataError(f"{where}: type must be one of {', '.join(LEVELS)}. Got {place.type!r}.")
            if place.parent and place.parent not in self._places:
                raise DataError(f"{where}: its parent {place.parent!r} is not listed; add a row.")
        for place in self._places.values():
            if place.parent and self._places[place.parent].level <= place.level:
                raise DataError(
                    f"{source}, place {place.name!r}: its parent must be of a type of a higher level."
                )
        if self._places[roots[0]].level != TOP:
            raise DataError(f"{source}: the place without a parent must have the type world.")


def _place(row: dict[str, str]) -> Place:
    cells = {key: (row.get(key) or "").strip() for key in (*COLUMNS, "other names")}
    others = tuple(other.strip() for other in cells["other names"].split("|") if other.strip())
    return Place(cells["name"], cells["type"], cells["parent"], others)
