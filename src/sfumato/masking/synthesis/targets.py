"""What a synthetic file is brought to: tables of pairs whose cells hold many people, and products of columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sfumato.kernels.calibrating_swaps import FEATURES, Guard, Products, Records, Tables
from sfumato.masking.synthesis.cells import Cells, cells_of
from sfumato.masking.synthesis.columns import Column
from sfumato.masking.synthesis.never_met import guard_of
from sfumato.masking.synthesis.triples import Triple, related_triples, tables_of_three

PRODUCT_WEIGHT = 30.0  # of two numbers
INDICATOR_WEIGHT = (
    3.0  # of a number and a category: a swap of a rare one moves such a sum by far, and would be refused
)
LEAST_UNEXPLAINED = 0.02  # 1 − r², by which the gap of two numbers counts: regressions see what is left of it


@dataclass(frozen=True)
class Targets:
    """The original as what is to be kept of it: nothing in it is about fewer than `least` people.

    `context` is the group of each record that a second set of tables is kept within, with cells of `least_within`;
    `new_context` is that of each new record, where it is another.
    `related` says which pairs of columns are looked at, if not all are, and `bans` which fine groups of two columns must
    not meet because a rule says so. There are at most `most_triples` tables of three columns, those that their pairs explain
    least, with cells of `least_of_three`.
    """

    columns: Sequence[Column]
    least: int
    context: np.ndarray | None = None
    least_within: int = 20
    related: np.ndarray | None = None
    bans: Mapping[tuple[int, int], np.ndarray] = field(default_factory=dict)
    new_context: np.ndarray | None = None
    most_triples: int = 0
    least_of_three: int = 60

    def _are_related(self, j: int, k: int) -> bool:
        return self.related is None or bool(self.related[j, k])

    @property
    def n(self) -> int:
        return len(self.columns[0].bins)

    @cached_property
    def contexts(self) -> np.ndarray:
        return np.zeros(self.n, np.int32) if self.context is None else self.context.astype(np.int32)

    def records(self, donors: np.ndarray, released: Mapping[str, np.ndarray]) -> Records:
        """The state of records that have their values from donors; numbers are those that are released."""
        numeric = [c for c in self.columns if c.numbers.shape[1]]
        features = [c.features(released.get(c.name)) for c in numeric]
        at = [j for j, c in enumerate(self.columns) if c.numbers.shape[1]]
        return Records(
            bins=self._taken(donors, [c.bins for c in self.columns], np.int16),
            fine=self._taken(donors, [c.fine for c in self.columns], np.int16),
            indicator=self._taken(donors, self._indicators(), np.int32),
            numbers=np.ascontiguousarray(
                np.hstack(
                    [
                        np.empty((len(donors), 0)),
                        *(f[donors[:, j]] for f, j in zip(features, at, strict=True)),
                    ]
                )
            ),
            context=self.contexts if self.new_context is None else self.new_context.astype(np.int32),
            donor=np.ascontiguousarray(donors.astype(np.int32)),
            holder=_inverse(donors),
            order=self._order,
            rank=_inverse(self._order),
            first=self._first,
        )

    @cached_property
    def _order(self) -> np.ndarray:
        """Records of the original by what they have in each column."""
        values = [(c.numbers[:, 1] if c.numbers.shape[1] else c.bins, c.bins) for c in self.columns]
        return np.column_stack([np.lexsort(keys) for keys in values]).astype(np.int32, order="C")

    @cached_property
    def _first(self) -> np.ndarray:
        """Where the records of each bin begin in that order; those of a bin that is not there are none."""
        most = max(c.groups for c in self.columns)
        counts = [np.bincount(c.bins, minlength=most) for c in self.columns]
        return np.array([np.concatenate([[0], np.cumsum(one)]) for one in counts])

    def _taken(self, donors: np.ndarray, columns: Sequence[np.ndarray], kind: type) -> np.ndarray:
        return np.column_stack([column[donors[:, j]] for j, column in enumerate(columns)]).astype(
            kind, order="C"
        )

    def _indicators(self) -> list[np.ndarray]:
        """Indicators numbered over all columns, after the features of numbers."""
        first = FEATURES * sum(c.numbers.shape[1] > 0 for c in self.columns)
        found = []
        for c in self.columns:
            found.append(np.where(c.indicator >= 0, c.indicator + first, -1))
            first += c.indicators
        return found

    def tables(self, records: Records) -> Tables:
        """The cells of all tables, and how far the records are from their targets."""
        d = len(self.columns)
        start, span, step = np.full((2, d, d), -1), np.zeros((2, d, d), np.int64), np.zeros((d, d), np.int64)
        cells = Cells()
        for level, contexts in enumerate(self._levels()):
            for j in range(d):
                for k in range(j + 1, d):
                    if not self._are_related(j, k) or (level and self._is_context(j, k)):
                        continue
                    labels, counts = self._cells(j, k, contexts, level)
                    start[level, [j, k], [k, j]] = cells.add(labels, counts)
                    span[level, [j, k], [k, j]] = labels[0].size
                    step[j, k], step[k, j] = labels.shape[2], 1
        threes = tables_of_three(self.columns, self._triples, self.least_of_three, cells)
        told, target = ~np.isnan(cells.targets), np.nan_to_num(cells.targets)
        weight = told / np.maximum(1.0, target * (1.0 - target / self.n) + 0.5)
        found = Tables(cells.numbers, start, span, step, -target, weight, threes)
        _count(records, found)
        return found

    @cached_property
    def _triples(self) -> list[Triple]:
        """Of columns that are related and are not the context, within which every pair has a table anyway."""
        d = range(len(self.columns))
        allowed = [[self._are_related(j, k) and not self._is_context(j, k) for k in d] for j in d]
        return related_triples(self.columns, self.most_triples, np.array(allowed))

    def _levels(self) -> list[np.ndarray]:
        whole = np.zeros(self.n, np.int32)
        return [whole] if self.context is None else [whole, self.contexts]

    def _is_context(self, j: int, k: int) -> bool:
        """Whether one of the columns is that of the contexts."""
        return j in self._context_columns or k in self._context_columns

    @cached_property
    def _context_columns(self) -> set[int]:
        if self.context is None:
            return set()
        return {j for j, column in enumerate(self.columns) if _determines(self.contexts, column.fine)}

    def _cells(self, j: int, k: int, contexts: np.ndarray, level: int) -> tuple[np.ndarray, np.ndarray]:
        x, y = self.columns[j], self.columns[k]
        shape = (int(contexts.max()) + 1, x.groups, y.groups)
        flat = (contexts.astype(np.int64) * shape[1] + x.bins) * shape[2] + y.bins
        counts = np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)
        both_numbers = bool(x.numbers.shape[1] and y.numbers.shape[1])
        return cells_of(counts, self.least_within if level else self.least, sparse=not both_numbers)

    def products(self, records: Records) -> Products:
        """Sums of products of features of different columns, each counted by how much it varies by chance."""
        numbers = [c.numbers for c in self.columns if c.numbers.shape[1]]
        number = np.full(len(self.columns), -1)
        number[[j for j, c in enumerate(self.columns) if c.numbers.shape[1]]] = np.arange(len(numbers))
        F = np.hstack([np.empty((self.n, 0)), *numbers])
        I = self._indicators()  # noqa: E741 -- the indicators of the original
        total = F.shape[1] + sum(c.indicators for c in self.columns)
        target, weight = np.zeros((F.shape[1], total)), np.zeros((F.shape[1], total))
        own = np.repeat(np.flatnonzero(number >= 0), FEATURES)  # the column of each feature
        target[:, : F.shape[1]], squares = F.T @ F, (F**2).T @ (F**2)
        unexplained = np.maximum(1.0 - (target[:, : F.shape[1]] / self.n) ** 2, LEAST_UNEXPLAINED)
        weight[:, : F.shape[1]] = np.where(
            np.triu(own[:, None] != own[None, :]),
            PRODUCT_WEIGHT * _by_chance(target[:, : F.shape[1]], squares, self.n) / unexplained,
            0.0,
        )
        for j, column in enumerate(I):
            has = column >= 0
            if has.any():
                for f in range(F.shape[1]):
                    if own[f] != j:
                        sums = np.bincount(column[has], F[has, f], total)
                        squared = np.bincount(column[has], F[has, f] ** 2, total)
                        at = np.unique(column[has])
                        target[f, at] = sums[at]
                        weight[f, at] = INDICATOR_WEIGHT * _by_chance(sums[at], squared[at], self.n)
        if self.related is not None:
            self._leave_out_unrelated(weight, own)
        found = Products(number, -target, weight)
        _multiply(records, found)
        return found

    def _leave_out_unrelated(self, weight: np.ndarray, own: np.ndarray) -> None:
        """No product counts of columns that are not related."""
        assert self.related is not None
        columns = np.concatenate(
            [own, np.repeat(np.arange(len(self.columns)), [c.indicators for c in self.columns])]
        )
        weight[~self.related[np.ix_(own, columns)]] = 0.0

    def guard(self) -> Guard:
        """Pairs of values that must not meet."""
        return guard_of(self.columns, self._are_related, self.bans)


def _inverse(rows: np.ndarray) -> np.ndarray:
    """Where each row number stands in each column."""
    found = np.empty(rows.shape, np.int32)
    np.put_along_axis(found, rows.astype(np.int64), np.arange(len(rows), dtype=np.int32)[:, None], axis=0)
    return found


def _determines(contexts: np.ndarray, groups: np.ndarray) -> bool:
    pairs = contexts.astype(np.int64) * (int(groups.max()) + 1) + groups
    return len(np.unique(pairs)) == len(np.unique(contexts))


def _by_chance(sums: np.ndarray, squares: np.ndarray, n: int) -> np.ndarray:
    """One over what a sum of products varies by chance: n times the variance of the product."""
    variance = squares / n - (sums / n) ** 2
    return np.where(variance > 1e-9, 1.0 / (n * np.maximum(variance, 1e-9)), 0.0)


def _count(records: Records, tables: Tables) -> None:
    for level, j, k in zip(*np.nonzero(np.triu(tables.start >= 0)), strict=True):
        at = tables.start[level, j, k] + tables.step[j, k] * records.bins[:, j].astype(np.int64)
        at += tables.step[k, j] * records.bins[:, k]
        if level:
            at += tables.span[level, j, k] * records.context
        tables.gap[:] += np.bincount(tables.cell[at], minlength=len(tables.gap))
    threes = tables.threes
    for columns, start, step in zip(threes.columns, threes.start, threes.step, strict=True):
        at = start + records.bins[:, columns].astype(np.int64) @ step
        tables.gap[:] += np.bincount(tables.cell[at], minlength=len(tables.gap))


def _multiply(records: Records, products: Products) -> None:
    F = records.numbers
    width = F.shape[1]
    products.gap[:, :width] += F.T @ F
    for j in range(records.indicator.shape[1]):
        column = records.indicator[:, j]
        has = column >= 0
        for f in range(width):
            products.gap[f] += np.bincount(column[has], F[has, f], products.gap.shape[1])
