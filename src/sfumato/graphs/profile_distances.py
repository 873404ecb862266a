"""How far apart two profiles are: locations in their tree, topics alike or not.

Distances are whole numbers of steps, `scale` of them being the largest distance of one attribute: so equal
distances are equal to the last bit. Divided by `scale` they are those of eqs. 6.1 and 6.2 of Marés, *thesis*,
ch. 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.core import DataError
from sfumato.data import MISSING, Attribute, Hierarchy, Table
from sfumato.kernels.profile_distances import place_distances


@dataclass(frozen=True, eq=False)
class Branches:
    """The branch of each place up to the root: its ancestor at each level, itself up to its own level.

    The first places are the categories of the attribute, in order, so that a code is the number of a place;
    what only the hierarchy names comes after. The level of a place is the last column of the hierarchy in
    which it stands.

    >>> rows = (("Brooklyn", "New York City", "United States"), ("Queens", "New York City", "United States"))
    >>> towns = Attribute(
    ...     name="town", scale="nominal", categories=("Brooklyn", "Queens"), hierarchy=Hierarchy(rows))
    >>> branches = Branches.of(towns)
    >>> branches.names, branches.levels.tolist()
    (('Brooklyn', 'Queens', 'New York City', 'United States'), [0, 0, 1, 2])
    >>> branches.distance("Brooklyn", "New York City"), branches.distance("Brooklyn", "Queens")
    (0.5, 1.0)
    """

    names: tuple[str, ...]
    paths: np.ndarray
    levels: np.ndarray

    @classmethod
    def of(cls, attribute: Attribute) -> "Branches":
        if attribute.is_numeric or attribute.hierarchy is None:
            raise DataError(
                f"Column {attribute.name}: a location needs categories with a hierarchy; declare one in the schema."
            )
        hierarchy = attribute.hierarchy
        hierarchy.check_covers(attribute.name, attribute.categories)
        names = tuple(
            dict.fromkeys([*attribute.categories, *(name for row in hierarchy.rows for name in row)])
        )
        numbers = {name: number for number, name in enumerate(names)}
        table = np.array([[numbers[name] for name in row] for row in hierarchy.rows], np.int32)
        levels = np.full(len(names), -1, np.int32)
        paths = np.empty((len(names), table.shape[1]), np.int32)
        for level in range(table.shape[1]):  # a higher level overrules a lower one
            paths[table[:, level]] = table
            levels[table[:, level]] = level
        below = np.arange(table.shape[1]) <= levels[:, None]
        paths = np.where(below, np.arange(len(names), dtype=np.int32)[:, None], paths)
        if (paths[:, -1] != paths[0, -1]).any():
            raise DataError(
                f"Column {attribute.name}: the hierarchy must end in one root for all categories."
            )
        return cls(names, paths, levels)

    @property
    def scale(self) -> int:
        """The highest level: the number of steps from the bottom to the root."""
        return int(self.paths.shape[1]) - 1

    def distance(self, one: str, other: str, *, one_way: bool = False) -> float:
        """Eq. 6.1: the difference of levels if one place lies in the other, as a share of all levels; else 1.

        As it is printed (`one_way`) the second must lie on the branch of the first: a town is near to its country, and
        the country at 1 from the town.
        """
        row = place_distances(self.paths, self.levels, self.names.index(one), one_way)
        return float(row[self.names.index(other)]) / self.scale

    def renumbered(self, places: np.ndarray, categories: Sequence[str]) -> np.ndarray:
        """Numbers of places as codes into categories, among which are all that occur; a missing one stays."""
        codes = {name: code for code, name in enumerate(categories)}
        return np.array([*(codes.get(name, MISSING) for name in self.names), MISSING]).take(places)

    def between(self, ones: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Distances between pairs of places; a missing one is at 1 from any, and at 0 from another missing."""
        low, high = self.levels[ones], self.levels[others]
        above = self.paths[ones, high] == others
        beneath = self.paths[others, low] == ones
        steps = np.where(above | beneath, np.abs(high - low), self.scale)
        absent = (ones == MISSING) | (others == MISSING)
        return np.where(absent, np.where(ones == others, 0, self.scale), steps) / self.scale


