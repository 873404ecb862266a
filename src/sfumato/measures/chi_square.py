"""χ² difference: how much the association of two attributes changes."""

import numpy as np

from sfumato.data import Table
from sfumato.measures._contract import Files, Judged, StatisticBound
from sfumato.measures._tracking import Change, Tracker
from sfumato.measures.statistics.cell_tracker import LARGEST_DENSE, code_digits
from sfumato.measures.statistics.contract import Statistic
from sfumato.measures.statistics.cross_counts import OfPairs
from sfumato.measures.statistics.joint_counts import Joint, PairCounts

SMALLEST = 1e-9  # χ² / n below this is rounding


class ChiSquare(OfPairs):
    """100 · mean over pairs of attributes of |χ²' − χ²| / χ².

    χ² = n (Σ_ij n_ij² / (n_i n_j) − 1) tests the association of two attributes; what is reported is its
    relative change, without bound: 0 where the association is as it was, 100 where it is gone. Where the
    original attributes are not associated at all, χ² = 0, the change is taken relative to what χ² is
    expected to be under independence, (r − 1)(c − 1), and at least 1. The pairs are those of the attributes
    with each other, or, with `crossed`, of each attribute with each of these columns; 0 where there is no
    pair. Missing is a category of its own. Recoded categories are those of the release: the statistic needs
    no names. Weights make the counts weighted ones, scaled to n. The parts are the pairs.

    It does not see relations of three or more attributes, or who has which value; rare cells weigh much.

    Source: Marés, *thesis*, §4.1.5, eq. 4.8.

    >>> from sfumato.data import Attribute, Schema
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> original = Table(Schema([sex, town]), {"sex": np.array([0, 0, 1, 1]), "town": np.array([0, 0, 1, 1])})
    >>> ChiSquare().bind(original).score(original.replace({"town": np.array([0, 1, 0, 1])})).value
    100.0
    """

    bounded = False

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        pairs = self.pairs(files)
        return tuple(PairCounts(pair, self.weighted, masked) for masked in (False, True) for pair in pairs)

    def value(self, files: Files, *found: Joint) -> Judged:
        pairs, parts = self.pairs(files), {}
        for pair, old, new in zip(pairs, found[: len(pairs)], found[len(pairs) :], strict=True):
            before, after = (_chi_square(counts, files.n) for counts in (old, new))
            parts[" × ".join(pair)] = 100 * abs(after - before) / _unit(old, before, files.n)
        return (sum(parts.values()) / len(parts) if parts else 0.0), parts

    def tracker(self, bound: StatisticBound, masked: Table) -> Tracker | None:
        pairs = self.pairs(bound.files)
        sizes = [masked.schema[a].domain_size * masked.schema[b].domain_size for a, b in pairs]
        return _ChiSquareTracker(bound, masked, pairs) if 0 < sum(sizes) <= LARGEST_DENSE else None


def _chi_square(pairs: Joint, n: int) -> float:
    expected = pairs.by_masked() * pairs.by_original()
    seen = expected > 0
    return n * (float((pairs.counts[seen] ** 2 / expected[seen]).sum()) - 1)


def _unit(before: Joint, statistic: float, n: int) -> float:
    """What changes of a pair are relative to."""
    if statistic > SMALLEST * n:
        return statistic
    freedom = (len(np.unique(before.masked)) - 1) * (len(np.unique(before.original)) - 1)
    return max(float(freedom), 1.0)


class _ChiSquareTracker(Tracker):
    def __init__(self, bound: StatisticBound, masked: Table, pairs: tuple[tuple[str, str], ...]) -> None:
        super().__init__(bound.score(masked).value)
        self.pairs, n = pairs, masked.n
        tables = [bound.known[one] for one in bound.statistics if one.of_original]
        self.before = [_chi_square(table, n) for table in tables]
        self.units = [_unit(table, old, n) for table, old in zip(tables, self.before, strict=True)]
        self.weights = np.ones(n) if bound.weights is None else bound.weights
        columns = dict.fromkeys(name for pair in pairs for name in pair)
        self.maps = {name: code_digits(masked.schema[name].domain_size) for name in columns}
        self.digits = {name: self.maps[name][masked[name]] for name in columns}
        self.counts = []
        for a, b in self.pairs:
            counts = np.zeros((len(self.maps[a]), len(self.maps[b])))
            np.add.at(counts, (self.digits[a], self.digits[b]), self.weights)
            self.counts.append(counts)
        self.changes = np.array([self._change(p, counts) for p, counts in enumerate(self.counts)])
        self.pending: tuple[np.ndarray, dict[str, np.ndarray], dict[int, np.ndarray], np.ndarray]

    def propose(self, change: Change) -> float:
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
                tables[p], changes[p] = counts, self._change(p, counts)
        self.pending = rows, new, tables, changes
        return float(changes.mean())

    def commit(self) -> None:
        rows, new, tables, self.changes = self.pending
        for name, digits in new.items():
            self.digits[name][rows] = digits
        for p, counts in tables.items():
            self.counts[p] = counts

    def _change(self, pair: int, counts: np.ndarray) -> float:
        return 100 * abs(_of_table(counts) - self.before[pair]) / self.units[pair]


def _of_table(counts: np.ndarray) -> float:
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0))
    shares = np.divide(counts**2, expected, out=np.zeros_like(counts), where=expected > 1e-12)
    return float(counts.sum()) * (float(shares.sum()) - 1)
