"""Dealing: the values of a table are dealt out to new records, part by part, and what others determine is made again."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.data import Table
from sfumato.masking.synthesis.derived import Derived

PART = 50_000  # records that are drawn together at the most


@dataclass(frozen=True)
class Deck:
    """The values that are dealt out to new records: those of the original, column by column.

    `free` are the columns that are dealt out, `given` those that stay where they are and are related to, and `numbers`
    the values of free numeric columns as they are released. `people` are the marks of those who are unique, if they
    must not be met.
    """

    table: Table
    free: tuple[str, ...]
    given: tuple[str, ...]
    numbers: Mapping[str, np.ndarray]
    marks: np.ndarray | None = None
    people: np.ndarray | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.free, *self.given)

    @cached_property
    def movable(self) -> np.ndarray:
        return np.arange(len(self.free))

    def of(self, rows: np.ndarray) -> "Deck":
        """The same of some records."""
        return Deck(
            table=self.table.take(rows),
            free=self.free,
            given=self.given,
            numbers={name: values[rows] for name, values in self.numbers.items()},
            marks=None if self.marks is None else self.marks[rows],
            people=self.people,
        )

    def dealt(self, donors: np.ndarray) -> Table:
        """The table of records that have the value of each free column from a donor."""
        columns, reasons = {}, {}
        for j, name in enumerate(self.free):
            columns[name] = self.numbers.get(name, self.table[name])[donors[:, j]]
            held = self.table.reasons(name)
            reasons[name] = None if held is None else held[donors[:, j]]
        return self.table.replace(columns, reasons=reasons)


@dataclass(frozen=True)
class Dealing:
    """A deck in parts, each with a random stream of its own.

    The parts of many records are as good as the whole, since the tables of the whole are their sums. `order` is that of the
    released records, where nothing stays in its place.
    """

    deck: Deck
    derived: tuple[Derived, ...]
    parts: tuple[np.ndarray, ...]
    streams: tuple[np.random.Generator, ...]
    order: np.ndarray | None

    @classmethod
    def drawn(cls, deck: Deck, derived: Sequence[Derived], rng: np.random.Generator) -> "Dealing":
        n = deck.table.n
        parts = np.array_split(rng.permutation(n), part_count(n))
        streams = rng.spawn(len(parts))
        order = None if deck.given else rng.permutation(n)
        return cls(deck, tuple(derived), tuple(np.sort(rows) for rows in parts), tuple(streams), order)

    def part(self, number: int) -> tuple[Deck, np.random.Generator]:
        """The deck of a part, and its stream from the beginning."""
        return self.deck.of(self.parts[number]), copy.deepcopy(self.streams[number])

    def made(self, donors: np.ndarray) -> Table:
        """The released table; donors are numbered by the records of the whole, and come part after part."""
        placed = np.empty_like(donors)
        placed[np.concatenate(self.parts)] = donors
        new = self.deck.dealt(placed if self.order is None else placed[self.order])
        for one in self.derived:
            values, reasons = one.made(self.deck.table, new)
            new = new.replace({one.name: values}, reasons={one.name: reasons})
        return new


def part_count(n: int) -> int:
    """How many parts so many records are dealt out in."""
    return max(round(n / PART), 1)
