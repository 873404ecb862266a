"""Small random records with tables, products and pairs that must not meet, and slow obvious twins of what is kept up."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sfumato.kernels.calibrating_swaps import FEATURES, Guard, Products, Records, Tables, Threes

PAIRS = ("whole", "within")  # what a table of pairs is about


@dataclass(frozen=True)
class Case:
    """Arrays as kernels take them, and beside them the same told plainly."""

    records: Records
    tables: Tables
    products: Products
    guard: Guard
    labels: dict  # of (whole or within, j, k): the cell of [context, bin of j, bin of k]; of (j, k, l): that of their bins
    targets: np.ndarray
    sums: np.ndarray  # targets of products
    never: dict  # of (j, k): whether [fine of j, fine of k] must not meet

    @property
    def parts(self):
        return self.records, self.tables, self.products, self.guard

    @property
    def movable(self):
        return np.arange(self.records.bins.shape[1])

    def gaps(self):
        """Twin: every record counted in every table."""
        found = -self.targets
        for about, labels in self.labels.items():
            for i, bins in enumerate(self.records.bins):
                group = self.records.context[i] if about[0] == "within" else 0
                beside = (group,) if about[0] in PAIRS else ()
                found[labels[*beside, *(bins[j] for j in about if j not in PAIRS)]] += 1
        return found

    def product_gaps(self):
        """Twin: features and indicators side by side, and the sums of all their products."""
        features, total = self.records.numbers.shape[1], self.products.gap.shape[1]
        all_features = np.zeros((len(self.records.numbers), total))
        all_features[:, :features] = self.records.numbers
        for i, indicators in enumerate(self.records.indicator):
            all_features[i, indicators[indicators >= 0]] = 1.0
        return self.records.numbers.T @ all_features - self.sums

    def cost(self):
        tables = np.sum(self.gaps() ** 2 * self.tables.weight)
        return tables + np.sum(self.product_gaps() ** 2 * self.products.weight)

    def banned(self):
        """Twin: the pairs that must not meet, counted one by one."""
        fine = self.records.fine
        return sum(bool(never[row[j], row[k]]) for row in fine for (j, k), never in self.never.items())


def case(seed, *, n=12, kinds="nnccm", contexts=1, ban=0.2):
    """Columns that are numbers (n), numbers with missing values (m) or categories (c); cells are any sets of pairs."""
    rng = np.random.default_rng(seed)
    d = len(kinds)
    groups, fines = rng.integers(1, 5, d), rng.integers(1, 4, d)
    number = np.array([sum(k in "nm" for k in kinds[:j]) if kinds[j] in "nm" else -1 for j in range(d)])
    indicators = np.array([0 if kind == "n" else rng.integers(1, 4) for kind in kinds])
    first = FEATURES * np.count_nonzero(number >= 0) + np.cumsum(indicators) - indicators
    records = Records(
        bins=np.column_stack([rng.integers(0, g, n) for g in groups]).astype(np.int16),
        fine=np.column_stack([rng.integers(0, f, n) for f in fines]).astype(np.int16),
        indicator=np.column_stack(
            [
                np.where(rng.random(n) < 0.7, first[j] + rng.integers(0, max(indicators[j], 1), n), -1)
                if indicators[j]
                else np.full(n, -1)
                for j in range(d)
            ]
        ).astype(np.int32),
        numbers=rng.normal(size=(n, FEATURES * np.count_nonzero(number >= 0))),
        context=rng.integers(0, contexts, n).astype(np.int32),
        donor=np.tile(np.arange(n, dtype=np.int32)[:, None], d),
        holder=np.tile(np.arange(n, dtype=np.int32)[:, None], d),
        order=np.empty((n, d), np.int32),
        rank=np.empty((n, d), np.int32),
        first=np.empty((d, 0), np.int64),
    )
    records = _ordered(rng, records)
    tables, labels = _tables(rng, groups, contexts)
    products = _products(rng, number, indicators, first)
    guard, never = _guard(rng, fines, ban)
    made = Case(records, tables, products, guard, labels, -tables.gap.copy(), -products.gap.copy(), never)
    tables.gap[:], products.gap[:] = made.gaps(), made.product_gaps()
    return made


def _ordered(rng, records):
    """Every record has its own values at first: they are put in any order that goes by bins."""
    n, d = records.bins.shape
    order = np.column_stack([np.lexsort((rng.random(n), records.bins[:, j])) for j in range(d)])
    bins = range(int(records.bins.max()) + 2)
    first = np.array([[np.count_nonzero(records.bins[:, j] < x) for x in bins] for j in range(d)])
    rank = np.argsort(order, axis=0).astype(np.int32)
    return records._replace(order=order.astype(np.int32, order="C"), rank=rank, first=first)


def _tables(rng, groups, contexts):
    d = len(groups)
    start, span, step = np.full((2, d, d), -1), np.zeros((2, d, d), np.int64), np.zeros((d, d), np.int64)
    labels, flat, at, number = {}, [], 0, 0
    for level, sets in enumerate([1, contexts] if contexts > 1 else [1]):
        for j in range(d):
            for k in range(j + 1, d):
                step[j, k], step[k, j] = groups[k], 1
                if level and rng.random() < 0.3:
                    continue  # a table that is not there
                cells = int(rng.integers(1, 6))
                found = number + rng.integers(0, cells, (sets, groups[j], groups[k]))
                labels[PAIRS[level], j, k] = found
                start[level, [j, k], [k, j]], span[level, [j, k], [k, j]] = at, found[0].size
                flat.append(found.ravel())
                at, number = at + found.size, number + cells
    triples = [triple for triple in combinations(range(d), 3) if rng.random() < 0.4]
    starts, steps = [], []
    for j, k, l in triples:  # noqa: E741 -- three columns
        cells = int(rng.integers(1, 6))
        labels[j, k, l] = number + rng.integers(0, cells, (groups[j], groups[k], groups[l]))
        starts.append(at)
        steps.append((groups[k] * groups[l], groups[l], 1))
        flat.append(labels[j, k, l].ravel())
        at, number = at + flat[-1].size, number + cells
    cell = np.concatenate(flat).astype(np.int32) if flat else np.empty(0, np.int32)
    own = [[t for t, triple in enumerate(triples) if j in triple] + [-1] for j in range(d)]
    threes = Threes(
        np.array(triples, np.int64).reshape(-1, 3),
        np.array(starts, np.int64),
        np.array(steps, np.int64).reshape(-1, 3),
        np.array([tables + [-1] * (len(triples) + 1 - len(tables)) for tables in own]),
    )
    gap, weight = -rng.uniform(0, 5, number), rng.uniform(0.1, 2, number)
    return Tables(cell, start, span, step, gap, weight, threes), labels


def _products(rng, number, indicators, first):
    width = FEATURES * np.count_nonzero(number >= 0)
    total = width + int(indicators.sum())
    own = np.repeat(np.flatnonzero(number >= 0), FEATURES)
    column = np.concatenate([own, np.repeat(np.arange(len(number)), indicators)])
    told = own[:, None] != column[None, :]
    told[:, :width] = np.triu(told[:, :width])
    weight = np.where(told, rng.uniform(0.1, 2, (width, total)), 0.0)
    return Products(number, -rng.normal(size=(width, total)), weight)


def _guard(rng, fines, ban):
    d = len(fines)
    start, step = np.full((d, d), -1), np.zeros((d, d), np.int64)
    never, flat, at = {}, [np.empty(0, bool)], 0
    for j in range(d):
        for k in range(j + 1, d):
            found = rng.random((fines[j], fines[k])) < ban
            if found.any():
                never[j, k] = found
                start[[j, k], [k, j]] = at
                step[j, k], step[k, j] = fines[k], 1
                flat.append(found.ravel())
                at += found.size
    return Guard(np.concatenate(flat).astype(np.int8), start, step), never
