"""What a synthetic file is brought to: tables of pairs whose cells hold many people, and products of columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.stats import rankdata

from sfumato.data import Table
from sfumato.kernels.calibrating_swaps import Guard, Products, Records, Tables
from sfumato.kernels.grid_cuts import cut_grid
from sfumato.masking.synthesis.groups import grouped, profiles, similar_order, value_ranks

NUMBER_GROUPS = 16
MOST_GROUPS = 64  # of categories
FINE_GROUPS = 100
EXPECTED = 3.0  # people that a pair which never occurs would have if its columns were unrelated
EXPECTED_ALONG = (
    5.0  # the same of neighbouring values of an ordered column, none of which ever occurs with another value
)
FEWEST_WITH = 10  # people with a category that has an indicator
PRODUCT_WEIGHT = 30.0
LEAST_UNEXPLAINED = 0.02  # 1 − r², by which the gap of two numbers counts: regressions see what is left of it


@dataclass(frozen=True)
class Column:
    """One column of the original: the group of each record in tables and in the guard, and its features."""

    name: str
    bins: np.ndarray
    fine: np.ndarray
    indicator: np.ndarray  # of the categories with enough people, from 0; −1 for others
    indicators: int
    numbers: np.ndarray  # n × 2: standardised value and rank; n × 0 if it is not numeric
    ordered: bool

    @property
    def groups(self) -> int:
        return int(self.bins.max()) + 1

    @property
    def fine_groups(self) -> int:
        return int(self.fine.max()) + 1


def columns_of(table: Table, names: Sequence[str]) -> list[Column]:
    known = profiles(table, names)
    return [_column(table, name, known) for name in names]


def _column(table: Table, name: str, known: dict[str, np.ndarray]) -> Column:
    ranks, counts = value_ranks(table, name)
    attribute = table.schema[name]
    if attribute.scale == "nominal":
        others = [profile for other, profile in known.items() if other != name]
        beside = np.hstack(others) if others else np.empty((table.n, 0))
        places = similar_order(ranks, len(counts), beside)
        ranks, counts = places[ranks], counts[np.argsort(places)]
    missing = table.missing(name)
    indicator, indicators = _indicators(ranks, counts, missing if attribute.is_numeric else None)
    gaps = len(np.unique(ranks[missing])) if attribute.is_numeric else 0
    return Column(
        name=name,
        bins=_in_groups(counts, gaps, NUMBER_GROUPS if attribute.is_numeric else MOST_GROUPS)[ranks],
        fine=_in_groups(counts, gaps, FINE_GROUPS)[ranks],
        indicator=indicator,
        indicators=indicators,
        numbers=_numbers(table[name]) if attribute.is_numeric else np.empty((table.n, 0)),
        ordered=attribute.scale != "nominal",
    )


def _in_groups(counts: np.ndarray, gaps: int, most: int) -> np.ndarray:
    """The group of each distinct content; the first ones, codes for missing values, are groups of their own."""
    return np.concatenate([np.arange(gaps), gaps + grouped(counts[gaps:], most)])


def _indicators(ranks: np.ndarray, counts: np.ndarray, missing: np.ndarray | None) -> tuple[np.ndarray, int]:
    """Number the contents that enough people have, and enough others have not; of numbers, only what is missing."""
    n = len(ranks)
    enough = (counts >= FEWEST_WITH) & (n - counts >= FEWEST_WITH)
    if missing is not None:
        enough[np.setdiff1d(np.arange(len(counts)), ranks[missing])] = False
    elif len(counts) == 2:
        enough[0] = False  # the other one tells the same
    number = np.where(enough, np.cumsum(enough) - 1, -1)
    return number[ranks], int(enough.sum())


def _numbers(values: np.ndarray) -> np.ndarray:
    """Standardised values and ranks; a missing value stands at the mean."""
    present = ~np.isnan(values)
    found = np.zeros((len(values), 2))
    if present.any():
        for column, numbers in enumerate((values[present], rankdata(values[present]))):
            spread = numbers.std()
            found[present, column] = (numbers - numbers.mean()) / spread if spread > 0 else 0.0
    return found


@dataclass(frozen=True)
class Targets:
    """The original as what is to be kept of it: nothing in it is about fewer than `least` people.

    `context` is the group of each record that a second set of tables is kept within, with cells of `least_within`;
    `new_context` is that of each new record, where it is another.
    `related` says which pairs of columns are looked at, if not all are, and `bans` which fine groups of two columns must
    not meet because a rule says so.
    """

    columns: Sequence[Column]
    least: int
    context: np.ndarray | None = None
    least_within: int = 20
    related: np.ndarray | None = None
    bans: Mapping[tuple[int, int], np.ndarray] = field(default_factory=dict)
    new_context: np.ndarray | None = None

    def _are_related(self, j: int, k: int) -> bool:
        return self.related is None or bool(self.related[j, k])

    @property
    def n(self) -> int:
        return len(self.columns[0].bins)

    @cached_property
    def contexts(self) -> np.ndarray:
        return np.zeros(self.n, np.int32) if self.context is None else self.context.astype(np.int32)

    def records(self, donors: np.ndarray, released: dict[str, np.ndarray]) -> Records:
        """The state of records that have their values from donors; numbers are those that are released."""
        numeric = [c for c in self.columns if c.numbers.shape[1]]
        features = [_rescaled(c, released.get(c.name)) for c in numeric]
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
        )

    @cached_property
    def _order(self) -> np.ndarray:
        """Records of the original by what they have in each column."""
        values = [c.numbers[:, 1] if c.numbers.shape[1] else c.bins for c in self.columns]
        return np.column_stack([np.argsort(one, kind="stable") for one in values]).astype(np.int32, order="C")

    def _taken(self, donors: np.ndarray, columns: Sequence[np.ndarray], kind: type) -> np.ndarray:
        return np.column_stack([column[donors[:, j]] for j, column in enumerate(columns)]).astype(
            kind, order="C"
        )

    def _indicators(self) -> list[np.ndarray]:
        """Indicators numbered over all columns, after the features of numbers."""
        first = 2 * sum(c.numbers.shape[1] > 0 for c in self.columns)
        found = []
        for c in self.columns:
            found.append(np.where(c.indicator >= 0, c.indicator + first, -1))
            first += c.indicators
        return found

    def tables(self, records: Records) -> Tables:
        """The cells of all pairs, and how far the records are from their targets."""
        d = len(self.columns)
        start, span, step = np.full((2, d, d), -1), np.zeros((2, d, d), np.int64), np.zeros((d, d), np.int64)
        cells: list[np.ndarray] = []
        targets: list[np.ndarray] = []
        at = number = 0
        for level, contexts in enumerate(self._levels()):
            for j in range(d):
                for k in range(j + 1, d):
                    if not self._are_related(j, k) or (level and self._is_context(j, k)):
                        continue
                    labels, counts = self._cells(j, k, contexts, level, number)
                    start[level, [j, k], [k, j]] = at
                    span[level, [j, k], [k, j]] = labels[0].size
                    step[j, k], step[k, j] = labels.shape[2], 1
                    cells.append(labels.ravel())
                    targets.append(counts)
                    at, number = at + labels.size, number + len(counts)
        target = np.concatenate(targets) if targets else np.empty(0)
        cell = np.concatenate(cells) if cells else np.empty(0, np.int32)
        weight = 1.0 / np.maximum(1.0, target * (1.0 - target / self.n) + 0.5)
        found = Tables(cell.astype(np.int32), start, span, step, -target, weight)
        _count(records, found)
        return found

    def _levels(self) -> list[np.ndarray]:
        whole = np.zeros(self.n, np.int32)
        return [whole] if self.context is None else [whole, self.contexts]

    def _is_context(self, j: int, k: int) -> bool:
        """Whether one of the columns is that of the contexts."""
        return any(_determines(self.contexts, self.columns[column].fine) for column in (j, k))

    def _cells(
        self, j: int, k: int, contexts: np.ndarray, level: int, first: int
    ) -> tuple[np.ndarray, np.ndarray]:
        x, y = self.columns[j], self.columns[k]
        shape = (int(contexts.max()) + 1, x.groups, y.groups)
        flat = (contexts.astype(np.int64) * shape[1] + x.bins) * shape[2] + y.bins
        counts = np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)
        labels = np.empty(shape, np.int32)
        number = first
        for group in range(shape[0]):
            number = cut_grid(
                counts[group], self.least_within if level else self.least, labels[group], number
            )
        return labels, np.bincount(labels.ravel() - first, counts.ravel(), number - first)

    def products(self, records: Records) -> Products:
        """Sums of products of features of different columns, each counted by how much it varies by chance."""
        numbers = [c.numbers for c in self.columns if c.numbers.shape[1]]
        number = np.full(len(self.columns), -1)
        number[[j for j, c in enumerate(self.columns) if c.numbers.shape[1]]] = np.arange(len(numbers))
        F = np.hstack([np.empty((self.n, 0)), *numbers])
        I = self._indicators()  # noqa: E741 -- the indicators of the original
        total = F.shape[1] + sum(c.indicators for c in self.columns)
        target, weight = np.zeros((F.shape[1], total)), np.zeros((F.shape[1], total))
        own = np.repeat(np.flatnonzero(number >= 0), 2)  # the column of each feature
        target[:, : F.shape[1]], squares = F.T @ F, (F**2).T @ (F**2)
        unexplained = np.maximum(1.0 - (target[:, : F.shape[1]] / self.n) ** 2, LEAST_UNEXPLAINED)
        weight[:, : F.shape[1]] = np.where(
            np.triu(own[:, None] != own[None, :]),
            _weights(target[:, : F.shape[1]], squares, self.n) / unexplained,
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
                        target[f, at], weight[f, at] = sums[at], _weights(sums[at], squared[at], self.n)
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
        """Pairs of fine groups that never occur though some people would have them if columns were unrelated."""
        d = len(self.columns)
        start, step = np.full((d, d), -1), np.zeros((d, d), np.int64)
        banned: list[np.ndarray] = []
        at = 0
        for j in range(d):
            for k in range(j + 1, d):
                if not self._are_related(j, k):
                    continue
                never = _never(self.columns[j], self.columns[k])
                if (j, k) in self.bans:
                    never |= self.bans[j, k]
                if never.any():
                    start[[j, k], [k, j]] = at
                    step[j, k], step[k, j] = never.shape[1], 1
                    banned.append(never.ravel())
                    at += never.size
        flat = np.concatenate(banned) if banned else np.empty(0, bool)
        return Guard(flat.astype(np.int8), start, step)


def _inverse(rows: np.ndarray) -> np.ndarray:
    """Where each row number stands in each column."""
    found = np.empty(rows.shape, np.int32)
    np.put_along_axis(found, rows.astype(np.int64), np.arange(len(rows), dtype=np.int32)[:, None], axis=0)
    return found


def _rescaled(column: Column, released: np.ndarray | None) -> np.ndarray:
    """The features with the standardised values of what is released in place of the original's."""
    return column.numbers if released is None else np.column_stack([released, column.numbers[:, 1]])


