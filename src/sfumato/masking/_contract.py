"""What every masking method does: take a table, give back a table that is safer to release."""

import itertools
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Literal, TypeVar, overload

import numpy as np

from sfumato.core import Advice, DataError, Key, Method, Promise, Seed, param, progress, stream
from sfumato.data import SCALES, Scale, Table
from sfumato.kernels.distinct_records import distinct
from sfumato.masking._households import Homes, groups_of, with_stratum
from sfumato.masking._kept_rules import Alike, tell_of_rules, with_rules_kept
from sfumato.masking._missing_values import blank

Frame = TypeVar("Frame")
Parts = Literal["none", "records", "neighbours", "ranks"]
Agreement = Literal["once", "alike", "own"]


class Masking(Method, ABC):
    """A masking method. A subclass names the scales it takes and writes `mask`.

    `stratified` methods work inside each stratum by itself where the table has attributes of that role.
    `grid` lists the parameter values that a portfolio of methods tries; a method without one is not tried.
    `k_anonymous` methods have a parameter k, and every record they release is like at least k, counting
    itself, in all masked attributes together, as they are written: missing is a value like others, and codes
    for it that differ are values that differ. A parameter `missing` may choose another reading.
    `keeps_records` is false for a method that releases only some of the records, and `of_people` for one whose
    released records are those of nobody. `only_coarsens` methods change no value: what they release is a value of the
    original, coarser, or empty (the literature's non-perturbative methods). `takes_all` says that it masks every column that can be released, whatever
    its role, unless some are named.
    `parted_by` says which records must be at hand together for a file to be masked part by part: "none" that it
    cannot be; the others, see `InParts`.
    `for_users` is what the users of a released file are told of it.

    **Households.** Columns that the members of each household share (a rule says so, or all do) stay shared, unless a
    method says otherwise by `households`: they are masked on one record for each household, and all members get what
    it releases; then the other columns are masked person by person. A k-anonymous method makes k households alike in
    what they share and in how many members they show, and groups people among those whose households are released
    alike. Where fewer than k households show so many members, their numbers go: nobody sees who lives there together.
    """

    registered_in: ClassVar[str] = "masking"
    noun: ClassVar[str] = "a masking such as mdav(k=5)"
    scales: ClassVar[tuple[Scale, ...]] = SCALES
    stratified: ClassVar[bool] = True
    k_anonymous: ClassVar[bool] = False
    keeps_records: ClassVar[bool] = True
    of_people: ClassVar[bool] = True
    only_coarsens: ClassVar[bool] = False
    takes_all: ClassVar[bool] = False
    parted_by: ClassVar[Parts] = "none"
    grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    for_users: ClassVar[Advice] = Advice(
        done="Values were changed.",
        effect="They may differ from what was collected.",
        remedy="Ask the producer of the file what the method does to an analysis before relying on it.",
    )

    attributes: tuple[str, ...] = param(
        default=(), help="columns to mask (default: the key attributes it can take)"
    )

    @abstractmethod
    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        """Mask some columns of a table that holds at least one record."""

    @overload
    def apply(self, data: Table, rng: np.random.Generator) -> Table: ...
    @overload
    def apply(self, data: Frame, rng: np.random.Generator | None = None) -> Frame: ...
    def apply(self, data: Any, rng: np.random.Generator | None = None) -> Any:
        """The protected table or data frame. Same records (or those of them that stay), same order, same columns.

        Of a pandas, polars or pyarrow frame those columns are masked that are named, else all it can take, save those
        that look like identifiers, households or weights; the random numbers are those of a new secret key unless a
        generator is given.

        >>> import pandas as pd
        >>> from sfumato.masking import Mdav
        >>> Mdav(k=2).apply(pd.DataFrame({"age": [31, 33, 60, 64], "town": ["A", "B", "A", "B"]}))
           age town
        0   32    A
        1   32    B
        2   62    A
        3   62    B
        """
        rng = stream(Key.drawn(), "masking", self.name) if rng is None else rng
        if isinstance(data, Table):
            return self.applied(data, rng)
        from sfumato.masking._frames import (
            masked_frame,
        )  # which knows chains, and these what every method does

        return masked_frame(self, data, rng)

    def applied(self, table: Table, rng: np.random.Generator) -> Table:
        """The protected table."""
        names = self.targets(table)
        if table.n == 0:
            return table
        masked = self._apply(table, names, rng)
        if self.of_people:
            tell_of_rules(self.name, table, masked, names)
        return masked

    def _apply(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        homes = None if self.households == "own" else Homes.of(table, names)
        if homes is None:
            return self.masked(table, names, rng)
        if self.households == "once":
            return self._by_household(homes, rng)
        homes.tell_of_sizes(self.name)
        masked = self.masked(table, names, rng)
        return homes.without_links(masked, homes.at_odds(masked))

    def masked(
        self, table: Table, names: tuple[str, ...], rng: np.random.Generator, within: np.ndarray | None = None
    ) -> Table:
        """Mask some columns person by person, and keep the rules of the schema as far as these columns can.

        Records of different labels `within` have nothing to do with each other.
        """
        masked = self._masked_within(table, names, rng, within)
        return masked if self.households == "own" else self.with_rules(masked, names, within)

    def with_rules(self, masked: Table, names: tuple[str, ...], within: np.ndarray | None = None) -> Table:
        """Records that break a rule of the schema get the least change of the masked columns by which they do not."""
        alike = Alike(self.least_alike, within)
        invents = not self.only_coarsens
        return with_rules_kept(masked, names, masked.schema.rules, invents=invents, alike=alike)

    @property
    def least_alike(self) -> int | None:
        """How many records it makes alike at the least; nothing where more than their number counts."""
        return int(getattr(self, "k", 1)) if self.k_anonymous else 1

    def _masked_within(
        self, table: Table, names: tuple[str, ...], rng: np.random.Generator, within: np.ndarray | None
    ) -> Table:
        if not self.stratified and within is not None:
            return self.mask(with_stratum(table, within, "households"), names, rng).select(table.names)
        if within is None and not (self.stratified and table.schema.with_role("stratum")):
            return self.mask(table, names, rng)
        return by_stratum(
            table, names, lambda part, among: self.mask_among(part, among, names, rng), within=within
        )

    def mask_among(
        self, part: Table, among: Table, names: tuple[str, ...], rng: np.random.Generator
    ) -> Table:
        """Mask a part of a stratum by itself, `among` all records of that stratum."""
        return self.mask(part, names, rng)

    def _by_household(self, homes: Homes, rng: np.random.Generator) -> Table:
        k = int(getattr(self, "k", 1)) if self.k_anonymous else 1
        if k == 1:
            homes.tell_of_sizes(self.name)
            homes = homes.without_counts()
        for stratum, rows in homes.records.strata():
            with naming(stratum):
                check_enough(self.name, k, len(rows), of="households")
        cut = homes.cut(k)
        people = homes.table
        if homes.shared:
            records = homes.records if k == 1 else homes.by_size(cut)
            once = self.of_columns(homes.names, homes.shared).of_households()
            people = homes.told_to_members(once.masked(records, homes.shared, rng))
        within = None
        if k > 1:
            within = distinct(people.shown(homes.shared)).labels
            people = blank(people, homes.shared, self.telling(people, homes.names, within)[within])
            within = distinct(people.shown(homes.shared)).labels
        if homes.own:
            people = self.of_columns(homes.names, homes.own).masked(people, homes.own, rng, within)
        cut |= homes.told_by_members(people, self.known_of_members, cut, k)
        progress.counted(
            f"{self.name}: the numbers of {{}} households were removed, since fewer than {k} look like them.",
            int(cut.sum()),
        )
        return homes.without_links(people, cut)

    def traced(self, table: Table, rng: np.random.Generator) -> tuple[Table, np.ndarray]:
        """The protected table, and for each of its records the row it had in the original."""
        return self.applied(table, rng), np.arange(table.n)

    def keyed_by(self) -> dict[str, Any]:
        """What the random numbers depend on beside the seed: the spec, or what it stands for."""
        return self.spec()

    @classmethod
    def convert(cls, value: Any) -> "Masking":
        """A masking from a text such as `mdav(k=5) + pram`, from a spec, or from a list of them."""
        from sfumato.masking._chain import make_masking

        return make_masking(value)

    @classmethod
    def settings(cls, *, numeric: bool) -> Iterator[dict[str, Any]]:
        """The parameters to try in a portfolio, on numeric or on categorical attributes."""
        for values in itertools.product(*cls.grid.values()) if cls.grid else ():
            yield dict(zip(cls.grid, values, strict=True))

    @property
    def taken(self) -> tuple[Scale, ...]:
        """The scales it takes with these parameters."""
        return self.scales

    @property
    def advice(self) -> Advice:
        """What users are told of it with these parameters."""
        return self.for_users

    @property
    def promise(self) -> Promise | None:
        """What is formally promised of a file that it makes of whole records; of most methods nothing is."""
        return None

    @property
    def price(self) -> str:
        """What a parameter that was chosen gives away for what it gives, in words for who answers for the release."""
        return ""

    @property
    def parted(self) -> Parts:
        """How a file can be parted with these parameters."""
        return self.parted_by

    @property
    def households(self) -> Agreement:
        """How columns that members of a household share stay so: they are masked `once` for all of them; or the method
        makes equal values `alike` wherever they stand; or it sees to households on its `own`."""
        return "once"

    def of_columns(self, names: tuple[str, ...], chosen: tuple[str, ...]) -> "Masking":
        """The method for some of the columns that it masks; one with a parameter for each column leaves out the others'."""
        return self

    @property
    def known_of_members(self) -> tuple[str, ...]:
        """Columns whose values of all members together must not be those of fewer than k households."""
        return ()

    def of_households(self) -> "Masking":
        """The method for records of households: what it asks of people by other columns is left out."""
        return self

    def telling(self, people: Table, names: Sequence[str], labels: np.ndarray) -> np.ndarray:
        """Of labels of people whose households are released alike, those that must not be, for what the people have in
        common beside the masked columns."""
        return np.zeros(int(labels.max(initial=-1)) + 1, bool)

    @property
    def sequence(self) -> "tuple[Masking, ...]":
        """The single maskings that are applied one after the other: itself, unless it is a chain."""
        return (self,)

    @property
    def named(self) -> tuple[str, ...]:
        """The columns that its parameters name; none where it takes what it finds."""
        return self.attributes

    def leaves_out(self, table: Table) -> tuple[str, ...]:
        """The columns that are not to be released after it; of most methods none."""
        return ()

    def targets(self, table: Table) -> tuple[str, ...]:
        """The columns the method will mask, checked against what it can take."""
        named = self.named
        if not named:
            keys = table.schema.with_role("key")
            names = tuple(name for name in keys if table.schema[name].scale in self.taken)
            if not names:
                raise DataError(
                    f"{self.name}: no key attribute is {' or '.join(self.taken)}; name the columns to mask."
                )
            return names
        for position, name in enumerate(named):
            attribute = table.schema[name]
            if attribute.scale not in self.taken:
                raise DataError(
                    f"{self.name}: column {name} is {attribute.scale}; the method takes {' and '.join(self.taken)}."
                )
            if name in named[:position]:
                raise DataError(f"{self.name}: column {name} is named twice.")
        return named


def by_stratum(
    table: Table,
    names: tuple[str, ...],
    mask: Callable[[Table, Table], Table],
    within: np.ndarray | None = None,
) -> Table:
    """The table with some columns masked in each stratum as if it were a table of its own.

    With labels `within`, each of these in a stratum is masked by itself; `mask` is given the part and its stratum.
    """
    columns = {name: table[name].copy() for name in names}
    reasons = {name: np.zeros(table.n, np.int32) for name in names if table.reasons(name) is not None}
    for stratum, rows in table.strata():
        among = table.take(rows)
        for at in [np.arange(len(rows))] if within is None else groups_of(within[rows]):
            with naming(stratum):
                part = mask(among if within is None else among.take(at), among)
            for name in names:
                columns[name][rows[at]] = part[name]
                found = part.reasons(name)
                if found is not None:
                    reasons[name][rows[at]] = found
    return table.replace(columns, reasons=reasons)


def check_enough(owner: str, k: int, n: int, of: str = "records") -> None:
    """Refuse records that are too few to be made alike."""
    if n < k:
        raise DataError(f"{owner}: k = {k} needs at least {k} {of}. Got {n}.")


@contextmanager
def naming(stratum: str) -> Iterator[None]:
    """Say in which stratum the data broke a rule; a nameless one is the whole table."""
    try:
        yield
    except DataError as error:
        raise DataError(f"Stratum {stratum}: {error}" if stratum else str(error)) from None


def masked_with(masking: Masking, table: Table, *, seed: Seed) -> Table:
    return traced_with(masking, table, seed=seed)[0]


def traced_with(masking: Masking, table: Table, *, seed: Seed) -> tuple[Table, np.ndarray]:
    """The masked table, and for each of its records the row it had in the original."""
    return masking.traced(table, generator_for(masking, table, seed=seed))


def generator_for(masking: Masking, table: Table, *, seed: Seed) -> np.random.Generator:
    """What a masking of a table draws from.

    Under a key, what is drawn hangs on the table too: two files would else get the same noise, which their difference
    is free of.
    """
    purpose = ("masking", json.dumps(masking.keyed_by(), sort_keys=True))
    return stream(seed, *purpose, *([table.digest] if isinstance(seed, Key) else []))
