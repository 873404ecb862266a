"""SSE: the share of the variance of numeric attributes that masking destroyed."""

from typing import ClassVar, Literal

import numpy as np

from sfumato.data import Scale, Table
from sfumato.kernels.spread import centre_and_spread
from sfumato.measures._contract import Bound, Measure


class Sse(Measure):
    """IL = 100 · SSE / SST on standardised records.

    SSE is the sum of squared differences between the masked and the original value, each divided by the
    standard deviation of the attribute; SST is the same with the mean in place of the masked value. 0 where
    nothing changed, 100 where every value became the mean; above 100 for maskings worse than that. A value
    that is missing on one side only counts as the mean; missing on both sides it counts as unchanged.
    Constant attributes are compared unscaled and add nothing to SST.

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


class _BoundSse(Bound):
    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.centre, self.spread, self.z = [], [], []
        for name in names:
            centre, spread = centre_and_spread(original[name])
            self.centre.append(centre)
            self.spread.append(spread or 1.0)
            self.z.append(np.nan_to_num((original[name] - centre) / self.spread[-1]))
        self.sst = sum(float(z @ z) for z in self.z)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        lost = {}
        for name, centre, spread, z in zip(self.names, self.centre, self.spread, self.z, strict=True):
            difference = np.nan_to_num((masked[name] - centre) / spread) - z
            lost[name] = float(difference @ difference)
        sse = sum(lost.values())
        if self.sst == 0:
            return (0.0 if sse == 0 else 100.0), {}
        parts = {
            n: 100 * lost[n] / (float(z @ z) or self.sst) for n, z in zip(self.names, self.z, strict=True)
        }
        return 100 * sse / self.sst, parts
