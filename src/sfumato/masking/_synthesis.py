"""What methods share whose released records are those of nobody."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.core import DataError, param
from sfumato.data import Schema, Table
from sfumato.masking._parts import InParts, Whole
from sfumato.masking.synthesis.areas import area_column
from sfumato.masking.synthesis.dealing import Dealing, Deck
from sfumato.masking.synthesis.derived import Derived, derived_columns
from sfumato.masking.synthesis.marks import marks_of, unique_people
from sfumato.masking.synthesis.single_values import without_single_values
from sfumato.parallel.threads import in_blocks

LEADING = ("identifier", "household")  # roles of columns that say whose a record is


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
        dealing = self.dealing(part, names, derived_columns(part, names), rng)

        def drawn(start: int, end: int) -> np.ndarray:
            found: np.ndarray = dealing.parts[start][self.donors(*dealing.part(start))]
            return found

        return dealing.made(in_blocks(drawn, len(dealing.parts), 1))

    def dealing(
        self, table: Table, names: Sequence[str], derived: Sequence[Derived], rng: np.random.Generator
    ) -> Dealing:
        """What is dealt out of some columns of a table, in which parts and by which streams."""
        return Dealing.drawn(self._deck(table, names, derived, rng), derived, rng)

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

    def area(self, deck: Deck) -> str | None:
        return area_column(deck.table, deck.names)
