"""Levels: ever coarser versions of a column, from its values to none at all, given by a hierarchy or made."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import NamedTuple

import numpy as np

from sfumato.core import DataError
from sfumato.data import Attribute, Hierarchy, Table
from sfumato.data.attribute import as_number, free_name
from sfumato.kernels.distinct_records import distinct
from sfumato.masking._calendar_levels import calendar_hierarchy, periods
from sfumato.masking._recoding import lifted, merged_name, taken_names

FEWEST = 3  # intervals of the widest of the round widths 5, 50, 500 … that are doubled from there on
LARGEST_EXACT = 2.0**53
NEAR = 1e-9  # of a width: a number that little below a cut point is meant to be on it


class Level(NamedTuple):
    """What the states of a column become: `to[state]`, of which `missing` ones are a code or empty.

    `height` is the level of the hierarchy, or of the intervals; 0 are the values themselves. At a level that does not
    keep the codes of missing values, these become empty; at one that is `blank` every value does.
    """

    to: np.ndarray
    missing: np.ndarray
    height: int
    codes: bool = False
    blank: bool = False

    @property
    def size(self) -> int:
        return len(self.missing)


@dataclass(frozen=True)
class Levels:
    """A column as states, and its levels, the finest first; no two of them tell the same records apart.

    States are numbers: those of the `values` (categories by their codes, numbers in order), then one for empty, then
    one for each code that a missing value may have.
    """

    attribute: Attribute
    values: np.ndarray
    hierarchy: Hierarchy | None
    levels: tuple[Level, ...]

    def __len__(self) -> int:
        return len(self.levels)

    def states(self, values: np.ndarray, reasons: np.ndarray | None) -> np.ndarray:
        """The state of each cell of the column."""
        missing = np.isnan(values) if self.attribute.is_numeric else values < 0
        present = np.searchsorted(self.values, values) if self.attribute.is_numeric else values
        empty = len(self.values) + (0 if reasons is None else reasons.astype(np.int32))
        return np.where(missing, empty, present).astype(np.int32)

    def released(self, level: Level, counts: np.ndarray) -> tuple[Attribute, np.ndarray]:
        """The attribute at a level, and what each value becomes, if so many records of each state are released.

        A number is released as the mean of those in its interval, with the declared decimals.
        """
        if not level.height or level.blank:
            return self.attribute, self.values
        if self.attribute.is_numeric:
            return self.attribute, self._means(level, counts[: len(self.values)])
        assert self.hierarchy is not None
        attribute, lookup = lifted(self.attribute, self.hierarchy, level.height)
        return attribute if self.attribute.hierarchy else attribute.evolve(hierarchy=None), lookup[:-1]

    def _means(self, level: Level, counts: np.ndarray) -> np.ndarray:
        """What each number becomes: a mean that lies among the numbers of its own group, or the nearest of these."""
        V = len(self.values)
        groups = level.to[:V]
        present = np.maximum(np.bincount(groups, counts), 1)
        middle = (self.values[0] + self.values[-1]) / 2  # sums of what is near to it lose fewest digits
        means = self.attribute.conform(
            middle + np.bincount(groups, counts * (self.values - middle)) / present
        )
        at = np.searchsorted(self.values, means)
        below, above = groups[np.maximum(at - 1, 0)], groups[np.minimum(at, V - 1)]
        number = np.arange(len(means))
        exact = self.values[np.minimum(at, V - 1)] == means
        inside = (above == number) & ((below == number) | exact) & (at < V)
        released: np.ndarray = np.where(inside, means, self._nearest(groups, means))[groups]
        return released

    def _nearest(self, groups: np.ndarray, means: np.ndarray) -> np.ndarray:
        """Of each group the number that is nearest to its mean."""
        order = np.lexsort((np.abs(self.values - means[groups]), groups))
        firsts = np.searchsorted(groups[order], np.arange(len(means)))
        nearest: np.ndarray = self.values[order[firsts]]
        return nearest


def levels_of(table: Table, name: str, counts: np.ndarray | None = None) -> Levels:
    """The levels of a column: its hierarchy, or one that is made, below a blank column.

    A record of the table stands for one, or for as many as `counts` say.

    >>> from sfumato.data import Schema
    >>> age = Attribute(name="age", scale="numeric", decimals=0)
    >>> people = Table(Schema([age]), {"age": [17, 18, 22, 38, 64, 90]})
    >>> [level.to[:6].tolist() for level in levels_of(people, "age").levels]  # by 5, 10 and 20 years
    [[0, 1, 2, 3, 4, 5], [0, 0, 1, 2, 3, 4], [0, 0, 1, 1, 2, 3], [0, 0, 0, 0, 1, 2], [0, 0, 0, 0, 0, 0]]
    """
    attribute, column = table.schema[name], table[name]
    there = ~table.missing(name)
    values: np.ndarray = np.arange(attribute.domain_size)
    hierarchy = attribute.hierarchy
    if attribute.is_numeric:
        values = np.unique(column[there]) + 0.0
        groups = _number_groups(attribute, values)
    else:
        frequencies = np.bincount(column[there], None if counts is None else counts[there], len(values))
        hierarchy = hierarchy or made_hierarchy(attribute, frequencies)
        groups = _category_groups(attribute, hierarchy)
    found = Levels(attribute, values, hierarchy, ())
    occurring = np.unique(found.states(column, table.reasons(name)))
    levels = tuple(_told_apart(_stacked(len(values), len(attribute.missing), groups), occurring))
    return Levels(attribute, values, hierarchy, levels)


def made_hierarchy(attribute: Attribute, counts: np.ndarray) -> Hierarchy | None:
    """A hierarchy of categories: neighbours merged by 2, 4, 8 … if ordinal, else ever more of the rare ones.

    Of the nominal categories that occur, half keep their name at the first level, a quarter at the second, and so on;
    of equally frequent ones the later in the domain goes first. None where one merger would leave nothing. Dates have the
    levels of the calendar.

    >>> size = Attribute(name="size", scale="ordinal", categories=("S", "M", "L", "XL", "XXL"))
    >>> [row[1:] for row in made_hierarchy(size, np.ones(5)).rows]
    [('S..M', 'S..XL'), ('S..M', 'S..XL'), ('L..XL', 'S..XL'), ('L..XL', 'S..XL'), ('XXL', 'XXL')]
    >>> town = Attribute(name="town", scale="nominal", categories=("a", "b", "c", "d"))
    >>> [row[1:] for row in made_hierarchy(town, np.array([9, 1, 2, 8])).rows]
    [('a', 'a'), ('other', 'other'), ('other', 'other'), ('d', 'other')]
    """
    calendar = calendar_hierarchy(attribute)
    if calendar is not None:
        return calendar
    mergers = _runs(len(counts)) if attribute.scale == "ordinal" else _rare(counts)
    paths = [[category] for category in attribute.categories]
    taken = taken_names(attribute)
    for parts in mergers:
        for members in parts:
            for code in members:
                whole = len(members) > 1
                name = (
                    free_name(merged_name(attribute, members), taken) if whole else attribute.categories[code]
                )
                paths[code].append(name)
    return Hierarchy(tuple(map(tuple, paths))) if paths and len(paths[0]) > 1 else None


def _runs(size: int) -> Iterator[list[list[int]]]:
    length = 2
    while length < size:
        yield [list(range(start, min(start + length, size))) for start in range(0, size, length)]
        length *= 2


def _rare(counts: np.ndarray) -> Iterator[list[list[int]]]:
    present = np.flatnonzero(counts).tolist()
    rarest = sorted(present, key=lambda code: (counts[code], -code))
    kept = len(rarest) // 2
    while kept and len(rarest) - kept > 1:
        other = sorted(rarest[: len(rarest) - kept])
        yield [other, *([code] for code in range(len(counts)) if code not in set(other))]
        kept //= 2


def interval_widths(low: float, high: float) -> tuple[float, ...]:
    """Round widths of intervals for numbers between two ends, each a multiple of the one before.

    From 5 · 10^e on, the largest such width that leaves at least three intervals, they are doubled; two finer ones
    come before, so that a file can stay nearly as it is.

    >>> interval_widths(17, 90)
    (0.5, 1.0, 5.0, 10.0, 20.0, 40.0)
    """
    span = high - low
    if not 1e-300 < span < 1e300:
        return ()
    exponent = floor(log10(span / (5 * FEWEST)) + NEAR)
    widths = [float(f"5e{exponent - 1}"), float(f"1e{exponent}")]
    width = float(f"5e{exponent}")
    while width < span:
        widths.append(width)
        width *= 2
    return tuple(widths)


def interval_numbers(values: np.ndarray, widths: Sequence[float]) -> list[np.ndarray]:
    """For each width, the number ⌊x / width⌋ of the interval that each value lies in; intervals are nested.

    >>> [places.tolist() for places in interval_numbers(np.array([0.1, 0.15, 0.3]), (0.05, 0.1))]
    [[2, 3, 6], [1, 1, 3]]
    """
    if not len(widths) or not np.all(np.abs(values) / widths[0] < LARGEST_EXACT):
        return []
    places = np.floor(values / widths[0] + NEAR).astype(np.int64)
    return [places // round(width / widths[0]) for width in widths]


def _number_groups(attribute: Attribute, values: np.ndarray) -> list[np.ndarray]:
    if not len(values):
        return []
    if attribute.hierarchy is None and attribute.is_moment:
        units = ("month", "quarter", "year", "decade")
        return [distinct([periods(values, attribute.storage, unit)]).labels for unit in units]
    if attribute.hierarchy is None:
        widths = interval_widths(float(values[0]), float(values[-1]))
        return [distinct([places]).labels for places in interval_numbers(values, widths)]
    paths = {as_number(row[0]): row for row in attribute.hierarchy.rows}
    if any(value not in paths for value in values.tolist()):
        raise DataError(
            f"Column {attribute.name}: the hierarchy has no path for some of its numbers: add their rows."
        )
    rows = [paths[value] for value in values.tolist()]
    depth = attribute.hierarchy.depth
    return [np.unique([row[h] for row in rows], return_inverse=True)[1].ravel() for h in range(1, depth + 1)]


def _category_groups(attribute: Attribute, hierarchy: Hierarchy | None) -> list[np.ndarray]:
    if hierarchy is None:
        return []
    return [lifted(attribute, hierarchy, height)[1][:-1] for height in range(1, hierarchy.depth + 1)]


def _stacked(size: int, codes: int, groups: Sequence[np.ndarray]) -> Iterator[Level]:
    """All levels: as it is, without the codes of missing values, ever coarser groups of values, and blank."""
    flags = np.arange(size + 1 + codes) >= size
    yield Level(np.arange(size + 1 + codes, dtype=np.int32), flags, 0, codes=True)
    for height, group in enumerate([np.arange(size), *groups]):
        number = int(group.max(initial=-1)) + 1
        to = np.append(group, np.full(1 + codes, number)).astype(np.int32)
        yield Level(to, np.arange(number + 1) == number, height)
    yield Level(np.zeros(size + 1 + codes, np.int32), np.ones(1, bool), len(groups) + 1, blank=True)


def _told_apart(levels: Iterator[Level], occurring: np.ndarray) -> Iterator[Level]:
    """The levels that merge something the one before does not; groups are nested, so that their number tells."""
    before = len(occurring) + 1
    for level in levels:
        number = len(np.unique(level.to[occurring]))
        if number < before:
            yield level
        before = number
