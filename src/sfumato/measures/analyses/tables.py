"""Tables: counts by two and by three columns."""

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np

from sfumato.core import stream
from sfumato.data import Table
from sfumato.kernels.table_counts import table_counts
from sfumato.measures.analyses.bins import Bins, suitable_bins
from sfumato.measures.analyses.contract import Kind, sampled

MOST_TRIPLES = 300
MOST_COUNTED = 300_000_000  # records, over all tables: about a second


class Tables(Kind):
    """Σ_cells |share' − share| / 2 of each table: the share of the records that stand in another cell.

    Records count alike, whatever their survey weight, which is a column of the tables like any other: so what is
    compared is the file, and a search can follow it cell by cell.
    """

    def __init__(self, original: Table, items: Sequence[tuple[str, ...]]) -> None:
        self.about = tuple(items)
        self.most = max(MOST_COUNTED // max(len(items), 1), 1)
        names = tuple(dict.fromkeys(name for item in items for name in item))
        sizes = sorted({len(item) for item in items})
        self.bins = {size: Bins(original, names, suitable_bins(original.n, size)) for size in sizes}
        self.rows = [
            (size, name) for size in sizes for name in names
        ]  # each column once for each size of table
        self._number_cells()
        self.shares = self._shares(original)

    def _number_cells(self) -> None:
        place = {row: at for at, row in enumerate(self.rows)}
        deepest = max((len(item) for item in self.about), default=0)
        self.columns = np.zeros((len(self.about), deepest), np.int64)
        self.strides = np.zeros_like(self.columns)
        self.offsets = np.zeros(len(self.about), np.int64)
        self.cells = 0
        for t, item in enumerate(self.about):
            self.offsets[t], stride = self.cells, 1
            for j, name in enumerate(item):
                self.columns[t, j], self.strides[t, j] = place[len(item), name], stride
                stride *= self.bins[len(item)].widths[name]
            self.cells += stride

    def digits(self, table: Table) -> np.ndarray:
        """The group of each record in each column, a row for each of `rows`."""
        digits = np.empty((len(self.rows), table.n), np.uint8)
        for at, (size, name) in enumerate(self.rows):
            digits[at] = self.bins[size].digits(name, table[name])
        return digits

    def counts(self, table: Table) -> np.ndarray:
        """The records in each cell of each table."""
        return table_counts(self.digits(table), self.columns, self.strides, self.offsets, self.cells)

    def _shares(self, table: Table) -> np.ndarray:
        table = sampled(table, self.most)
        return self.counts(table) / max(table.n, 1)

    def distances(self, table: Table) -> np.ndarray:
        if not self.about:
            return np.empty(0)
        apart = np.abs(self._shares(table) - self.shares)
        return np.add.reduceat(apart, self.offsets) / 2


def pairs_and_triples(names: Sequence[str]) -> list[tuple[str, ...]]:
    """All pairs of columns, and their triples: of many columns 300, drawn once and for all.

    >>> pairs_and_triples(["a", "b", "c"])
    [('a', 'b'), ('a', 'c'), ('b', 'c'), ('a', 'b', 'c')]
    """
    if len(names) == 1:
        return [(names[0],)]
    triples = list(combinations(names, 3)) if comb(len(names), 3) <= MOST_TRIPLES else _drawn_triples(names)
    return [*combinations(names, 2), *triples]


def _drawn_triples(names: Sequence[str]) -> list[tuple[str, ...]]:
    rng = stream(0, "analyst_loss", "triples", len(names))
    drawn: set[tuple[int, ...]] = set()
    while len(drawn) < MOST_TRIPLES:
        drawn.add(tuple(sorted(rng.choice(len(names), 3, replace=False).tolist())))
    return [tuple(names[at] for at in triple) for triple in sorted(drawn)]
