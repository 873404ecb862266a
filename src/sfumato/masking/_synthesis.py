"""What methods share whose released records are those of nobody."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sfumato.core import DataError, param, progress
from sfumato.data import Schema, Table, broken_rules
from sfumato.masking._contract import Agreement
from sfumato.masking._parts import InParts, Whole
from sfumato.masking.synthesis.areas import area_column
from sfumato.masking.synthesis.dealing import Dealing
from sfumato.masking.synthesis.deck import Deck
from sfumato.masking.synthesis.derived import derived_columns
from sfumato.masking.synthesis.household_deal import HouseholdDeal
from sfumato.masking.synthesis.marks import marks_of, unique_people
from sfumato.masking.synthesis.rule_repair import RuleRepair
from sfumato.masking.synthesis.single_values import without_single_values
from sfumato.masking.synthesis.totals import Made, all_made, dealt_names, totals_of
from sfumato.parallel.threads import in_blocks

LEADING = ("identifier", "household")  # roles of columns that say whose a record is


class Synthesis(InParts):
    """A method that draws records anew. It takes every column but identifiers and household numbers, unless some are
    named; what is not named stays where it is, and relations with it are kept. Households are drawn whole, and get
    numbers of others.

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

    @property
    def households(self) -> Agreement:
        return "own"

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
        people = HouseholdDeal.of(self, part, names)
        new = self._records(part, names, rng) if people is None else people.dealt(rng)
        self._tell_of_rules(part, new)
        return new

    def _records(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        """New records, none of whom lives with another."""
        dealing = self.dealing(table, names, self.made(table, names), rng)
        return dealing.table(self._all_donors(dealing))

    def dealing(
        self, table: Table, names: Sequence[str], made: Sequence[Made], rng: np.random.Generator
    ) -> Dealing:
        """What is dealt out of some columns of a table, in which parts and by which streams."""
        return Dealing.drawn(self.name, self._deck(table, names, made, rng), made, rng)

    def made(
        self, table: Table, names: Sequence[str], beside: Sequence[str] | None = None
    ) -> tuple[Made, ...]:
        """The columns that are made from others: those that are found to hang on them, and declared totals.

        Parts of a total may also stand beside those that are dealt out; these are all others if none are named.
        """
        beside = _others(table, names) if beside is None else beside
        return all_made(table, derived_columns(table, names), totals_of(table, names, beside))

    def legal_donors(self, deck: Deck, made: Sequence[Made], rng: np.random.Generator) -> np.ndarray:
        """Donors by which no new record breaks a declared rule."""
        dealing = Dealing.drawn(self.name, deck, made, rng)
        return dealing.legal(self._all_donors(dealing))

    def _all_donors(self, dealing: Dealing) -> np.ndarray:
        """Donors of all records, part after part, which take several threads."""

        def drawn(start: int, end: int) -> np.ndarray:
            found: np.ndarray = dealing.parts[start][self.donors(*dealing.part(start))]
            return found

        return in_blocks(drawn, len(dealing.parts), 1)

    def _tell_of_rules(self, original: Table, new: Table) -> None:
        """Say how many records broke a rule, and whether some still do."""
        after = broken_rules(new)
        for rule, count in broken_rules(original).items():
            if count or after[rule]:
                now = "no released one does."
                if after[rule]:
                    now = f"{after[rule]} released ones do: it is about columns that stay as they are."
                progress.note(f"{self.name}: {count} of {original.n} records break the rule {rule}; {now}")

    def _deck(
        self, table: Table, names: Sequence[str], made: Sequence[Made], rng: np.random.Generator
    ) -> Deck:
        free = dealt_names(names, made)
        others = _others(table, names)
        numbers = self.numbers(table, free, rng)
        facts: dict[str, Any] = {}
        if self.avoids_people:
            marks, facts["marks"] = marks_of(table, numbers, (*free, *others), rng)
            facts["people"] = unique_people(marks)
        return self.with_legal_numbers(
            Deck(table=table, free=free, given=others, numbers=numbers, **facts), made
        )

    def numbers(self, table: Table, names: Sequence[str], rng: np.random.Generator) -> dict[str, np.ndarray]:
        """The values of numeric columns as they are released."""
        return {
            name: table[name] if self.single else without_single_values(table.schema[name], table[name], rng)
            for name in names
            if table.schema[name].is_numeric
        }

    def with_legal_numbers(self, deck: Deck, made: Sequence[Made]) -> Deck:
        """The deck, with the numbers of the original where those drawn anew would make every record break a rule."""
        if not deck.table.schema.rules or RuleRepair(self.name, deck, made).any_fits():
            return deck
        return replace(deck, numbers={name: deck.table[name] for name in deck.numbers})

    @property
    def avoids_people(self) -> bool:
        """Whether no released record may equal one of a person who is unique."""
        return False

    def area(self, deck: Deck) -> str | None:
        if deck.stage is not None:
            return deck.stage.area if deck.stage.area in deck.names else None
        return area_column(deck.table, deck.names)


def _others(table: Table, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that stay where they are, and are related to."""
    return tuple(a.name for a in table.schema if a.role not in LEADING and a.name not in names)
