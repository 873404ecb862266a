"""χ² difference: how much the association of two attributes changes."""

from typing import ClassVar, Literal

import numpy as np

from sfumato.core import param
from sfumato.data import Scale, Table
from sfumato.measures._cells import LARGEST_DENSE, code_digits
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._joint import joint_counts
from sfumato.measures._tables import BoundTables, pairs_of
from sfumato.measures._tracking import Change, Tracker

SMALLEST = 1e-9  # χ² / n below this is rounding


class ChiSquare(Measure):
    """100 · mean over pairs of attributes of |χ²' − χ²| / χ².

    χ² = n (Σ_ij n_ij² / (n_i n_j) − 1) tests the association of two attributes; what is reported is its
    relative change, without bound: 0 where the association is as it was, 100 where it is gone. Where the
    original attributes are not associated at all, χ² = 0, the change is taken relative to what χ² is
    expected to be under independence, (r − 1)(c − 1), and at least 1. The pairs are those of the attributes
    with each other, or, with `crossed`, of each attribute with each of these columns; 0 where there is no
    pair. Missing is a category of its own. Recoded categories are those of the release: the statistic needs
    no names. Weights make the counts weighted ones, scaled to n. The parts are the pairs.

    Source: Marés, *thesis*, §4.1.5, eq. 4.8.

    >>> from sfumato.data import Attribute, Schema
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> original = Table(Schema([sex, town]), {"sex": np.array([0, 0, 1, 1]), "town": np.array([0, 0, 1, 1])})
    >>> ChiSquare().bind(original).score(original.replace({"town": np.array([0, 1, 0, 1])})).value
    100.0
    """

    sense: ClassVar[Literal["loss", "risk"]] = "loss"
    scales: ClassVar[tuple[Scale, ...]] = ("ordinal", "nominal")
    bounded: ClassVar[bool] = False

    crossed: tuple[str, ...] = param(default=(), help="columns to cross with (default: each other)")

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Work out χ² of the original pairs."""
        return BoundChiSquare(self, original, names, pairs_of(self, original.schema, names, self.crossed))


class BoundChiSquare(BoundTables):
    """χ² of each pair in the original, and what changes are relative to."""

    def __init__(
        self, measure: Measure, original: Table, names: tuple[str, ...], pairs: list[tuple[str, str]]
    ) -> None:
        super().__init__(measure, original, names, pairs)
        found = [_statistic(original[a], original[b], self.weights) for a, b in pairs]
        self.statistics = [statistic for statistic, _ in found]
        self.units = [
            statistic if statistic > SMALLEST * original.n else max(freedom, 1.0)
            for statistic, freedom in found
        ]

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        """The mean over pairs, and each pair as its part."""
        now = [_statistic(masked[a], masked[b], self.weights)[0] for a, b in self.tables]
        parts = {" × ".join(pair): self.change(p, now[p]) for p, pair in enumerate(self.tables)}
        return (sum(parts.values()) / len(parts) if parts else 0.0), parts

    def change(self, pair: int, statistic: float) -> float:
        """The relative change of one pair, in percent."""
        return 100 * abs(statistic - self.statistics[pair]) / self.units[pair]

    def track(self, masked: Table) -> Tracker:
        """Keep the tables of the pairs, if they are small enough."""
        self._check(masked)
        sizes = [masked.schema[a].domain_size * masked.schema[b].domain_size for a, b in self.tables]
        if not masked.n or not sizes or sum(sizes) > LARGEST_DENSE:
            return Bound.track(self, masked)
        return _ChiSquareTracker(self, masked)


class _ChiSquareTracker(Tracker):
    def __init__(self, bound: BoundChiSquare, masked: Table) -> None:
        super().__init__(bound.score(masked).value)
        self.bound, self.pairs = bound, bound.tables
        self.weights = np.ones(masked.n) if bound.weights is None else bound.weights
        self.maps = {name: code_digits(masked.schema[name].domain_size) for name in bound.columns}
        self.digits = {name: self.maps[name][masked[name]] for name in bound.columns}
        self.counts = []
        for a, b in self.pairs:
            counts = np.zeros((len(self.maps[a]), len(self.maps[b])))
            np.add.at(counts, (self.digits[a], self.digits[b]), self.weights)
            self.counts.append(counts)
        self.changes = np.array([bound.change(p, _of_table(c)) for p, c in enumerate(self.counts)])
        self.pending: tuple[np.ndarray, dict[str, np.ndarray], dict[int, np.ndarray], np.ndarray]

    def propose(self, change: Change) -> float:
        """Count the tables of the pairs that are touched anew."""
        rows = np.asarray(change.rows)
        new = {
            name: self.maps[name][np.asarray(codes).astype(np.int64)]
            for name, codes in change.columns.items()
            if name in self.digits
        }
        tables, changes = {}, self.changes.copy()
        for p, (a, b) in enumerate(self.pairs):
            if a in new or b in new:
                counts = self.counts[p].copy()
                was = self.digits[a][rows], self.digits[b][rows]
                np.subtract.at(counts, was, self.weights[rows])
                np.add.at(counts, (new.get(a, was[0]), new.get(b, was[1])), self.weights[rows])
                tables[p], changes[p] = counts, self.bound.change(p, _of_table(counts))
        self.pending = rows, new, tables, changes
        return float(changes.mean())

    def commit(self) -> None:
        """Keep the new tables."""
        rows, new, tables, self.changes = self.pending
        for name, digits in new.items():
            self.digits[name][rows] = digits
        for p, counts in tables.items():
            self.counts[p] = counts


def _statistic(a: np.ndarray, b: np.ndarray, weights: np.ndarray | None) -> tuple[float, float]:
    """χ² of two columns of codes, and its degrees of freedom."""
    pairs = joint_counts(a, b, weights)
    expected = pairs.by_masked() * pairs.by_original()
    seen = expected > 0
    freedom = (len(np.unique(pairs.masked)) - 1) * (len(np.unique(pairs.original)) - 1)
    return len(a) * (float((pairs.counts[seen] ** 2 / expected[seen]).sum()) - 1), float(freedom)


def _of_table(counts: np.ndarray) -> float:
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0))
    shares = np.divide(counts**2, expected, out=np.zeros_like(counts), where=expected > 1e-12)
    return float(counts.sum()) * (float(shares.sum()) - 1)
