"""Tracing: how much more frequent is what a person is, pair of values by pair, in a release than among others?"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from sfumato.attacks.insiders.people import Asked, some_rows
from sfumato.data import Table

EXPECTED = 5  # people of the reference in a cell, if columns were unrelated
MOST_BINS = 20
RARE = 10  # categories of fewer people count as one
MOST_COUNTED = 400_000_000  # values times pairs; beyond, some pairs are drawn
SMOOTHING = 0.5


class PairCells:
    """Records as codes of which any two columns make a cell: numbers in quantile bins of some people, rare
    categories together, missing values apart. There are so few bins that a cell of two numbers holds some people of
    a reference of this size: what is counted in fewer is chance."""

    def __init__(self, people: Table, names: Sequence[str], reference: int) -> None:
        bins = int(np.clip(np.sqrt(reference / EXPECTED), 2, MOST_BINS))
        self.names = tuple(names)
        self.cuts: dict[str, np.ndarray] = {}
        self.sizes: list[int] = []
        for name in self.names:
            present = people[name][~people.missing(name)]
            if people.schema[name].is_numeric:
                self.cuts[name] = _quantile_cuts(present, bins)
                self.sizes.append(len(self.cuts[name]) + 2)
            else:
                self.cuts[name] = _merged(present, people.schema[name].domain_size)
                self.sizes.append(int(self.cuts[name].max()) + 1)

    def codes(self, table: Table) -> np.ndarray:
        """One row for each attribute, one column for each record of a table in the terms of the original."""
        return np.stack([self._column(table, j, name) for j, name in enumerate(self.names)])

    def _column(self, table: Table, j: int, name: str) -> np.ndarray:
        values, cuts = table[name], self.cuts[name]
        if not table.schema[name].is_numeric:
            merged: np.ndarray = cuts[values]
            return merged
        bins = np.searchsorted(cuts, values)
        return np.where(np.isnan(values), self.sizes[j] - 1, bins)

    def pairs(self, n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """All pairs of attributes, or as many drawn at random as may be counted in n records."""
        pairs = list(combinations(range(len(self.names)), 2))
        most = max(MOST_COUNTED // max(n, 1), len(self.names))
        return [pairs[i] for i in some_rows(len(pairs), most, rng)]


class Tracer:
    """Traces people through a file: the logarithm of how much more frequent what they are is there than among others.

    The likelihood of a person is taken to be Π_i p_i · Π_ij p_ij / (p_i p_j) over columns and pairs of them. The
    others, the reference, are the people outside without the one who is asked about. `control` holds the traces of
    people inside and outside by the original itself, again without the one who is asked about.
    """

    def __init__(
        self, cells: PairCells, original: Table, reference: Table, asked: Asked, rng: np.random.Generator
    ) -> None:
        self.cells, self.pairs = cells, cells.pairs(original.n, rng)
        known, others = cells.codes(original), cells.codes(reference)
        self.people = [known[:, asked.inside], others[:, asked.outside]]
        self.expected = self._likelihoods(others, own=(False, True))
        self.control = self._above_expected(self._likelihoods(known, own=(True, False)))

    def traces(self, released: Table) -> list[np.ndarray]:
        """The traces of people inside and outside by a release in the terms of the original."""
        return self._above_expected(self._likelihoods(self.cells.codes(released), own=(False, False)))

    def _above_expected(self, likelihoods: list[np.ndarray]) -> list[np.ndarray]:
        return [found - expected for found, expected in zip(likelihoods, self.expected, strict=True)]

    def _likelihoods(self, codes: np.ndarray, own: tuple[bool, bool]) -> list[np.ndarray]:
        """The logarithms by the shares of a file; who is in it herself (`own`) is not counted."""
        d, sizes = len(codes), self.cells.sizes
        in_pairs = np.bincount(np.array(self.pairs, np.int64).ravel(), minlength=d)
        sums = [np.zeros(people.shape[1]) for people in self.people]
        for i in range(d):
            shares = _Shares(codes[i], sizes[i])
            for total, people, itself in zip(sums, self.people, own, strict=True):
                total += (1 - in_pairs[i]) * shares.logarithms(people[i], itself)
        for i, j in self.pairs:
            shares = _Shares(codes[i] * sizes[j] + codes[j], sizes[i] * sizes[j])
            for total, people, itself in zip(sums, self.people, own, strict=True):
                total += shares.logarithms(people[i] * sizes[j] + people[j], itself)
        return sums


class _Shares:
    """How many records of a file are in each cell."""

    def __init__(self, cells: np.ndarray, size: int) -> None:
        self.n, self.counts = len(cells), np.bincount(cells, minlength=size)

    def logarithms(self, cells: np.ndarray, itself: bool) -> np.ndarray:
        """Those of the shares of some cells, one of the records in each being left out if `itself`."""
        found: np.ndarray = np.log(
            (self.counts[cells] - itself + SMOOTHING) / (self.n - itself + 2 * SMOOTHING)
        )
        return found


def _quantile_cuts(present: np.ndarray, bins: int) -> np.ndarray:
    """The upper ends of all bins but the last; a value that many share is the end of its bin."""
    if not len(present):
        return np.empty(0)
    return np.unique(np.quantile(present, np.arange(1, bins) / bins, method="inverted_cdf"))


def _merged(present: np.ndarray, size: int) -> np.ndarray:
    """The new code of each category, that of missing (−1) last."""
    counts = np.bincount(present, minlength=size)
    frequent = counts >= RARE
    codes = np.where(frequent, np.cumsum(frequent) - 1, frequent.sum())
    return np.append(codes, codes.max(initial=0) + 1)
