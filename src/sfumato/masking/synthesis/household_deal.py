"""Households that are drawn whole: what they share first, then reference persons, then the others given these."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from sfumato.data import Attribute, Schema, Table
from sfumato.data.attribute import free_name
from sfumato.masking.synthesis.areas import area_column
from sfumato.masking.synthesis.deck import Deck, Stage
from sfumato.masking.synthesis.household_frame import Frame
from sfumato.masking.synthesis.marks import marks_of, unique_people
from sfumato.masking.synthesis.totals import Made, dealt_names, with_made

FEWEST_OF_A_PLACE = 40  # reference persons, and other members, that are dealt out by themselves
MOST_PLACES = 4  # that are told apart


class Dealer(Protocol):
    """What a method of synthesis does for a deck."""

    @property
    def avoids_people(self) -> bool: ...

    def made(self, table: Table, names: Sequence[str], beside: Sequence[str]) -> tuple[Made, ...]: ...

    def numbers(
        self, table: Table, names: Sequence[str], rng: np.random.Generator
    ) -> dict[str, np.ndarray]: ...

    def with_legal_numbers(self, deck: Deck, made: Sequence[Made]) -> Deck: ...

    def legal_donors(self, deck: Deck, made: Sequence[Made], rng: np.random.Generator) -> np.ndarray: ...


@dataclass(frozen=True)
class HouseholdDeal:
    """Some columns of a table whose records live together, to be dealt out to new households.

    New households are as large as those of the original, and each has a frame: sizes and places of members stay. Columns
    that members share are dealt out to households, among those of the same size, so that as many people have each value.
    The others are dealt out to reference persons given what their household shares and its size, and then to the other
    members given that, their place and what the reference person got. So each stage is a deck like any other.
    """

    dealer: Dealer
    frame: Frame
    names: tuple[str, ...]
    given: tuple[str, ...]

    @classmethod
    def of(cls, dealer: Dealer, table: Table, names: Sequence[str]) -> "HouseholdDeal | None":
        """None if nobody lives with another."""
        frame = Frame.of(table)
        if frame is None:
            return None
        away = {*table.schema.with_role("household", "identifier"), *frame.numbering}
        given = tuple(name for name in table.names if name not in names and name not in away)
        return cls(dealer, frame, tuple(name for name in names if name not in away), given)

    @property
    def table(self) -> Table:
        return self.frame.table

    @cached_property
    def home(self) -> tuple[str, ...]:
        return self.frame.shared(self.names)

    @cached_property
    def own(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name not in self.home)

    @cached_property
    def area(self) -> str | None:
        return area_column(self.table, (*self.names, *self.given))

    @cached_property
    def extra(self) -> Mapping[str, Attribute]:
        """The columns that are told of the frame and of reference persons, under names that are free."""
        taken = set(self.table.names)
        found = {"size": _count(free_name("size of the household", taken))}
        found["place"] = _count(free_name("place in the household", taken))
        for name in self.own:
            title = free_name(f"{name} of the reference person", taken)
            found[f"reference {name}"] = self.table.schema[name].evolve(name=title, role="other")
        return found

    def dealt(self, rng: np.random.Generator) -> Table:
        homes = self._homes(rng)
        columns, reasons = {}, {}
        for name in self.home:
            columns[name], reasons[name] = _picked(homes, name, self.frame.labels)
        people = self._people(self.table.replace(columns, reasons=reasons), rng)
        return people if self.given else self._moved(people, rng)

    def _homes(self, rng: np.random.Generator) -> Table:
        """New households: those of the original with other values in the columns that members share."""
        table = self._framed(self.table.take(self.frame.first), self.frame.first)
        made = self.dealer.made(table, self.home, ())
        free = dealt_names(self.home, made)
        if not free:
            return table
        stage = Stage(
            beside=table, blocks=self.frame.size_classes
        )  # areas move too: few live so many in a place
        numbers = self.dealer.numbers(table, free, rng)
        deck = Deck(table, free, self._told(table, self.extra["size"].name), numbers, stage=stage)
        deck = self.dealer.with_legal_numbers(deck, made)
        return with_made(table, deck.dealt(self.dealer.legal_donors(deck, made, rng)), made)

    def _people(self, new: Table, rng: np.random.Generator) -> Table:
        """The table with new values of all persons, of whom reference persons come first; households have theirs already."""
        if not self.own:
            return new
        numbers = self.dealer.numbers(self.table, self.own, rng)
        for number, rows in enumerate(self._classes()):
            old, beside = self.table.take(rows), new.take(rows)
            mates: dict[str, str] = {}
            if number:
                head = self.frame.first[self.frame.labels[rows]]
                old, mates = self._with_reference(old, self.table, head)
                beside, _ = self._with_reference(beside, new, head)
            old, beside = self._framed(old, rows), self._framed(beside, rows)
            stage = Stage(beside=beside, mates=mates, area=self.area)
            new = self._put(new, rows, self._dealt_to(old, stage, numbers, rows, rng))
        return new

    def _dealt_to(
        self,
        old: Table,
        stage: Stage,
        numbers: Mapping[str, np.ndarray],
        rows: np.ndarray,
        rng: np.random.Generator,
    ) -> Table:
        """New values of one class of persons."""
        stay = (*self.given, *self.home, *self._numbering_in_rules)
        made = self.dealer.made(self.table, self.own, stay)
        free = dealt_names(self.own, made)
        told = self._told(old, self.extra["size"].name, self.extra["place"].name)
        given = (*stay, *told, *stage.mates)
        drawn = {name: values[rows] for name, values in numbers.items() if name in free}
        marks, people = self._marks(old, drawn, (*free, *given), rng)
        deck = Deck(old, free, given, drawn, marks, people, stage)
        deck = self.dealer.with_legal_numbers(deck, made)
        new = deck.dealt(self.dealer.legal_donors(deck, made, rng))
        return with_made(old, new.replace({name: stage.beside[name] for name in stay}), made)

    @property
    def _numbering_in_rules(self) -> tuple[str, ...]:
        """Columns that number members, as far as rules are about them."""
        rules = {name for rule in self.table.schema.rules for name in rule.columns}
        return tuple(name for name in self.frame.numbering if name in rules)

    def _classes(self) -> list[np.ndarray]:
        """The records of reference persons, of second ones and of others; places that few have are with those before."""
        classes: list[np.ndarray] = []
        for place in (self.frame.place == 0, self.frame.place == 1, self.frame.place > 1):
            rows = np.flatnonzero(place)
            if len(classes) and min(len(rows), len(classes[-1])) < FEWEST_OF_A_PLACE:
                classes[-1] = np.sort(np.concatenate([classes[-1], rows]))
            else:
                classes.append(rows)
        return classes

    def _framed(self, table: Table, rows: np.ndarray) -> Table:
        size = self.frame.sizes[self.frame.labels[rows]].astype(float)
        place = np.minimum(self.frame.place[rows], MOST_PLACES - 1).astype(float)
        return _with_columns(table, [(self.extra["size"], size, None), (self.extra["place"], place, None)])

    def _with_reference(self, table: Table, source: Table, head: np.ndarray) -> tuple[Table, dict[str, str]]:
        """The table with what reference persons have, and of which column each new one is that."""
        columns = [(self.extra[f"reference {name}"], *_picked(source, name, head)) for name in self.own]
        mates = {self.extra[f"reference {name}"].name: name for name in self.own}
        return _with_columns(table, columns), mates

    def _told(self, table: Table, *names: str) -> tuple[str, ...]:
        """Those columns that are not the same for all."""
        return tuple(name for name in names if len(np.unique(table[name])) > 1)

    def _marks(
        self, old: Table, numbers: Mapping[str, np.ndarray], names: Sequence[str], rng: np.random.Generator
    ) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Marks of unique people where they must not be met, by all columns that are released."""
        if not self.dealer.avoids_people:
            return None, None
        marks, released = marks_of(old, numbers, names, rng)
        marks[:, [name not in self.table for name in names]] = 0
        released[:, [name not in self.table for name in names]] = 0
        return released, unique_people(marks)

    def _put(self, table: Table, rows: np.ndarray, part: Table) -> Table:
        """The table with the persons' columns of some records in their place."""
        columns, reasons = {}, {}
        for name in self.own:
            columns[name] = table[name].copy()
            columns[name][rows] = part[name]
            held, new = table.reasons(name), part.reasons(name)
            codes = np.zeros(table.n, np.int64) if held is None else held.astype(np.int64)
            codes[rows] = 0 if new is None else new
            reasons[name] = codes
        return table.replace(columns, reasons=reasons)

    def _moved(self, people: Table, rng: np.random.Generator) -> Table:
        """New households in a random order, members side by side, under the numbers of others."""
        frame = self.frame
        order = np.lexsort((frame.place, rng.permutation(len(frame.first))[frame.labels]))
        numbers = frame.new_numbers(rng)[frame.labels][order]
        columns, reasons = {}, {}
        for name in (*self.names, *frame.numbering):
            columns[name], reasons[name] = _picked(people, name, order)
        for name in self.table.schema.with_role("household"):
            columns[name], reasons[name] = _picked(self.table, name, numbers)
        return people.replace(columns, reasons=reasons)


def _count(name: str) -> Attribute:
    return Attribute(name=name, scale="numeric", decimals=0)


def _picked(table: Table, name: str, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    reasons = table.reasons(name)
    return table[name][rows], None if reasons is None else reasons[rows]


def _with_columns(table: Table, columns: Sequence[tuple[Attribute, np.ndarray, np.ndarray | None]]) -> Table:
    """The table and more columns beside its own; its rules stay."""
    schema = Schema([*table.schema, *(attribute for attribute, _, _ in columns)], rules=table.schema.rules)
    values = {name: table[name] for name in table.names} | {a.name: found for a, found, _ in columns}
    reasons = {name: table.reasons(name) for name in table.names} | {a.name: codes for a, _, codes in columns}
    return Table(schema, values, reasons={name: one for name, one in reasons.items() if one is not None})
