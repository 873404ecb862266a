"""Distance-based record linkage: how many masked records have their own original as the nearest one."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar, Literal

import numpy as np

from sfumato.attacks import _tree
from sfumato.core import param
from sfumato.data import Table
from sfumato.data.reading import Reading, read
from sfumato.kernels.distinct import distinct
from sfumato.kernels.nearest import count_nearest
from sfumato.kernels.spread import centre_and_spread
from sfumato.measures._contract import Bound, Measure

BLOCK = 2048


class DistanceLinkage(Measure):
    """DLD = 100 · share of masked records whose nearest original record is their own.

    If all attributes are numeric, records are compared by squared Euclidean distance after division by the
    standard deviation of the original; a value missing on one side only counts 2, what two standardised
    draws differ by on average. Otherwise by Gower's sum: |difference| / range of numbers, distances from
    0 to 1 of categories (see `dbil`), and 1 for a value missing on one side only. Missing on both sides
    counts 0, and constant numeric attributes are left out. From 0 to 100.

    Several originals may be equally near. With `ties="expected"` the intruder picks one of them at random;
    with `"hit"` a link counts if the own record is among them; with `"miss"` only if it is alone, and no
    other masked record is equal to the linked one: a k-anonymous file then scores 0, and at most 100 / k
    with `"expected"`. There is no tolerance: values are subtracted before they are scaled (in units of the
    last declared decimal), and distances of categories are put over a common denominator, so that ties
    are exact.

    Source: Marés, *thesis*, §2.4.2, after Domingo-Ferrer & Torra (2002); Balasch, *thesis*, §3.3.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [1.0, 2.0, 8.0, 9.0]}))
    >>> masked = original.replace({"x": [1.5, 1.5, 8.2, 8.2]})  # 1 and 2 are as near to 1.5; 8 is nearest to 8.2
    >>> DistanceLinkage().bind(original).score(masked).value
    50.0
    >>> [DistanceLinkage(ties=ties).bind(original).score(masked).value for ties in ("miss", "hit")]
    [0.0, 75.0]
    """

    sense: ClassVar[Literal["loss", "risk"]] = "risk"

    ties: str = param(
        default="expected", choices=("expected", "miss", "hit"), help="what equally near originals count"
    )

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Find the distinct records and plant the tree."""
        return _BoundLinkage(self, original, names)


class _BoundLinkage(Bound):
    def __init__(self, measure: DistanceLinkage, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.ties = measure.ties
        self.all_numeric = all(original.schema[name].is_numeric for name in names)
        # numbers are scaled by a power of two, which changes no digit, to a spread of about 1
        self.powers = {name: self._power(name) for name in names}
        spreads = {name: self._spread(name) for name in names}
        self.spreads = {name: spread for name, spread in spreads.items() if spread > 0}
        values = [self._points(original, name) for name in self.spreads]
        records = distinct(values or [np.zeros(original.n)])
        X = np.column_stack([*values, np.zeros(original.n)])[records.first, : len(values)]
        scales = [_tree.scale_of(original.schema[name], spread) for name, spread in self.spreads.items()]
        self.tree = _tree.plant(X, np.array(scales))
        self.X, self.counts = np.ascontiguousarray(X[self.tree.order]), records.counts[self.tree.order]
        place = np.empty(len(X), np.int64)
        place[self.tree.order] = np.arange(len(X))
        self.own = place[records.labels]

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        readings = {
            name: read(self.original.schema[name], masked.schema[name])
            for name in self.spreads
            if not self.original.schema[name].is_numeric
        }
        values = [self._points(masked, name, readings.get(name)) for name in self.spreads]
        records = distinct(values or [np.zeros(masked.n)])
        Q = np.column_stack([*values, np.zeros(masked.n)])[records.first, : len(values)]
        pairs, own_counts = np.unique(records.labels * len(self.X) + self.own, return_counts=True)
        query, own = np.divmod(pairs, len(self.X))
        first = np.searchsorted(query, np.arange(len(Q) + 1))
        mine, near = self._nearest(np.ascontiguousarray(Q), first, own, own_counts, readings).T
        return 100 * self._links(mine, near, records.counts) / masked.n, {}

    def _nearest(
        self,
        Q: np.ndarray,
        first: np.ndarray,
        own: np.ndarray,
        own_counts: np.ndarray,
        readings: dict[str, Reading],
    ) -> np.ndarray:
        """For each distinct masked record, how many of its own records, and of all, are nearest."""
        if self.all_numeric:
            metric, sets = _tree.euclidean(list(self.spreads.values())), np.zeros((1, 1))
        else:
            metric, sets = _tree.gower([readings.get(n, spread) for n, spread in self.spreads.items()])

        def block(start: int) -> np.ndarray:
            rows = slice(start, start + BLOCK)
            ends = first[start : start + BLOCK + 1]
            return count_nearest(
                Q[rows], ends, own, own_counts, self.X, self.counts, metric, sets, *self.tree[1:]
            )

        starts = range(0, len(Q), BLOCK)
        if len(starts) == 1:
            return block(0)
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            return np.concatenate(list(threads.map(block, starts)))

    def _links(self, mine: np.ndarray, near: np.ndarray, alike: np.ndarray) -> float:
        if self.ties == "hit":
            return float(mine.sum())
        if self.ties == "miss":
            return float(mine[(near == 1) & (alike == 1)].sum())
        return float((mine / np.maximum(near, 1)).sum())

    def _power(self, name: str) -> int:
        if not self.original.schema[name].is_numeric:
            return 0
        values = _tree.whole_numbers(self.original[name], self.original.schema[name].decimals)
        return int(np.frexp(centre_and_spread(values)[1])[1])

    def _spread(self, name: str) -> float:
        """The standard deviation or range by which a number is divided; 0 leaves the attribute out."""
        if not self.original.schema[name].is_numeric:
            return 1.0
        values = self._points(self.original, name)
        spread = centre_and_spread(values)[1]
        if self.all_numeric or spread == 0:
            return spread
        return float(np.nanmax(values) - np.nanmin(values))

    def _points(self, table: Table, name: str, reading: Reading | None = None) -> np.ndarray:
        attribute = self.original.schema[name]
        if attribute.is_numeric:
            values = _tree.whole_numbers(table[name], attribute.decimals)
            scaled: np.ndarray = np.ldexp(values, -self.powers[name])
            return scaled
        codes = table[name] if reading is None else reading.of(table[name])
        return np.where(codes < 0, np.nan, codes)
