"""The frame of households: who lives with whom, in which order, and which columns belong to the household."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from sfumato.data import Table
from sfumato.data.households import SURE, shared_columns, together
from sfumato.data.known_names import words_of

AGES = {"age", "alter", "edad", "eta", "idade", "leeftijd"}
FEWEST_OF_A_SIZE = 10  # households; sizes that fewer have are taken together with the next


@dataclass(frozen=True)
class Frame:
    """The household of each record, and its place there: 0 is the reference person.

    That is the one with the first number if a column numbers the members, else the eldest, else who comes first in the file.
    """

    table: Table
    labels: np.ndarray
    place: np.ndarray
    numbering: tuple[str, ...]

    @classmethod
    def of(cls, table: Table) -> "Frame | None":
        """None if nobody lives with another."""
        if not table.schema.with_role("household"):
            return None
        labels = together(table)
        if len(labels) == 0 or int(labels.max()) + 1 == table.n:
            return None
        numbering = tuple(a.name for a in table.schema if _is_numbering(table, a.name, labels))
        return cls(table, labels, _places(labels, _priority(table, numbering)), numbering)

    @cached_property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.labels)

    @cached_property
    def first(self) -> np.ndarray:
        """The record of each reference person, by household."""
        rows = np.flatnonzero(self.place == 0)
        found: np.ndarray = rows[np.argsort(self.labels[rows], kind="stable")]
        return found

    @cached_property
    def size_classes(self) -> np.ndarray:
        """For each household a class of those of its size; sizes of few households are together with their neighbours."""
        counts = np.bincount(self.sizes)
        label, number, held = np.zeros(len(counts), np.int64), 0, 0
        for size, count in enumerate(counts):
            label[size] = number
            held += count
            if held >= FEWEST_OF_A_SIZE:
                number, held = number + 1, 0
        if held and number:
            label[label == number] = number - 1  # what is left of the largest sizes
        return np.unique(label[self.sizes], return_inverse=True)[1].ravel()

    def shared(self, names: Sequence[str]) -> tuple[str, ...]:
        """The columns in which members agree: declared, or in all households and too surely so for it to be chance."""
        return shared_columns(self.table, names, self.labels)

    def new_numbers(self, rng: np.random.Generator) -> np.ndarray:
        """For each household, the record from which it gets its number; those without one have none again."""
        missing = np.logical_or.reduce(
            [self.table.missing(name) for name in self.table.schema.with_role("household")]
        )[self.first]
        found = np.arange(len(self.first))
        for rows in (np.flatnonzero(missing), np.flatnonzero(~missing)):
            found[rows] = rng.permutation(rows)
        numbers: np.ndarray = self.first[found]
        return numbers


def _is_numbering(table: Table, name: str, labels: np.ndarray) -> bool:
    """Whether a column numbers the members of every household from 1 on, too surely so for it to be chance."""
    attribute = table.schema[name]
    if not attribute.is_numeric or attribute.role in ("household", "identifier"):
        return False
    numbered = ~np.logical_or.reduce([table.missing(one) for one in table.schema.with_role("household")])
    values, homes = table[name][numbered], np.unique(labels[numbered], return_inverse=True)[1].ravel()
    if len(values) == 0 or not (np.sort(values)[0] >= 1):
        return False
    order = np.lexsort((values, homes))
    sizes = np.bincount(homes)
    place = np.arange(len(values)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return bool((values[order] == place + 1).all()) and float(scipy.special.gammaln(sizes + 1).sum()) >= SURE


def _priority(table: Table, numbering: Sequence[str]) -> np.ndarray:
    """By what members are put in order, the smallest first."""
    if numbering:
        return np.asarray(np.nan_to_num(table[numbering[0]], nan=np.inf))
    ages = [a.name for a in table.schema if a.is_numeric and AGES & set(words_of(a.name))]
    return np.asarray(np.nan_to_num(-table[ages[0]], nan=np.inf)) if ages else np.zeros(table.n)


def _places(labels: np.ndarray, priority: np.ndarray) -> np.ndarray:
    order = np.lexsort((np.arange(len(labels)), priority, labels))
    sizes = np.bincount(labels)
    place = np.empty(len(labels), np.int64)
    place[order] = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return place
