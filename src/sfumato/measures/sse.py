"""SSE: the share of the variance of numeric attributes that masking destroyed."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from sfumato.data import Schema
from sfumato.measures._contract import Files, Judged, Measure
from sfumato.measures.statistics.contract import BoundStatistic, Part, Statistic
from sfumato.measures.statistics.record_sums import Reader, RecordSums
from sfumato.measures.statistics.spreads import Spreads


class Sse(Measure):
    """IL = 100 · SSE / SST on standardised records.

    SSE is the sum of squared differences between the masked and the original value, each divided by the
    standard deviation of the attribute; SST is the same with the mean in place of the masked value. 0 where
    nothing changed, 100 where every value became the mean; above 100 for maskings worse than that. A value
    that is missing on one side only counts as the mean; missing on both sides it counts as unchanged.
    Constant attributes are compared unscaled and add nothing to SST. With `weighted`, the squares of each
    record count by its weight, and means and standard deviations are weighted as well.

    It does not see whether the joint distribution stayed, categories, or columns that are no keys: values
    that were exchanged between records count as lost.

    Source: Fayyoumi, *thesis*, §2.6; Marés, *thesis*, §2.4.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [0.0, 2.0, 4.0, 6.0]}))
    >>> masked = original.replace({"x": [1.0, 1.0, 5.0, 5.0]})
    >>> Sse().bind(original).score(masked).value
    20.0
    """

    sense = "loss"
    scales = ("numeric",)
    bounded = False

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return (SquareSums(files.names, self.weighted),)

    def value(self, files: Files, *found: "Squares") -> Judged:
        sums, totals = found[0]
        sse, sst = float(sums.sum()), sum(totals)
        if sst == 0:
            return (0.0 if sse == 0 else 100.0), {}
        parts = {
            name: float(100 * lost / (total or sst))
            for name, lost, total in zip(files.names, sums, totals, strict=True)
        }
        return 100 * sse / sst, parts


class Squares(NamedTuple):
    """Of each column, the squared differences of masked and standardised original values, and the squares of these."""

    lost: np.ndarray
    total: list[float]


@dataclass(frozen=True)
class SquareSums(Statistic):
    """The sums of squares of some columns."""

    names: tuple[str, ...]
    weighted: bool

    @property
    def needs(self) -> tuple[Statistic, ...]:
        return (*super().needs, Spreads(self.names, self.weighted))

    def bound(self, original: Part) -> BoundStatistic:
        return _BoundSquares(self, original)

    def join(self, one: Squares, other: Squares) -> Squares:
        return Squares(one.lost + other.lost, [a + b for a, b in zip(one.total, other.total, strict=True)])


class _BoundSquares(RecordSums):
    def __init__(self, statistic: SquareSums, original: Part) -> None:
        super().__init__(statistic, original, statistic.names, weighted=statistic.weighted)
        units = original.known[Spreads(statistic.names, statistic.weighted)]
        self.units = dict(
            zip(self.names, np.column_stack([units.centre, units.spread]).tolist(), strict=True)
        )
        self.z = {name: np.nan_to_num(self._standardised(name, original.table[name])) for name in self.names}
        w = 1.0 if self.weights is None else self.weights
        self.totals = [float((w * z * z).sum()) for z in self.z.values()]

    def readers(self, masked: Schema) -> Mapping[str, Reader]:
        return {name: partial(self._squared, name) for name in self.names}

    def whole(self, sums: np.ndarray) -> Squares:
        return Squares(sums, self.totals)

    def _squared(self, name: str, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        z = self._standardised(name, values)
        difference = np.where(np.isnan(z), 0.0, z) - self.z[name][rows]
        squared: np.ndarray = (difference * difference)[:, None]
        return squared

    def _standardised(self, name: str, values: np.ndarray) -> np.ndarray:
        centre, spread = self.units[name]
        z: np.ndarray = (values - centre) / spread
        return z
