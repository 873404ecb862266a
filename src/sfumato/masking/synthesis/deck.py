"""The deck: the values that are dealt out to new records, and what these records have already."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sfumato.data import MISSING, Table
from sfumato.masking.synthesis.marks import MISSING_KEY, Marks, content_keys


@dataclass(frozen=True)
class Stage:
    """What is known of new records that are members of households when a deck is dealt out to them.

    `beside` has a row for each new record with its values of given columns, under their names. `mates` says of which column
    a given one is that of the reference person. Values move only within `blocks`, where there are any. `area` is the
    column of areas, whose values nobody moves.
    """

    beside: Table
    mates: Mapping[str, str] = field(default_factory=dict)
    blocks: np.ndarray | None = None
    area: str | None = None

    def of(self, rows: np.ndarray) -> "Stage":
        blocks = None if self.blocks is None else np.unique(self.blocks[rows], return_inverse=True)[1].ravel()
        return replace(self, beside=self.beside.take(rows), blocks=blocks)


@dataclass(frozen=True)
class Deck:
    """The values that are dealt out to new records: those of the original, column by column.

    `free` are the columns that are dealt out, `given` those that stay where they are and are related to, and `numbers`
    the values of free numeric columns as they are released. `known` are the marks of everybody, if those who are unique
    must not be met. With a `stage`, given columns are those of new records and not of the original ones.
    """

    table: Table
    free: tuple[str, ...]
    given: tuple[str, ...]
    numbers: Mapping[str, np.ndarray]
    known: Marks | None = None
    stage: Stage | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.free, *self.given)

    @cached_property
    def movable(self) -> np.ndarray:
        return np.arange(len(self.free))

    @property
    def blocks(self) -> np.ndarray | None:
        return None if self.stage is None else self.stage.blocks

    @cached_property
    def marks(self) -> np.ndarray | None:
        """The marks of what each record gives, column by column; of given ones, of what it has."""
        if self.known is None:
            return None
        columns = [
            self.known.of_column(name, self.values(name), self.table.reasons(name)) for name in self.names
        ]
        return np.column_stack(columns)

    @cached_property
    def people(self) -> np.ndarray | None:
        """The marks of those who are unique and must not be met, where any record may swap with any other."""
        return None if self.known is None or self.blocks is not None else self.known.people(self.names)

    def of(self, rows: np.ndarray) -> "Deck":
        """The same of some records."""
        return replace(
            self,
            table=self.table.take(rows),
            numbers={name: values[rows] for name, values in self.numbers.items()},
            stage=None if self.stage is None else self.stage.of(rows),
        )

    def values(self, name: str) -> np.ndarray:
        """The values of a column that donors give."""
        return self.numbers.get(name, self.table[name])

    def standing(self, name: str) -> np.ndarray:
        """The values of a given column that new records have."""
        return (self.table if self.stage is None else self.stage.beside)[name]

    def dealt(self, donors: np.ndarray) -> Table:
        """The table of records that have the value of each free column from a donor; it is missing where that is −1."""
        columns, reasons = {}, {}
        if self.stage is not None:
            for name in self.given:
                columns[name], reasons[name] = self.standing(name), self.stage.beside.reasons(name)
        for j, name in enumerate(self.free):
            columns[name] = taken(self.values(name), donors[:, j])
            held = self.table.reasons(name)
            reasons[name] = None if held is None else np.where(donors[:, j] < 0, 0, held[donors[:, j]])
        return self.table.replace(columns, reasons=reasons)

    def placed(self, rng: np.random.Generator) -> dict[str, np.ndarray] | None:
        """For each given column, the records that are like the new ones there; none where they are these."""
        if self.stage is None:
            return None
        return {name: _alike(self.table, self.stage.beside, name, rng) for name in self.given}

    def related(self) -> np.ndarray | None:
        """Which pairs of columns are brought near the original's; all if there is no stage.

        Two given ones cannot be; what the reference person has is related to the same column of the other members.
        """
        if self.stage is None:
            return None
        free = np.arange(len(self.names)) < len(self.free)
        found = free[:, None] | free[None, :]
        for k, name in enumerate(self.names):
            if name in self.stage.mates:
                found[k, :] = found[:, k] = [other == self.stage.mates[name] for other in self.names]
        return found


def taken(values: np.ndarray, donors: np.ndarray) -> np.ndarray:
    """The values of donors; what the donor −1 gives is missing."""
    found = values[donors]
    if donors.size and donors.min() < 0:
        found = np.where(donors < 0, np.nan if values.dtype.kind == "f" else MISSING, found)
    return np.asarray(found)


def _alike(table: Table, beside: Table, name: str, rng: np.random.Generator) -> np.ndarray:
    """For each row beside, a record of the table with the same content in a column, else one with a near number, or any."""
    keys, wanted = (content_keys(one[name], one.reasons(name)) for one in (table, beside))
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first, last = np.searchsorted(ordered, wanted, "left"), np.searchsorted(ordered, wanted, "right")
    at = first + np.floor(rng.random(len(wanted)) * np.maximum(last - first, 1)).astype(np.int64)
    without = first == last
    if without.any():
        drawn = rng.integers(0, len(keys), len(wanted))
        near = table.schema[name].is_numeric & (wanted > MISSING_KEY)
        at = np.where(without, np.where(near, np.minimum(first, len(keys) - 1), drawn), at)
    found: np.ndarray = order[at]
    return found
