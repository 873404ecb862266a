"""What methods share whose released records are those of nobody."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.core import DataError, param
from sfumato.data import Schema, Table
from sfumato.masking._parts import InParts, Whole
from sfumato.masking.synthesis.areas import area_column
from sfumato.masking.synthesis.derived import Derived, derived_columns
from sfumato.masking.synthesis.marks import marks_of, unique_people
from sfumato.masking.synthesis.single_values import without_single_values
from sfumato.parallel.threads import in_blocks

PART = 50_000  # records that are drawn together at the most
LEADING = ("identifier", "household")  # roles of columns that say whose a record is


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


class Synthesis(InParts):
    """A method that draws records anew. It takes every column but identifiers and household numbers, unless some are
    named; what is not named stays where it is, and relations with it are kept.

    A subclass says which original record each new one has the value of each column from.
    """

    stratified = False  # strata are columns like others, and relations with them are kept
    of_people = False
    takes_all = True
    parted_by = "records"

    single: bool = param(
        default=False, help="release numbers that only one person has as they are, wherever they stand"
    )

    @abstractmethod
    def donors(self, deck: Deck, rng: np.random.Generator) -> np.ndarray:
        """For each new record, one row each, and each free column the record whose value it gets."""

    def targets(self, table: Table) -> tuple[str, ...]:
        if self.named:
            return super().targets(table)
        names = tuple(a.name for a in table.schema if a.role not in LEADING)
        if not names:
            raise DataError(f"{self.name}: every column is an identifier; name the columns to mask.")
        return names

    def beside(self, schema: Schema) -> tuple[str, ...]:
        return tuple(a.name for a in schema if a.role not in LEADING)

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        derived = derived_columns(part, names)
        deck = self._deck(part, names, derived, rng)
        donors = self._all_donors(deck, rng)
        new = self._dealt(part, deck, donors)
        if not deck.given:
            new = self._dealt(part, deck, donors[rng.permutation(part.n)])
        for one in derived:
            values, reasons = one.made(part, new)
            new = new.replace({one.name: values}, reasons={one.name: reasons})
        return new

    def _deck(
        self, table: Table, names: Sequence[str], derived: Sequence[Derived], rng: np.random.Generator
    ) -> Deck:
        made = {one.name for one in derived}
        free = tuple(name for name in names if name not in made)
        others = [a.name for a in table.schema if a.role not in LEADING and a.name not in names]
        numbers = {
            name: table[name] if self.single else without_single_values(table.schema[name], table[name], rng)
            for name in free
            if table.schema[name].is_numeric
        }
        facts: dict[str, Any] = {}
        if self.avoids_people:
            marks, facts["marks"] = marks_of(table, numbers, (*free, *others), rng)
            facts["people"] = unique_people(marks)
        return Deck(table=table, free=free, given=tuple(others), numbers=numbers, **facts)

    @property
    def avoids_people(self) -> bool:
        """Whether no released record may equal one of a person who is unique."""
        return False

    def _all_donors(self, deck: Deck, rng: np.random.Generator) -> np.ndarray:
        """Donors of all records; of many, part by part, which are as good as the whole and take several threads."""
        n = deck.table.n
        parts = np.array_split(rng.permutation(n), max(round(n / PART), 1))
        streams = rng.spawn(len(parts))

        def drawn(start: int, end: int) -> np.ndarray:
            rows = np.sort(parts[start])
            found: np.ndarray = rows[self.donors(deck.of(rows), streams[start])]
            return found

        donors = np.empty((n, len(deck.free)), np.int64)
        donors[np.concatenate([np.sort(rows) for rows in parts])] = in_blocks(drawn, len(parts), 1)
        return donors

    def _dealt(self, table: Table, deck: Deck, donors: np.ndarray) -> Table:
        columns, reasons = {}, {}
        for j, name in enumerate(deck.free):
            columns[name] = deck.numbers.get(name, table[name])[donors[:, j]]
            held = table.reasons(name)
            reasons[name] = None if held is None else held[donors[:, j]]
        return table.replace(columns, reasons=reasons)

    def area(self, deck: Deck) -> str | None:
        return area_column(deck.table, deck.names)
