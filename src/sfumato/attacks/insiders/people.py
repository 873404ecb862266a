"""The people and records that are compared: in one order whatever that of the files, and no more than needed."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sfumato.data import Table
from sfumato.kernels.distinct_records import distinct

MOST_PEOPLE = 2000  # asked about on either side


class Asked(NamedTuple):
    """The rows of the people asked about, in the original and in the file of people outside."""

    inside: np.ndarray
    outside: np.ndarray


def asked_about(original: Table, outside: Table, rng: np.random.Generator) -> Asked:
    """All people, or samples of them."""
    return Asked(some_rows(original.n, MOST_PEOPLE, rng), some_rows(outside.n, MOST_PEOPLE, rng))


def some_rows(n: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """All rows, or a sample of so many, in their order."""
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))


def together(original: Table, outside: Table) -> Table:
    """Everybody: scales that are fitted to them know no more of the people inside than of those outside."""
    columns = {name: np.concatenate([original[name], outside[name]]) for name in original.names}
    return Table(original.schema, columns)


def in_order(table: Table, names: Sequence[str]) -> Table:
    """Some columns of all records, sorted: what is drawn from them does not depend on the order of the file.

    >>> from sfumato.data import Attribute, Schema
    >>> x = Attribute(name="x", scale="numeric")
    >>> in_order(Table(Schema([x]), {"x": [3.0, 1.0, 2.0]}), ["x"])["x"].tolist()
    [1.0, 2.0, 3.0]
    """
    return table.select(names).take(sorting(table, names))


def sorting(table: Table, names: Sequence[str]) -> np.ndarray:
    """The rows of a table, sorted by some columns."""
    return np.argsort(distinct([table[name] for name in names]).labels, kind="stable")
