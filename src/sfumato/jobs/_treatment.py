"""What becomes of each column of a file that is released: nothing leaves of which nobody has said how."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from sfumato.core import DataError
from sfumato.data import Table
from sfumato.data.attribute import Attribute
from sfumato.data.blocks import Blocks, without_records
from sfumato.data.households import shared_columns, together
from sfumato.data.value_counts import value_counts
from sfumato.masking import Masking

Kind = Literal["masked", "renumbered", "as it is", "left out"]

NAMED = 5  # columns that a sentence names
REMOVED = "taken out by hand"
NO_HOMES = "released records make up no households"


@dataclass(frozen=True, kw_only=True)
class Treatment:
    """What becomes of a column, and why."""

    name: str
    kind: Kind
    because: str


@dataclass(frozen=True, kw_only=True)
class Treatments:
    """What becomes of each column of a file of so many `records`.

    `singling` counts, for columns that are released as they are, the records whose value nobody else has; columns
    in which there is none are not in it. `bare_keys` are keys that no method takes. `proposed` says that what the columns
    are was guessed from names and values, and that nobody confirmed it.
    """

    columns: tuple[Treatment, ...]
    singling: Mapping[str, int]
    records: int
    bare_keys: tuple[str, ...] = ()
    proposed: bool = False

    @property
    def released(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.columns if one.kind != "left out")

    @property
    def left_out(self) -> tuple[str, ...]:
        return self._of_kind("left out")

    @property
    def renumbered(self) -> tuple[str, ...]:
        return self._of_kind("renumbered")

    def _of_kind(self, kind: Kind) -> tuple[str, ...]:
        return tuple(one.name for one in self.columns if one.kind == kind)

    def without(self, names: Collection[str], because: str) -> "Treatments":
        """The same, but for some columns that do not go out after all."""
        columns = (
            Treatment(name=one.name, kind="left out", because=because) if one.name in names else one
            for one in self.columns
        )
        singling = {name: count for name, count in self.singling.items() if name not in names}
        return replace(self, columns=tuple(columns), singling=singling)

    def with_column(self, one: Treatment) -> "Treatments":
        """The same, and a column that the file did not have; one of its name that is left out gives way to it."""
        return replace(self, columns=(*(other for other in self.columns if other.name != one.name), one))

    def sentences(self) -> Iterator[str]:
        """What a user should know before the release is made."""
        yield from self.sentences_of_left_out()
        yield from self.sentences_of_released()

    def sentences_of_left_out(self) -> Iterator[str]:
        left_out = [f"{one.name} ({one.because})" for one in self.columns if one.kind == "left out"]
        if left_out:
            yield f"left out: {', '.join(left_out)}; keep a column with --keep NAME, or declare it in a schema."

    def sentences_of_released(self) -> Iterator[str]:
        if self.renumbered:
            yield f"new random numbers take the place of those in {', '.join(self.renumbered)}."
        if self.singling:
            most = sorted(self.singling.items(), key=lambda found: -found[1])
            found = [f"{name} for {count} of {self.records} records" for name, count in most[:NAMED]]
            others = len(most) - NAMED
            more = f" and {others} more column{'s' * (others > 1)}" if others > 0 else ""
            yield (
                f"released as they are, with a value that no other record has: {', '.join(found)}{more}; "
                "whoever knows such a value finds the record."
            )

    def sentence_of_bare_keys(self, masking: Masking) -> str:
        """Which keys a masking leaves as they are; empty where there is none, or where it takes whole records out."""
        if not self.bare_keys or not masking.keeps_records:
            return ""
        return f"keys that are left as they are, since no method takes them: {', '.join(self.bare_keys)}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "columns": [
                {"name": one.name, "treatment": one.kind, "because": one.because} for one in self.columns
            ],
            "singling": dict(self.singling),
            **({"proposed": True} if self.proposed else {}),
        }


def treatments(
    table: Table | Blocks,
    *,
    masked: Collection[str],
    keep: Collection[str] = (),
    reasons: Mapping[str, str] | None = None,
    doubts: Mapping[str, str] | None = None,
    linked: bool = True,
    proposed: bool = False,
) -> Treatments:
    """What becomes of the columns of a file, of which some are masked and some were asked for by name.

    Where released records are not `linked`, numbers of households mean nothing.

    `reasons` and `doubts` are those of its source; where nobody doubts a column, the schema of the table is somebody's
    word for it. A column with a reason that is not in the table was too much to read.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"id": [1, 2], "hh": [7, 7], "age": [31, 45], "pay": [2.5, 4.5]}))
    >>> found = treatments(people, masked=["age"])
    >>> found.released, found.renumbered, found.left_out, found.singling
    (('hh', 'age', 'pay'), ('hh',), ('id',), {'pay': 2})
    """
    reasons, doubts = reasons or {}, doubts or {}
    unread = [name for name in reasons if name not in table.schema]
    for name in keep:
        if name in unread:
            raise DataError(f"Column {name} cannot be kept: {reasons[name]}.")
        table.schema[name]
    columns = [_treated(a, masked, keep, reasons, doubts) for a in table.schema]
    if not linked:
        columns = [_without_numbers(one) for one in columns]
    columns += [Treatment(name=name, kind="left out", because=reasons[name]) for name in unread]
    single = {one.name: single_records(table, one.name) for one in columns if one.kind == "as it is"}
    return Treatments(
        columns=tuple(columns),
        singling={name: count for name, count in single.items() if count},
        records=table.n,
        proposed=proposed,
        bare_keys=tuple(
            one.name for one in columns if one.kind == "as it is" and table.schema[one.name].role == "key"
        ),
    )


def makes_households(masking: Masking, table: Table | Blocks) -> bool:
    """Whether the records that a masking releases live together.

    New ones do unless they come by a promise. People who are masked from disk are so one by one: those who share
    something would contradict each other, and tell what it was.
    """
    if not masking.of_people:
        return masking.promise is None
    return isinstance(table, Table) or not _tears_households(masking, table)


def _tears_households(masking: Masking, blocks: Blocks) -> bool:
    """Whether it masks what members share, as far as the first block shows; equal values stay so by some methods."""
    if not blocks.schema.with_role("household") or blocks.n == 0:
        return False
    whole = without_records(blocks.schema)
    steps = [step for step in masking.sequence if step.households == "once"]
    names = tuple(dict.fromkeys(name for step in steps for name in step.targets(whole)))
    first = blocks.table(0)
    return bool(shared_columns(first, names, together(first)))


def _treated(
    attribute: Attribute,
    masked: Collection[str],
    keep: Collection[str],
    reasons: Mapping[str, str],
    doubts: Mapping[str, str],
) -> Treatment:
    name, because = attribute.name, reasons.get(attribute.name, "declared")
    if attribute.role == "identifier" and name not in keep:
        told = doubts.get(name, because if name in reasons and because != "declared" else "an identifier")
        return Treatment(name=name, kind="left out", because=told)
    if name in masked:
        return Treatment(name=name, kind="masked", because="the method takes it")
    if name in keep:
        return Treatment(name=name, kind="as it is", because="asked for by name")
    if attribute.role == "household":
        return Treatment(name=name, kind="renumbered", because="its numbers link records")
    if name in doubts:
        return Treatment(name=name, kind="left out", because=doubts[name])
    return Treatment(name=name, kind="as it is", because=because)


def _without_numbers(one: Treatment) -> Treatment:
    return replace(one, kind="left out", because=NO_HOMES) if one.kind == "renumbered" else one


def single_records(table: Table | Blocks, name: str) -> int:
    """How many records have a value in a column that no other record has."""

    def pieces() -> Iterator[np.ndarray]:
        tables = table.tables([name]) if isinstance(table, Blocks) else [table]
        return (one[name] for one in tables)

    attribute = table.schema[name]
    if attribute.is_numeric:
        return value_counts(pieces).single
    counts = np.zeros(attribute.domain_size + 1, np.int64)
    for codes in pieces():
        counts += np.bincount(codes.astype(np.int64) + 1, minlength=len(counts))
    return int((counts[1:] == 1).sum())
