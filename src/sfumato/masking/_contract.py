"""What every masking method does: take a table, give back a table that is safer to release."""

import itertools
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Literal

import numpy as np

from sfumato.core import Advice, DataError, Key, Method, Promise, Seed, param, stream
from sfumato.data import SCALES, Scale, Table

Parts = Literal["none", "records", "neighbours", "ranks"]


class Masking(Method, ABC):
    """A masking method. A subclass names the scales it takes and writes `mask`.

    `stratified` methods work inside each stratum by itself where the table has attributes of that role.
    `grid` lists the parameter values that a portfolio of methods tries; a method without one is not tried.
    `k_anonymous` methods have a parameter k, and every record they release is like at least k, counting
    itself, in all masked attributes together, as they are written: missing is a value like others, and codes
    for it that differ are values that differ. A parameter `missing` may choose another reading.
    `keeps_records` is false for a method that releases only some of the records, and `of_people` for one whose
    released records are those of nobody. `takes_all` says that it masks every column that can be released, whatever
    its role, unless some are named.
    `parted_by` says which records must be at hand together for a file to be masked part by part: "none" that it
    cannot be; the others, see `InParts`.
    `for_users` is what the users of a released file are told of it.
    """

    registered_in: ClassVar[str] = "masking"
    noun: ClassVar[str] = "a masking such as mdav(k=5)"
    scales: ClassVar[tuple[Scale, ...]] = SCALES
    stratified: ClassVar[bool] = True
    k_anonymous: ClassVar[bool] = False
    keeps_records: ClassVar[bool] = True
    of_people: ClassVar[bool] = True
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

    def apply(self, table: Table, rng: np.random.Generator) -> Table:
        """The protected table. Same records (or those of them that stay), same order, same columns."""
        names = self.targets(table)
        if table.n == 0:
            return table
        if not self.stratified or not table.schema.with_role("stratum"):
            return self.mask(table, names, rng)
        return by_stratum(table, names, lambda part: self.mask(part, names, rng))

    def traced(self, table: Table, rng: np.random.Generator) -> tuple[Table, np.ndarray]:
        """The protected table, and for each of its records the row it had in the original."""
        return self.apply(table, rng), np.arange(table.n)

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
    def sequence(self) -> "tuple[Masking, ...]":
        """The single maskings that are applied one after the other: itself, unless it is a chain."""
        return (self,)

    @property
    def named(self) -> tuple[str, ...]:
        """The columns that its parameters name; none where it takes what it finds."""
        return self.attributes

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


def by_stratum(table: Table, names: tuple[str, ...], mask: Callable[[Table], Table]) -> Table:
    """The table with some columns masked in each stratum as if it were a table of its own."""
    columns = {name: table[name].copy() for name in names}
    reasons = {name: np.zeros(table.n, np.int32) for name in names if table.reasons(name) is not None}
    for stratum, rows in table.strata():
        with naming(stratum):
            part = mask(table.take(rows))
        for name in names:
            columns[name][rows] = part[name]
            found = part.reasons(name)
            if found is not None:
                reasons[name][rows] = found
    return table.replace(columns, reasons=reasons)


def check_enough(owner: str, k: int, n: int) -> None:
    """Refuse records that are too few to be made alike."""
    if n < k:
        raise DataError(f"{owner}: k = {k} needs at least {k} records. Got {n}.")


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
    """The masked table, and for each of its records the row it had in the original.

    Under a key, what is drawn hangs on the table too: two files would else get the same noise, which their difference
    is free of.
    """
    purpose = ("masking", json.dumps(masking.keyed_by(), sort_keys=True))
    return masking.traced(table, stream(seed, *purpose, *([table.digest] if isinstance(seed, Key) else [])))
