"""What methods share whose released records are those of nobody."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from sfumato.core import DataError, param, progress
from sfumato.data import Schema, Table, broken_rules
from sfumato.masking._contract import Agreement
from sfumato.masking._parts import InParts, Whole
from sfumato.masking.synthesis.areas import area_column
from sfumato.masking.synthesis.dealing import Dealing, Deals, OneDeal
from sfumato.masking.synthesis.deck import Deck
from sfumato.masking.synthesis.derived import derived_columns
from sfumato.masking.synthesis.household_deal import HouseholdPlan
from sfumato.masking.synthesis.marks import Marks
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

    def linked(self, schema: Schema) -> tuple[str, ...]:
        return schema.with_role("household")

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        deals, new = self.plan(part, names).drawn(rng), part
        for number in range(len(deals.sizes)):
            step = deals.step(number, new)
            new = step.filled(self._all_donors(step.dealing))
        new = deals.released(new)
        self._tell_of_rules(part, new)
        return new

    def plan(self, table: Table, names: tuple[str, ...]) -> "Plan":
        """What is dealt out of some columns of a table, before anything is drawn."""
        return HouseholdPlan.of(self, table, names) or PlainPlan(self, table, names, self.made(table, names))

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

    def _all_donors(self, dealing: Dealing) -> np.ndarray:
        """Donors of all records, part after part, which take several threads."""

        def drawn(start: int, end: int) -> np.ndarray:
            found: np.ndarray = dealing.parts[start][self.donors(*dealing.part(start))]
            return found

        return in_blocks(drawn, len(dealing.parts), 1)

    def _tell_of_rules(self, original: Table, new: Table) -> None:
        """Say how many records broke a rule, and whether some still do."""
        before, after = broken_rules(original), broken_rules(new)
        for rule in original.schema.rules:
            count, left = before[rule.text], after[rule.text]
            if count or left:
                now = "no released one does."
                if left:
                    now = f"{left} released ones do: it is about columns that stay as they are."
                progress.note(f"{self.name}: {count} of {original.n} records break {rule.subject}; {now}")

    def _deck(
        self, table: Table, names: Sequence[str], made: Sequence[Made], rng: np.random.Generator
    ) -> Deck:
        free = dealt_names(names, made)
        others = _others(table, names)
        numbers = self.numbers(table, free, rng)
        known = Marks.of(table, (*free, *others), rng) if self.avoids_people else None
        return self.with_legal_numbers(
            Deck(table=table, free=free, given=others, numbers=numbers, known=known), made
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


class Plan(Protocol):
    """What is dealt out of a table, and in how many steps; under a random stream it is a file."""

    @property
    def sizes(self) -> tuple[int, ...]: ...

    def drawn(self, rng: np.random.Generator) -> Deals: ...


@dataclass(frozen=True)
class PlainPlan:
    """Some columns of a table of people of whom none lives with another."""

    synthesis: Synthesis
    table: Table
    names: tuple[str, ...]
    made: tuple[Made, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        return (self.table.n,)

    def drawn(self, rng: np.random.Generator) -> OneDeal:
        return OneDeal(self.synthesis.dealing(self.table, self.names, self.made, rng))


def _others(table: Table, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that stay where they are, and are related to."""
    return tuple(a.name for a in table.schema if a.role not in LEADING and a.name not in names)
