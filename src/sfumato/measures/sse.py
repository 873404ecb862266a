"""SSE: the share of the variance of numeric attributes that masking destroyed."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from sfumato.data import Scale, Table
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._records import Reader, RecordwiseBound
from sfumato.measures._spread import centre_and_spread


class Sse(Measure):
    """IL = 100 · SSE / SST on standardised records.

    SSE is the sum of squared differences between the masked and the original value, each divided by the
    standard deviation of the attribute; SST is the same with the mean in place of the masked value. 0 where
    nothing changed, 100 where every value became the mean; above 100 for maskings worse than that. A value
    that is missing on one side only counts as the mean; missing on both sides it counts as unchanged.
    Constant attributes are compared unscaled and add nothing to SST. With `weighted`, the squares of each
    record count by its weight, and means and standard deviations are weighted as well.

    Source: Fayyoumi, *thesis*, §2.6; Marés, *thesis*, §2.4.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [0.0, 2.0, 4.0, 6.0]}))
    >>> masked = original.replace({"x": [1.0, 1.0, 5.0, 5.0]})
    >>> Sse().bind(original).score(masked).value
    20.0
    """

    sense: ClassVar[Literal["loss", "risk"]] = "loss"
    scales: ClassVar[tuple[Scale, ...]] = ("numeric",)
    bounded: ClassVar[bool] = False

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Keep the standardised original."""
        return _BoundSse(self, original, names)


class _BoundSse(RecordwiseBound):
    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.centre, self.spread, self.z = {}, {}, {}
        for name in names:
            centre, spread = centre_and_spread(original[name], self.weights)
            self.centre[name], self.spread[name] = centre, spread or 1.0
            self.z[name] = np.nan_to_num((original[name] - centre) / self.spread[name])
        w = 1.0 if self.weights is None else self.weights
        self.totals = [float((w * z * z).sum()) for z in self.z.values()]

    def readers(self, masked: Table) -> Mapping[str, Reader]:
        return {name: partial(self._squared, name) for name in self.names}

    def _squared(self, name: str, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        z = (values - self.centre[name]) / self.spread[name]
        difference = np.where(np.isnan(z), 0.0, z) - self.z[name][rows]
        squared: np.ndarray = (difference * difference)[:, None]
        return squared

    def terms(self, cells: np.ndarray, rows: np.ndarray) -> np.ndarray:
        squared: np.ndarray = cells[:, :, 0]
        return squared if self.weights is None else squared * self.weights[rows, None]

    def summary(self, sums: np.ndarray) -> tuple[float, dict[str, float]]:
        return lost_share(self.names, sums, self.totals)


def lost_share(
    names: tuple[str, ...], sums: np.ndarray, totals: Sequence[float]
) -> tuple[float, dict[str, float]]:
    """100 · SSE / SST, and the same of each attribute, from its two sums of squares."""
    sse, sst = float(sums.sum()), sum(totals)
    if sst == 0:
        return (0.0 if sse == 0 else 100.0), {}
    parts = {
        name: float(100 * lost / (total or sst))
        for name, lost, total in zip(names, sums, totals, strict=True)
    }
    return 100 * sse / sst, parts
