"""Households that are drawn whole: what they share first, then reference persons, then the others given these."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from sfumato.data import Attribute, Schema, Table
from sfumato.data.attribute import free_name
from sfumato.masking.synthesis.areas import area_column
from sfumato.masking.synthesis.dealing import Dealing, Step
from sfumato.masking.synthesis.deck import Deck, Stage
from sfumato.masking.synthesis.household_frame import Frame
from sfumato.masking.synthesis.marks import Marks
from sfumato.masking.synthesis.totals import Made, dealt_names

FEWEST_OF_A_PLACE = 40  # reference persons, and other members, that are dealt out by themselves
MOST_PLACES = 4  # that are told apart


class Dealer(Protocol):
    """What a method of synthesis does for a deck."""

    @property
    def avoids_people(self) -> bool: ...

    @property
    def name(self) -> str: ...

    def made(self, table: Table, names: Sequence[str], beside: Sequence[str]) -> tuple[Made, ...]: ...

    def numbers(
        self, table: Table, names: Sequence[str], rng: np.random.Generator
    ) -> dict[str, np.ndarray]: ...

    def with_legal_numbers(self, deck: Deck, made: Sequence[Made]) -> Deck: ...


@dataclass(frozen=True)
class HouseholdPlan:
    """Some columns of a table whose records live together, to be dealt out to new households.

    New households are as large as those of the original, and each has a frame: sizes and places of members stay. Columns
    that members share are dealt out to households, among those of the same size, so that as many people have each value.
    The others are dealt out to reference persons given what their household shares and its size, and then to the other
    members given that, their place and what the reference person got. So each step is a deck like any other.
    """

    dealer: Dealer
    frame: Frame
    names: tuple[str, ...]
    given: tuple[str, ...]

    @classmethod
    def of(cls, dealer: Dealer, table: Table, names: Sequence[str]) -> "HouseholdPlan | None":
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
    def homes(self) -> Table:
        """The households of the original, each by its reference person."""
        return self.framed(self.table.take(self.frame.first), self.frame.first)

    @cached_property
    def made_of_homes(self) -> tuple[Made, ...]:
        return self.dealer.made(self.homes, self.home, ())

    @cached_property
    def made_of_people(self) -> tuple[Made, ...]:
        return self.dealer.made(self.table, self.own, self.staying)

    @cached_property
    def staying(self) -> tuple[str, ...]:
        """What a person has before the person's own columns are dealt out; of what numbers members, what rules are about."""
        rules = {name for rule in self.table.schema.rules for name in rule.columns}
        return (*self.given, *self.home, *(name for name in self.frame.numbering if name in rules))

    @cached_property
    def free_of_homes(self) -> tuple[str, ...]:
        return dealt_names(self.home, self.made_of_homes)

    @cached_property
    def free_of_people(self) -> tuple[str, ...]:
        return dealt_names(self.own, self.made_of_people)

    @cached_property
    def classes(self) -> list[np.ndarray]:
        """The records of reference persons, of second ones and of others; places that few have are with those before."""
        classes: list[np.ndarray] = []
        for place in (self.frame.place == 0, self.frame.place == 1, self.frame.place > 1):
            rows = np.flatnonzero(place)
            if len(classes) and min(len(rows), len(classes[-1])) < FEWEST_OF_A_PLACE:
                classes[-1] = np.sort(np.concatenate([classes[-1], rows]))
            else:
                classes.append(rows)
        return classes if self.own else []

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        homes = (self.homes.n,) if self.free_of_homes else ()
        return (*homes, *(len(rows) for rows in self.classes))

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

    def framed(self, table: Table, rows: np.ndarray) -> Table:
        """The table of some records, with the size of their household and their place there."""
        size = self.frame.sizes[self.frame.labels[rows]].astype(float)
        place = np.minimum(self.frame.place[rows], MOST_PLACES - 1).astype(float)
        return _with_columns(table, [(self.extra["size"], size, None), (self.extra["place"], place, None)])

    def drawn(self, rng: np.random.Generator) -> "HouseholdDeals":
        """The plan under random streams."""
        *steps, numbers, marks, order = rng.spawn(len(self.sizes) + 3)
        return HouseholdDeals(self, tuple(steps), numbers, marks, order)


