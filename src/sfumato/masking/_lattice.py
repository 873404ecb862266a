"""The lattice of full-domain generalisations: one level for each column, and the classes of records at each node."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sfumato.data import Scale, Table
from sfumato.kernels.coarser_classes import added_up, class_keys, coarser_values, numbered
from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.population_risk import weight_unit
from sfumato.masking._levels import Level, levels_of
from sfumato.masking._parts import DistinctRecords

Node = tuple[int, ...]  # the level of each column

LARGEST_KEY = 2**62
RECORDS, PEOPLE = range(2)  # what is added up over the records of a class


class Secret(NamedTuple):
    """What a confidential column is compared with: its values in each stratum, in order.

    Those of stratum s lie from `ends[s, 0]` up to `ends[s, 1]` in one numbering; `upto` counts all up to each.
    """

    scale: Scale
    ends: np.ndarray
    upto: np.ndarray


class Classes(NamedTuple):
    """Records that are alike at a node: a row that shows each class, sums over its records, and secret values.

    `values` holds for each confidential column rows of class, value and count. Classes come in the order of the first
    of their rows, whichever way they were counted.
    """

    node: Node
    first: np.ndarray
    sums: np.ndarray
    values: tuple[np.ndarray, ...]

    @property
    def counts(self) -> np.ndarray:
        """How many records each class has."""
        counts: np.ndarray = self.sums[:, RECORDS]
        return counts

    def __len__(self) -> int:
        return len(self.first)


class Lattice:
    """The levels of some columns of a table, and its distinct records, of which all nodes are counted.

    Rows of `states` are the distinct records: a state for each column, and last their stratum, which has one level;
    `codes` are those of the columns that make the stratum.
    """

    def __init__(
        self, records: DistinctRecords, names: Sequence[str], *, secret: Sequence[str], weighted: bool
    ) -> None:
        table, counts = records.table, records.counts
        self.columns = [levels_of(table, name, counts) for name in names]
        self.strata, stratum = _strata(table)
        states = [c.states(table[n], table.reasons(n)) for c, n in zip(self.columns, names, strict=True)]
        found = distinct([*states, stratum])
        self.states = np.column_stack([*states, stratum])[found.first]
        self.codes = table.codes(table.schema.with_role("stratum"))[found.first]
        self.unit = weight_unit(float(records.weights.sum())) if weighted else 1.0
        people = np.rint(records.weights / self.unit).astype(np.int64)
        sums = np.column_stack([counts, people] if weighted else [counts])
        sums = added_up(found.labels.astype(np.int32), sums, len(found.first))
        self.sizes = np.bincount(self.stratum, sums[:, RECORDS], len(self.strata)).astype(np.int64)
        self.n = int(self.sizes.sum())
        found_secrets = [_secret(records, name, found.labels, stratum) for name in secret]
        self.secrets = tuple(known for known, _ in found_secrets)
        rows = np.arange(len(found.first), dtype=np.int32)
        self.finest = Classes((0,) * len(names), rows, sums, tuple(values for _, values in found_secrets))
        self._flatten()

    @property
    def stratum(self) -> np.ndarray:
        """The stratum of each distinct record."""
        stratum: np.ndarray = self.states[:, -1]
        return stratum

    @property
    def top(self) -> Node:
        return tuple(len(column) - 1 for column in self.columns)

    def at(self, node: Node) -> Iterator[tuple[int, Level]]:
        """The columns by number, each with its level."""
        return enumerate(c.levels[i] for c, i in zip(self.columns, node, strict=True))

    def coarser(self, finer: Classes, node: Node) -> Classes:
        """The classes at a node, added up from those at a finer one."""
        labels, first = self.labelled(finer.first, node)
        sums = added_up(labels, finer.sums, len(first))
        rolled = [
            coarser_values(found, labels, len(first), len(secret.upto))
            for found, secret in zip(finer.values, self.secrets, strict=True)
        ]
        return Classes(node, finer.first[first], sums, tuple(rolled))

    def labelled(self, rows: np.ndarray, node: Node) -> tuple[np.ndarray, np.ndarray]:
        """Which of some rows are alike at a node: a number for each, and where each number first comes."""
        keys, limit = np.zeros(len(rows), np.int64), 1
        for some in self._columns_that_fit(node, len(rows)):
            found = class_keys(rows, self.states, some, self._to, self._offsets(node, some[0]))
            size = int(some[2, 0])
            if limit > 1:
                found += keys * size  # the numbers of what was equal so far
            labels, first = numbered(found, limit * size)
            keys, limit = labels.astype(np.int64), len(first)
        return labels, first

    def missing(self, classes: Classes, *, empty: bool) -> np.ndarray:
        """Which classes show no value in any column: nothing but empty cells, or codes as well."""
        any_gaps = all(self._gaps[column][level] for column, level in enumerate(classes.node))
        found = np.full(len(classes), any_gaps)
        for column, level in self.at(classes.node) if any_gaps else ():
            here = level.to[self.states[classes.first, column]]
            found &= level.missing[here]
            if empty and level.codes:
                found &= here == len(self.columns[column].values)
        return found

    def _flatten(self) -> None:
        """All levels of all columns in one array, and where each begins; strata are a column with one level.

        And whether a column has missing values at a level.
        """
        levels = [[level.to for level in column.levels] for column in self.columns]
        levels.append([np.arange(len(self.strata), dtype=np.int32)])
        self._to = np.concatenate([to for column in levels for to in column])
        starts = iter(np.cumsum([0, *(len(to) for column in levels for to in column)]).tolist())
        self._starts = [[next(starts) for _ in column] for column in levels]
        self._gaps = [
            [bool(level.missing[level.to[column]].any()) for level in levels.levels]
            for levels, column in zip(self.columns, self.states.T, strict=False)
        ]

    def _offsets(self, node: Node, columns: np.ndarray) -> np.ndarray:
        return np.array([self._starts[j][(*node, 0)[j]] for j in columns.tolist()], np.int64)

    def _columns_that_fit(self, node: Node, rows: int) -> Iterator[np.ndarray]:
        """Columns that are not all alike at a node, with strides, and how many keys they make; a few at a time.

        So many that their keys, beside the numbers of as many rows, are whole numbers of 64 bits.
        """
        sizes = [*(level.size for _, level in self.at(node)), len(self.strata)]
        some: list[tuple[int, int]] = []
        total = 1
        for column, size in enumerate(sizes):
            if size > 1 and total * size * max(rows, 1) >= LARGEST_KEY:
                yield _strided(some, total)
                some, total = [], 1
            if size > 1:
                some.append((column, total))
                total *= size
        yield _strided(some, total)


def _strided(some: list[tuple[int, int]], total: int) -> np.ndarray:
    columns = np.zeros((3, max(len(some), 1)), np.int64)
    columns[2] = total
    if some:
        columns[:2] = np.array(some).T
    return columns


def _strata(table: Table) -> tuple[list[str], np.ndarray]:
    """The names of strata, and which of them each record is in."""
    strata = table.strata()
    stratum = np.empty(table.n, np.int32)
    for number, (_, rows) in enumerate(strata):
        stratum[rows] = number
    return [label for label, _ in strata], stratum


def _secret(
    records: DistinctRecords, name: str, labels: np.ndarray, stratum: np.ndarray
) -> tuple[Secret, np.ndarray]:
    """What is known of a confidential column, and how often each value occurs in each row of states."""
    table = records.table
    attribute, rows = table.schema[name], np.flatnonzero(~table.missing(name))
    strata, codes, counts = stratum[rows], table[name][rows], records.counts[rows]
    number = int(stratum.max()) + 1
    if attribute.is_numeric:
        cells = distinct([strata, codes])  # sorted by stratum, then by value
        codes, sizes = cells.labels, np.bincount(strata[cells.first], minlength=number)
    else:
        codes = strata.astype(np.int64) * attribute.domain_size + codes
        sizes = np.full(number, attribute.domain_size)
    ends = np.cumsum(np.append(0, sizes))
    before = np.append(0, np.cumsum(np.bincount(codes, counts, ends[-1]).astype(np.int64)))
    upto = before[1:] - np.repeat(before[ends[:-1]], sizes)
    pairs = distinct([labels[rows], codes])
    totals = np.bincount(pairs.labels, counts, len(pairs.first)).astype(np.int64)
    values = np.column_stack([labels[rows][pairs.first], codes[pairs.first], totals]).astype(np.int64)
    return Secret(attribute.scale, np.column_stack([ends[:-1], ends[1:]]), upto), values
