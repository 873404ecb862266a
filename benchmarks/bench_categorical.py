"""Masking a million records: PRAM, rank swapping, Mondrian and local suppression, beside plain numpy twins.

Processor seconds of all cores, so that other work on the machine does not count; kernels warm. Twins that would
take minutes are measured on fewer records, in a row of their own.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from benchmarks.timing import Row, best_of, once
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import LocalSuppression, Masking, Mondrian, Pram, RankSwapping

N, FEWER = 1_000_000, 50_000
SIZES = (2, 3, 5, 7, 9, 12, 16, 25)  # categories of each attribute
KEYS, NUMBERS = 6, 5
P, K = 10.0, 10


def rows() -> Iterator[Row]:
    people, amounts = categorical(N), numeric(N)
    few, few_amounts = categorical(FEWER), numeric(FEWER)
    keys = people.names[-KEYS:]  # those with many categories

    pram = Pram(p=0.8)
    twin = once(lambda: numpy_pram(people, pram), cpu=True)
    yield Row(f"pram {N}×{len(SIZES)}, numpy twin", seconds(pram, people), bar=2.0, twin=twin)

    swapping = RankSwapping(p=P)
    yield Row(f"rank swapping {N}×{NUMBERS} p={P:g}", seconds(swapping, amounts), bar=3.0)
    twin = once(lambda: numpy_rank_swapping(few_amounts, swapping), cpu=True)
    ours = seconds(swapping, few_amounts)
    yield Row(f"rank swapping {FEWER}×{NUMBERS} p={P:g}, numpy twin", ours, twin=twin)

    mondrian = Mondrian(k=K)
    yield Row(f"mondrian {N}×{len(SIZES)} k={K}", seconds(mondrian, people, 2), bar=15.0)
    twin = once(lambda: numpy_mondrian(matrix(few, few.names), K), cpu=True)
    yield Row(f"mondrian {FEWER}×{len(SIZES)} k={K}, numpy twin", seconds(mondrian, few), twin=twin)

    suppression = LocalSuppression(k=5, attributes=keys)
    ours = seconds(suppression, people, 2)
    yield Row(f"local suppression {N}×{KEYS} k=5", ours, bar=30.0)
    ours = seconds(suppression, few)
    twin = once(lambda: numpy_suppression(matrix(few, keys), 5), cpu=True)
    yield Row(f"local suppression {FEWER}×{KEYS} k=5, numpy twin", ours, twin=twin)


def seconds(masking: Masking, table: Table, repeats: int = 3) -> float:
    return best_of(lambda: masking.apply(table, np.random.default_rng(1)), repeats, cpu=True)


def categorical(n: int) -> Table:
    """Skewed and independent, so that most combinations are rare."""
    rng = np.random.default_rng(0)
    attributes, columns = [], {}
    for j, size in enumerate(SIZES):
        columns[f"c{j}"] = np.minimum((size * rng.beta(1.0, 1.5, n)).astype(np.int64), size - 1)
        names = tuple(map(str, range(size)))
        attributes.append(Attribute(name=f"c{j}", scale="ordinal", role="key", categories=names))
    return Table(Schema(attributes), columns)


def numeric(n: int) -> Table:
    X = np.random.default_rng(0).lognormal(size=(n, NUMBERS))
    attributes = [Attribute(name=f"x{j}", scale="numeric", role="key") for j in range(NUMBERS)]
    return Table(Schema(attributes), {a.name: X[:, j] for j, a in enumerate(attributes)})


def matrix(table: Table, names: tuple[str, ...]) -> np.ndarray:
    return np.column_stack([table[name].astype(np.int64) for name in names])


def numpy_pram(table: Table, pram: Pram) -> dict[str, np.ndarray]:
    """Category after category, its records are redrawn at once."""
    rng = np.random.default_rng(1)
    masked = {}
    for name, P in pram.matrices(table).items():
        masked[name] = table[name].copy()
        for code, row in enumerate(P):
            records = np.flatnonzero(table[name] == code)
            masked[name][records] = rng.choice(len(row), len(records), p=row)
    return masked


def numpy_rank_swapping(table: Table, swapping: RankSwapping) -> dict[str, np.ndarray]:
    """Rank after rank, the free ones of the window are listed and one is drawn."""
    rng = np.random.default_rng(1)
    w = swapping.window(table.n)
    masked = {}
    for name in table.names:
        values = np.sort(table[name])
        free = np.ones(table.n, bool)
        for i in range(table.n):
            if free[i]:
                partners = i + 1 + np.flatnonzero(free[i + 1 : i + 1 + w])
                if len(partners):
                    j = rng.choice(partners)
                    values[i], values[j] = values[j], values[i]
                    free[j] = False
        masked[name] = values
    return masked


def numpy_mondrian(X: np.ndarray, k: int) -> np.ndarray:
    """The widest attribute is cut at the median, the next one if that leaves too few, until none can be."""
    widths = np.maximum(np.ptp(X, axis=0), 1)
    labels, count, left = np.empty(len(X), np.int64), 0, [np.arange(len(X))]
    while left:
        rows = left.pop()
        for j in np.argsort(-np.ptp(X[rows], axis=0) / widths, kind="stable"):
            upper = X[rows, j] > np.sort(X[rows, j])[(len(rows) - 1) // 2]
            if k <= upper.sum() <= len(rows) - k:
                left += [rows[upper], rows[~upper]]
                break
        else:
            labels[rows] = count
            count += 1
    return labels


def numpy_suppression(X: np.ndarray, k: int) -> np.ndarray:
    """Set after set of attributes: risky records that are like k without them lose them."""
    d = X.shape[1]
    gone = np.zeros(X.shape, bool)
    _, labels, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    risky = counts[labels.ravel()] < k
    for size in range(1, d + 1):
        for chosen in combinations(range(d), size):
            if not risky.any():
                return gone
            kept = np.delete(X, chosen, axis=1) if size < d else np.zeros((len(X), 1))
            _, labels, counts = np.unique(kept, axis=0, return_inverse=True, return_counts=True)
            helped = risky & (counts[labels.ravel()] >= k)
            gone[np.ix_(np.flatnonzero(helped), chosen)] = True
            risky &= ~helped
    return gone