def _determines(contexts: np.ndarray, groups: np.ndarray) -> bool:
    pairs = contexts.astype(np.int64) * (int(groups.max()) + 1) + groups
    return len(np.unique(pairs)) == len(np.unique(contexts))


def _weights(sums: np.ndarray, squares: np.ndarray, n: int) -> np.ndarray:
    """What a squared gap counts: the weight over n times the variance of the product."""
    variance = squares / n - (sums / n) ** 2
    return np.where(variance > 1e-9, PRODUCT_WEIGHT / (n * np.maximum(variance, 1e-9)), 0.0)


def _never(x: Column, y: Column) -> np.ndarray:
    """Which pairs of fine groups must not meet."""
    size = y.fine_groups
    counts = np.bincount(x.fine.astype(np.int64) * size + y.fine, minlength=x.fine_groups * size)
    counts = counts.reshape(x.fine_groups, size)
    expected = counts.sum(axis=1)[:, None] * counts.sum(axis=0)[None, :] / len(x.fine)
    never: np.ndarray = (counts == 0) & (expected >= EXPECTED)
    if y.ordered:
        never |= _empty_along(counts, expected)
    if x.ordered:
        never |= _empty_along(counts.T, expected.T).T
    return never


def _empty_along(counts: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Which cells lie in a row of empty neighbours that would hold some people together."""
    empty = counts == 0
    new = np.ones(empty.shape, bool)
    new[:, 1:] = empty[:, 1:] != empty[:, :-1]
    run = np.cumsum(new.ravel()) - 1
    together = np.bincount(run, expected.ravel())[run].reshape(empty.shape)
    found: np.ndarray = empty & (together >= EXPECTED_ALONG)
    return found


def _count(records: Records, tables: Tables) -> None:
    for level, j, k in zip(*np.nonzero(np.triu(tables.start >= 0)), strict=True):
        at = tables.start[level, j, k] + tables.step[j, k] * records.bins[:, j].astype(np.int64)
        at += tables.step[k, j] * records.bins[:, k]
        if level:
            at += tables.span[level, j, k] * records.context
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
