"""Clustering loss: how differently the masked file falls into clusters."""

import math

import numpy as np

from sfumato.core import param
from sfumato.data import Table
from sfumato.data.coverage import Coverage, coverage_of
from sfumato.kernels.c_median import c_medians, farthest_first, outermost
from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.spread import centre_and_spread
from sfumato.measures._contract import Bound, Measure


class Clustering(Measure):
    """IL = 100 · ((1 − Rand) + (1 − Jaccard) + (1 − Wallace)) / 3, of c-median partitions of both files.

    Original and masked file are divided into at most `c` clusters, from the same initial centroids: original
    records as unlike each other as can be, beginning with the one farthest from the median of all; with more `runs` also with
    others, of which the partition nearest to its centroids counts. With r
    pairs of records together in both partitions, s and t together in one only, and u in none,

        Rand = (r + u) / (r + s + t + u),  Jaccard = r / (r + s + t),  Wallace = r / √((r + s)(r + t)).

    Records are as far apart as the sum over attributes says: numbers by |difference| / standard deviation of
    the original, ordinal categories by |difference of ranks| / |D|, nominal ones by 0 or 1. A value that is
    missing on one side only is at distance 1. A recoded category counts as the middle of those it covers if
    ordinal, and as a category of its own if nominal. Weights count in the medians and in the pairs. Nothing
    is left to chance. From 0 to 100; the parts are the three complements.

    It does not see relations that do not part the records into clusters, or who has which value within
    one.

    Source: Marés, *thesis*, §2.5, §5.2 and eq. 5.3.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [0.0, 0.5, 8.0, 9.0]}))
    >>> score = Clustering(c=2).bind(original).score(original.replace({"x": [0.0, 8.5, 0.0, 9.0]}))
    >>> {name: round(part, 2) for name, part in score.parts.items()}
    {'rand': 66.67, 'jaccard': 100.0, 'wallace': 100.0}
    """

    sense = "loss"
    joinable = False
    quick = 20_000

    c: int = param(default=10, low=2, help="number of clusters")
    runs: int = param(
        default=1, low=1, help="how often the original is divided, from other first records; the best counts"
    )

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return _BoundClustering(self, original, names)


class _BoundClustering(Bound):
    def __init__(self, measure: Clustering, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        attributes = [original.schema[name] for name in names]
        self.nominal = np.array([a.scale == "nominal" for a in attributes])
        self.scales = np.array([self._scale(name) for name in names])
        if original.n:
            X, labels, amounts = self._records(original)
            starts = [
                X[farthest_first(X, measure.c, first, self.nominal, self.scales)]
                for first in self._firsts(X, amounts, measure.runs)
            ]
            found = [c_medians(X, start, self.nominal, self.scales, amounts) for start in starts]
            best = min(range(len(found)), key=lambda run: found[run][2])
            self.start, self.partition = starts[best], found[best][0][labels]

    def _firsts(self, X: np.ndarray, amounts: np.ndarray, runs: int) -> list[int]:
        """The outermost record, and then records spread evenly over all that differ."""
        spread = np.linspace(0, len(X) - 1, max(runs - 1, 1)).round().astype(int).tolist()
        return list(dict.fromkeys([outermost(X, self.nominal, self.scales, amounts), *spread]))[:runs]

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        X, labels, amounts = self._records(masked)
        found = _similarities(self.partition, self._partition(X, amounts)[labels], self.weights)
        parts = {name: 100 * (1 - similarity) for name, similarity in found.items()}
        return sum(parts.values()) / 3, parts

    def _scale(self, name: str) -> float:
        attribute = self.original.schema[name]
        if attribute.is_numeric:
            return 1 / (centre_and_spread(self.original[name])[1] or 1.0)
        return 1 / max(attribute.domain_size, 1)

    def _records(self, table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The distinct records, which of them each record is, and how many, or how much weight, each has."""
        columns = [self._column(table, name) for name in self.names]
        found = distinct(columns)
        amounts = np.bincount(found.labels, self.weights).astype(float)
        return np.column_stack(columns)[found.first], found.labels, amounts

    def _column(self, table: Table, name: str) -> np.ndarray:
        if table.schema[name].is_numeric:
            return table[name]
        reading = coverage_of(self.original.schema[name], table.schema[name])
        places: np.ndarray = _places(reading)[reading.of(table[name])]
        return places

    def _partition(self, X: np.ndarray, amounts: np.ndarray) -> np.ndarray:
        return c_medians(X, self.start, self.nominal, self.scales, amounts)[0]


def _places(reading: Coverage) -> np.ndarray:
    """Where each reading stands among the categories; missing, last, stands nowhere."""
    places = np.append(np.arange(reading.width - 1, dtype=float), np.nan)
    if reading.ordinal:
        for s, members in enumerate(reading.sets):
            places[reading.size + s] = members[(len(members) - 1) // 2]
    return places


def _similarities(a: np.ndarray, b: np.ndarray, weights: np.ndarray | None) -> dict[str, float]:
    """Rand, Jaccard and Wallace index of two partitions; where there is no pair to compare, they agree."""
    w = np.ones(len(a)) if weights is None else weights
    both = distinct([a, b])
    if len(both.first) == len(np.unique(a)) == len(np.unique(b)):  # the same partition, to the last digit
        return {"rand": 1.0, "jaccard": 1.0, "wallace": 1.0}
    together, in_a, in_b = _pairs(both.labels, w), _pairs(a, w), _pairs(b, w)
    everywhere = _pairs(np.zeros_like(a), w)
    apart = in_a + in_b - 2 * together
    return {
        "rand": 1 - apart / everywhere if everywhere > 0 else 1.0,
        "jaccard": together / (together + apart) if together + apart > 0 else 1.0,
        "wallace": together / math.sqrt(in_a * in_b) if in_a * in_b > 0 else float(in_a == in_b),
    }


def _pairs(labels: np.ndarray, weights: np.ndarray) -> float:
    """Pairs of records in the same cluster; a pair weighs the product of its weights."""
    totals = np.bincount(labels, weights)
    return max(float(totals @ totals - weights @ weights) / 2, 0.0)
