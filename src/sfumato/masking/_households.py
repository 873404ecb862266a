"""Households in a masking: what members share is masked once for all of them, the rest person by person."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sfumato.core import progress
from sfumato.data import Attribute, Schema, Table
from sfumato.data.attribute import free_name
from sfumato.data.edit_rules import EditRule
from sfumato.data.households import (
    compositions,
    counts_members,
    first_members,
    shared_columns,
    together,
    unlinked,
)
from sfumato.kernels.distinct_records import distinct
from sfumato.masking._missing_values import blank

SIZE = "members of the household"  # the stratum of households that show as many
UNLINKED = "not linked"


@dataclass(frozen=True)
class Homes:
    """Who lives together in a table, and which of the columns to mask members share; there is at least one."""

    table: Table
    labels: np.ndarray
    names: tuple[str, ...]
    shared: tuple[str, ...]

    @classmethod
    def of(cls, table: Table, names: Sequence[str]) -> "Homes | None":
        """None if nobody lives with another, or they share nothing that is masked."""
        if not table.schema.with_role("household"):
            return None
        labels = together(table)
        if int(labels.max(initial=-1)) + 1 == table.n:
            return None
        shared = shared_columns(table, names, labels)
        return cls(table, labels, tuple(names), shared) if shared else None

    @property
    def own(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name not in self.shared)

    @cached_property
    def first(self) -> np.ndarray:
        return first_members(self.labels)

    @cached_property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.labels)

    @cached_property
    def bare(self) -> np.ndarray:
        """The households of which the file shows no number."""
        found: np.ndarray = unlinked(self.table)[self.first]
        return found

    @cached_property
    def counting(self) -> tuple[str, ...]:
        """The shared columns that say how many members a household has."""
        return tuple(name for name in self.shared if counts_members(self.table, name, self.labels))

    @cached_property
    def records(self) -> Table:
        """One record for each household: its first member's, with what the first who says something says of it."""
        columns, reasons = {}, {}
        for name in self.shared:
            rows = self._telling(name)
            columns[name] = self.table[name][rows]
            codes = self.table.reasons(name)
            reasons[name] = None if codes is None else codes[rows]
        found = self.table.take(self.first).replace(columns, reasons=reasons)
        torn = [name for name in self.table.schema.with_role("stratum") if not self._agrees(name)]
        schema = found.schema.with_roles(dict.fromkeys(torn, "other"))
        return found.with_schema(schema.with_rules(rule for rule in schema.rules if self._is_of_homes(rule)))

    def cut(self, k: int) -> np.ndarray:
        """Households that show how many they are as fewer than k do, of their stratum: their links must go."""
        strata = np.zeros(len(self.first), np.int64)
        for number, (_, rows) in enumerate(self.records.strata()):
            strata[rows] = number
        return links_to_cut(strata, self.sizes, self.bare, k)

    def told_by_members(self, people: Table, known: Sequence[str], cut: np.ndarray, k: int) -> np.ndarray:
        """Further households whose links must go, for what is known of all their members in released columns."""
        if not known:
            return np.zeros(len(self.first), bool)
        cells = distinct(people.shown(self.shared)).labels
        kinds = distinct([cells, *people.shown(known)]).labels
        return links_to_cut(cells[self.first], compositions(self.labels, kinds), self.bare | cut, k)

    def by_size(self, cut: np.ndarray) -> Table:
        """The records of households, of which each number of members, and those without links, are a stratum."""
        sizes, labels = np.unique(np.where(cut | self.bare, 0, self.sizes), return_inverse=True)
        return with_stratum(self.records, labels.ravel(), SIZE, [str(size or UNLINKED) for size in sizes])

    def without_counts(self) -> "Homes":
        """The same, but for columns that say how many members there are: these stay as they are."""
        kept = tuple(name for name in self.names if name not in self.counting)
        return replace(self, names=kept, shared=tuple(name for name in self.shared if name in kept))

    def told_to_members(self, new: Table) -> Table:
        """The table in which all members have what the record of their household says."""
        columns, reasons = {}, {}
        for name in self.shared:
            columns[name] = new[name][self.labels]
            codes = new.reasons(name)
            reasons[name] = None if codes is None else codes[self.labels]
        return self.table.replace(columns, [new.schema[name] for name in self.shared], reasons=reasons)

    def without_links(self, table: Table, cut: np.ndarray) -> Table:
        """The table in which some households show no number."""
        return blank(table, table.schema.with_role("household"), cut[self.labels])

    def at_odds(self, masked: Table) -> np.ndarray:
        """Households whose members do not show the same in what they share."""
        shown = distinct(masked.shown(name for name in self.shared if name in masked)).labels
        if not len(shown):
            return np.zeros(len(self.first), bool)
        found: np.ndarray = (
            np.bincount(self.labels, shown != shown[self.first][self.labels]) > 0
        ) & ~self.bare
        return found

    def tell_of_sizes(self, owner: str) -> None:
        """Say that masking how many members there are is no use as long as they can be counted."""
        for name in self.counting:
            progress.note(
                f"{owner}: column {name} says how many members a household has, and so do their numbers: whoever sees "
                "the file can count them. Leave out the numbers, or ask for k households of each size."
            )

    def _telling(self, name: str) -> np.ndarray:
        """For each household the first record that has a value, or the first of all."""
        order = np.lexsort((self.table.missing(name), self.labels))
        found: np.ndarray = order[np.cumsum(self.sizes) - self.sizes]
        return found

    def _is_of_homes(self, rule: EditRule) -> bool:
        """Whether all that it is about is the same for all members, and none of it is masked person by person."""
        return all(
            name in self.shared or (name not in self.names and self._agrees(name)) for name in rule.columns
        )

    def _agrees(self, name: str) -> bool:
        shown = distinct(self.table.shown([name])).labels
        return bool((shown == shown[self.first][self.labels]).all())


