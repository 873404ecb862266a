"""What may be told to the users of a release, in kind: never a value, a place, a count or a name that is not in it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from sfumato.core import Advice, Method, Promise, SfumatoError
from sfumato.data import Schema, Table
from sfumato.data.graph import Graph
from sfumato.jobs._treatment import Treatments
from sfumato.masking import Masking


class Applied(NamedTuple):
    """What users are told of a method and the released columns it may have changed: none, where it is no columns.

    `methods` are those that go by this advice, for who wants to read about them.
    """

    advice: Advice
    columns: tuple[str, ...]
    methods: tuple[Method, ...] = ()


class Pair(NamedTuple):
    """The released columns of the same records before and after, for the owner to compare."""

    before: Table
    after: Table


class Links(NamedTuple):
    """The same nodes with the edges of the original, and with those that are released."""

    before: Graph
    after: Graph


@dataclass(frozen=True, kw_only=True)
class PublicFacts:
    """All that the page for the users of a release is made of.

    `pair` is not there where it would have to be read from disk; `sampled` says that it is of some records only.
    `promise` is what is formally promised of the release: then there is no `pair`, since nothing else may be told.
    `relations` is false where telling which relations changed would tell what is hidden.
    """

    schema: Schema
    records: int
    applied: tuple[Applied, ...]
    treated: Treatments
    shuffled: bool
    pair: Pair | None = None
    sampled: bool = False
    relations: bool = True
    links: Links | None = None
    promise: Promise | None = None

    @property
    def left_out(self) -> int:
        """How many columns of the original are not in the release; which ones is not told."""
        return len(self.treated.columns) - len(self.schema)


def targets_of(step: Masking, schema: Schema) -> tuple[str, ...]:
    """The columns that a step masks, or that it names where they are no longer what it takes."""
    try:
        return step.targets(Table(schema, dict.fromkeys(schema.names, ())))
    except SfumatoError:
        return step.attributes


def maskings_applied(masking: Masking, before: Schema, released: Schema) -> tuple[Applied, ...]:
    """The steps of a masking as users are told of them; steps of which the same is told are one.

    Of a step all of whose columns are left out they are told nothing.
    """
    steps = [(step, _released_targets(step, before, released)) for step in masking.sequence]
    told = [(step, names) for step, names in steps if names or not step.keeps_records]
    return together(Applied(step.advice, names, (step,)) for step, names in told)


def _released_targets(step: Masking, before: Schema, released: Schema) -> tuple[str, ...]:
    """The released columns that a step masks; none where it masks whole records."""
    return tuple(name for name in targets_of(step, before) if name in released and step.keeps_records)


def together(applied: Iterable[Applied]) -> tuple[Applied, ...]:
    found: dict[Advice, Applied] = {}
    for one in applied:
        known = found.get(one.advice, Applied(one.advice, ()))
        columns = tuple(dict.fromkeys([*known.columns, *one.columns]))
        found[one.advice] = Applied(one.advice, columns, known.methods + one.methods)
    return tuple(found.values())


def pair(before: Table, after: Table) -> Pair | None:
    """The columns that both have; nothing where records cannot be compared one by one."""
    names = [name for name in after.names if name in before]
    return Pair(before.select(names), after.select(names)) if before.n == after.n else None