@dataclass(frozen=True)
class HouseholdDeals:
    """New households on their way, under the random streams of each step, of numbers, of marks and of their order."""

    plan: HouseholdPlan
    streams: tuple[np.random.Generator, ...]
    numbers_stream: np.random.Generator
    marks_stream: np.random.Generator
    order_stream: np.random.Generator

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.plan.sizes

    @cached_property
    def known(self) -> Marks | None:
        """The marks of everybody by all that is released, if those who are unique must not be met."""
        if not self.plan.dealer.avoids_people:
            return None
        schema, made = self.plan.table.schema, {one.name for one in self.plan.made_of_people}
        away = {*schema.with_role("household", "identifier"), *(made - set(self.plan.free_of_people))}
        names = [name for name in self.plan.table.names if name not in away]
        return Marks.of(self.plan.table, names, copy.deepcopy(self.marks_stream))

    @cached_property
    def numbers(self) -> dict[str, np.ndarray]:
        """Numbers of persons as they are released."""
        stream = copy.deepcopy(self.numbers_stream)
        return self.plan.dealer.numbers(self.plan.table, self.plan.own, stream)

    def step(self, number: int, new: Table) -> Step:
        """What members share comes first, then classes of persons, of whom reference persons are the first."""
        stream = copy.deepcopy(self.streams[number])
        at = number - bool(self.plan.free_of_homes)
        return self._homes(new, stream) if at < 0 else self._people(at, new, stream)

    def released(self, new: Table) -> Table:
        return new if self.plan.given else self._moved(new, copy.deepcopy(self.order_stream))

    def _homes(self, new: Table, rng: np.random.Generator) -> Step:
        """Households of the original get other values in the columns that members share."""
        plan, table = self.plan, self.plan.homes
        stage = Stage(
            beside=table, blocks=plan.frame.size_classes
        )  # areas move too: few live so many in a place
        numbers = plan.dealer.numbers(table, plan.free_of_homes, rng)
        known = None if plan.own else self.known  # else a record is known only when it is whole
        told = _told(table, plan.extra["size"].name)
        deck = Deck(table, plan.free_of_homes, told, numbers, known, stage)

        def put(homes: Table) -> Table:
            columns, reasons = {}, {}
            for name in plan.home:
                columns[name], reasons[name] = _picked(homes, name, plan.frame.labels)
            return new.replace(columns, reasons=reasons)

        return self._step(deck, plan.made_of_homes, put, rng)

    def _people(self, number: int, new: Table, rng: np.random.Generator) -> Step:
        """One class of persons gets new values, given what they have already."""
        plan, rows = self.plan, self.plan.classes[number]
        old, beside, mates = plan.table.take(rows), new.take(rows), dict[str, str]()
        if number:
            head = plan.frame.first[plan.frame.labels[rows]]
            old, mates = self._with_reference(old, plan.table, head)
            beside, _ = self._with_reference(beside, new, head)
        old, beside = plan.framed(old, rows), plan.framed(beside, rows)
        stage = Stage(beside=beside, mates=mates, area=plan.area)
        told = _told(old, plan.extra["size"].name, plan.extra["place"].name)
        free = plan.free_of_people
        numbers = {name: values[rows] for name, values in self.numbers.items() if name in free}
        deck = Deck(old, free, (*plan.staying, *told, *mates), numbers, self.known, stage)
        return self._step(deck, plan.made_of_people, lambda dealt: self._put(new, rows, dealt), rng)

    def _step(
        self, deck: Deck, made: tuple[Made, ...], put: Callable[[Table], Table], rng: np.random.Generator
    ) -> Step:
        dealer = self.plan.dealer
        return Step(Dealing.drawn(dealer.name, dealer.with_legal_numbers(deck, made), made, rng), put)

    def _with_reference(self, table: Table, source: Table, head: np.ndarray) -> tuple[Table, dict[str, str]]:
        """The table with what reference persons have, and of which column each new one is that."""
        extra, own = self.plan.extra, self.plan.own
        columns = [(extra[f"reference {name}"], *_picked(source, name, head)) for name in own]
        mates = {extra[f"reference {name}"].name: name for name in own}
        return _with_columns(table, columns), mates

    def _put(self, table: Table, rows: np.ndarray, part: Table) -> Table:
        """The table with the persons' columns of some records in their place."""
        columns, reasons = {}, {}
        for name in self.plan.own:
            columns[name] = table[name].copy()
            columns[name][rows] = part[name]
            held, new = table.reasons(name), part.reasons(name)
            codes = np.zeros(table.n, np.int64) if held is None else held.astype(np.int64)
            codes[rows] = 0 if new is None else new
            reasons[name] = codes
        return table.replace(columns, reasons=reasons)

    def _moved(self, people: Table, rng: np.random.Generator) -> Table:
        """New households in a random order, members side by side, under the numbers of others."""
        frame = self.plan.frame
        order = np.lexsort((frame.place, rng.permutation(len(frame.first))[frame.labels]))
        numbers = frame.new_numbers(rng)[frame.labels][order]
        columns, reasons = {}, {}
        for name in (*self.plan.names, *frame.numbering):
            columns[name], reasons[name] = _picked(people, name, order)
        for name in frame.table.schema.with_role("household"):
            columns[name], reasons[name] = _picked(frame.table, name, numbers)
        return people.replace(columns, reasons=reasons)


def _told(table: Table, *names: str) -> tuple[str, ...]:
    """Those columns that are not the same for all."""
    return tuple(name for name in names if len(np.unique(table[name])) > 1)


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