def topic_distance(ones: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Eq. 6.2: 0 if two topics are the same, 1 if not; a missing one is like another missing.

    >>> topic_distance(np.array([0, 1, -1]), np.array([0, 2, -1])).tolist()
    [0.0, 1.0, 0.0]
    """
    found: np.ndarray = (np.asarray(ones) != np.asarray(others)).astype(np.float64)
    return found


@dataclass(frozen=True, eq=False)
class Topics:
    """The ranked topics of all nodes as numbers of one list, the most wanted first.

    >>> first = Attribute(name="first", scale="nominal", categories=("sports", "health"))
    >>> second = Attribute(name="second", scale="nominal", categories=("health", "sports"))
    >>> from sfumato.data import Schema
    >>> people = Table(Schema([first, second]), {"first": np.int8([0, 1]), "second": np.int8([0, -1])})
    >>> Topics.of(people, ("first", "second")).codes.tolist()
    [[0, 1], [1, -1]]
    """

    names: tuple[str, ...]
    codes: np.ndarray

    @classmethod
    def of(cls, table: Table, topics: Sequence[str]) -> "Topics":
        """The topics of a table; the columns may list their categories in different orders."""
        for name in topics:
            if table.schema[name].is_numeric:
                raise DataError(f"Column {name}: topics must be categories, not numbers.")
        names = tuple(dict.fromkeys(c for name in topics for c in table.schema[name].categories))
        codes = [renumbered(table[name], table.schema[name].categories, names) for name in topics]
        columns = np.column_stack(codes) if codes else np.empty((table.n, 0), np.int32)
        return cls(names, columns)


def renumbered(codes: np.ndarray, categories: Sequence[str], names: Sequence[str]) -> np.ndarray:
    """Codes into some categories as codes into a longer list that holds them all."""
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([*(numbers[category] for category in categories), MISSING], np.int32).take(codes)


def with_places(attribute: Attribute, branches: Branches, places: np.ndarray) -> Attribute:
    """The attribute with these places among its categories; a new one covers those that lie in it."""
    new = [int(p) for p in np.unique(places) if p >= attribute.domain_size]
    if not new or attribute.hierarchy is None:
        return attribute
    known = np.arange(attribute.domain_size)
    covers = {
        branches.names[p]: tuple(
            attribute.categories[c] for c in known[(branches.paths[known] == p).any(axis=1)]
        )
        for p in new
    }
    leaves = set(attribute.hierarchy.leaves)
    rows = [
        tuple(branches.names[q] for q in branches.paths[p]) for p in new if branches.names[p] not in leaves
    ]
    return attribute.evolve(
        categories=(*attribute.categories, *covers),
        covers={**attribute.covers, **covers},
        hierarchy=Hierarchy((*attribute.hierarchy.rows, *rows)),
    )


def common_codes(original: Table, masked: Table, name: str) -> tuple[np.ndarray, np.ndarray]:
    """A column of two tables as codes into one list of categories, or of numbers."""
    if original.schema[name].is_numeric != masked.schema[name].is_numeric:
        raise DataError(f"Column {name}: it must be numeric in both graphs, or in none.")
    if original.schema[name].is_numeric:
        return _numbered(original[name], masked[name])
    one, other = original.schema[name].categories, masked.schema[name].categories
    names = tuple(dict.fromkeys([*one, *other]))
    return renumbered(original[name], one, names), renumbered(masked[name], other, names)


def _numbered(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    both = np.concatenate([one, other])
    codes = np.where(np.isnan(both), MISSING, np.unique(both, return_inverse=True)[1])
    return codes[: len(one)], codes[len(one) :]
