"""Households: which records belong together, and which columns belong to the household."""

from collections.abc import Sequence

import numpy as np

from sfumato.data.edit_rules import Same
from sfumato.data.linked_tables import columns_of_units
from sfumato.data.table import Table
from sfumato.kernels.distinct_records import distinct

SURE = 20.0  # logarithm of how many times less likely agreement by chance is


def together(table: Table) -> np.ndarray:
    """The household of each record, as a number from 0 on.

    The role household says who lives together; without it, or where it is missing, each record is one.
    """
    names = table.schema.with_role("household")
    if not names:
        return np.arange(table.n)
    own = np.where(unlinked(table), np.arange(table.n), -1)
    return distinct([*(table[name] for name in names), own]).labels


def unlinked(table: Table) -> np.ndarray:
    """Which records show no number of a household."""
    names = table.schema.with_role("household")
    if not names:
        return np.ones(table.n, bool)
    return np.asarray(np.logical_or.reduce([table.missing(name) for name in names]))


def first_members(labels: np.ndarray) -> np.ndarray:
    """The first record of each household.

    >>> first_members(np.array([1, 0, 1, 0])).tolist()
    [1, 0]
    """
    return np.unique(labels, return_index=True)[1]


def declared_shared(table: Table) -> set[str]:
    """The columns of which a rule of the schema says that members agree, or which came from a file of households."""
    ruled = {name for rule in table.schema.rules if isinstance(rule, Same) for name in rule.columns}
    return ruled | columns_of_units(table.schema)


def shared_columns(table: Table, names: Sequence[str], labels: np.ndarray) -> tuple[str, ...]:
    """The columns in which members agree: declared, or in all households and too surely so for it to be chance.

    >>> from sfumato.datasets import household_survey
    >>> people = household_survey(200, seed=1)
    >>> shared_columns(people, ("region", "age", "sex", "wealth"), together(people))
    ('region', 'wealth')
    """
    declared = declared_shared(table)
    return tuple(name for name in names if name in declared or _is_shared(table, name, labels))


def _is_shared(table: Table, name: str, labels: np.ndarray) -> bool:
    first = first_members(labels)
    found = distinct(table.shown([name]))
    if len(first) == table.n or not (found.labels == found.labels[first][labels]).all():
        return False
    chance = float(np.sum((found.counts / table.n) ** 2))
    return bool(-(table.n - len(first)) * np.log(chance) >= SURE)


def counts_members(table: Table, name: str, labels: np.ndarray) -> bool:
    """Whether a column says how many members each household has, too surely so for it to be chance.

    Records without a number of a household say nothing of it.

    >>> from sfumato.data import Attribute, Schema
    >>> home = Attribute(name="home", scale="numeric", role="household")
    >>> size = Attribute(name="size", scale="ordinal", categories=("1", "2", "3"))
    >>> homes = np.repeat(np.arange(60), np.arange(60) % 3 + 1)
    >>> people = Table(Schema([home, size]), {"home": homes, "size": (homes % 3)})
    >>> counts_members(people, "size", together(people))
    True
    """
    linked = ~unlinked(table) & ~table.missing(name)
    sizes = np.bincount(labels)[labels]
    said = _as_counts(table, name)
    if not linked.any() or not (said[linked] == sizes[linked]).all():
        return False
    homes = first_members(labels[linked])
    shares = np.bincount(sizes[linked][homes]) / len(homes)
    return bool(-len(homes) * np.log(np.sum(shares**2)) >= SURE)


def _as_counts(table: Table, name: str) -> np.ndarray:
    """What a column says as whole numbers; −1 where it says none."""
    attribute = table.schema[name]
    if attribute.is_numeric:
        return np.where(table.missing(name), -1, table[name])
    numbers = [int(text) if text.isdecimal() else -1 for text in attribute.categories]
    found: np.ndarray = np.array([*numbers, -1])[table[name]]
    return found


def compositions(labels: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """A number for each household that is the same where the kinds of its members are, in whatever order.

    >>> compositions(np.array([0, 0, 1, 1, 2]), np.array([7, 3, 3, 7, 3])).tolist()
    [1, 1, 0]
    """
    sizes = np.bincount(labels)
    starts = np.cumsum(sizes) - sizes
    ordered = kinds[np.lexsort((kinds, labels))]
    found = sizes.copy()
    for place in range(int(sizes.max(initial=0)) if kinds.any() else 0):
        larger = np.flatnonzero(sizes > place)
        found[larger] = distinct([found[larger], ordered[starts[larger] + place]]).labels
    return distinct([found, sizes]).labels