def links_to_cut(cells: np.ndarray, kinds: np.ndarray, bare: np.ndarray, k: int) -> np.ndarray:
    """Households that must not be linked, so that of each cell and kind, and of those not linked, there are k or none.

    A cell is what is seen of a household in any case, its kind what only the links tell, and the `bare` have none
    anyway. Where fewer than k of a cell are not linked, the links of its smallest kind go too, until they are k.

    >>> kinds = np.array([1, 1, 1, 2, 2, 2, 2, 9])
    >>> links_to_cut(np.zeros(8, int), kinds, np.zeros(8, bool), 3).tolist()
    [True, True, True, False, False, False, False, True]
    """
    classes = distinct([cells, kinds, bare.astype(np.int8)])
    cut: np.ndarray = ~bare & (classes.counts[classes.labels] < k)
    for rows in groups_of(cells):
        while 0 < (cut | bare)[rows].sum() < k:
            left = rows[~(cut | bare)[rows]]
            if not len(left):
                break
            smallest = classes.labels[left[np.argmin(classes.counts[classes.labels[left]])]]
            cut[left[classes.labels[left] == smallest]] = True
    return cut


def groups_of(labels: np.ndarray) -> list[np.ndarray]:
    """The positions of each label, in its order.

    >>> [rows.tolist() for rows in groups_of(np.array([5, 2, 5]))]
    [[1], [0, 2]]
    """
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def with_stratum(table: Table, labels: np.ndarray, name: str, categories: Sequence[str] = ()) -> Table:
    """The table with one more stratum, so that a masking looks at each but knows the whole file."""
    listed = tuple(categories) or tuple(map(str, range(1, int(labels.max(initial=-1)) + 2)))
    stratum = Attribute(name=free_name(name, table.names), scale="nominal", role="stratum", categories=listed)
    columns = {one: table[one] for one in table.names}
    reasons = {one: found for one in table.names if (found := table.reasons(one)) is not None}
    schema = Schema([*table.schema, stratum], rules=table.schema.rules)
    return Table(schema, {**columns, stratum.name: labels}, reasons=reasons)
