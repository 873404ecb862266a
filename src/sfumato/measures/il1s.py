"""IL1s: how far numbers were moved, in units of how far two people's values lie apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from sfumato.data import Schema
from sfumato.measures._column_means import mean_of_columns
from sfumato.measures._contract import Files, Judged, Measure
from sfumato.measures.statistics.contract import BoundStatistic, Part, Statistic
from sfumato.measures.statistics.record_sums import Reader, RecordSums
from sfumato.measures.statistics.spreads import Spreads


class Il1s(Measure):
    """IL1s = 100 · mean over records and attributes of |x − x'| / (√2 · s), s the standard deviation of x.

    √2 · s is the standard deviation of the difference of two values drawn at random. 0 where nothing changed; no
    upper end: at 100 values were moved as far as those of two people lie apart. A value that is missing on one side
    only, and any change of a constant, is at distance 1; missing on both sides, at distance 0. Weights make the
    mean and s weighted ones. The parts are the loss of each attribute.

    It does not see what moved with what: a file that keeps all relations but gives every record to another person
    loses as much as one of noise. Categories are not judged. `record_distance` is the same, cut off at 1 and
    with categories.

    Source: Yancey, Winkler & Creecy (2002), in the form of Mateo-Sanz, Sebé & Domingo-Ferrer (2004), which sdcMicro
    documents; early versions of sdcMicro multiply by √2 in place of dividing, and so give twice as much.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [0.0, 2.0, 4.0, 6.0]}))  # s² is 5
    >>> masked = original.replace({"x": [1.0, 2.0, 4.0, 6.0]})
    >>> round(Il1s(attributes=("x",)).bind(original).score(masked).value, 2)  # 100 · 1 / (4 · √10)
    7.91
    """

    sense = "loss"
    scales = ("numeric",)
    bounded = False

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return (Movements(files.names, self.weighted),)

    def value(self, files: Files, *found: np.ndarray) -> Judged:
        return mean_of_columns(files, found[0])


@dataclass(frozen=True)
class Movements(Statistic):
    """For each column of numbers, the sum over records of |x − x'| / (√2 · s)."""

    names: tuple[str, ...]
    weighted: bool

    @property
    def needs(self) -> tuple[Statistic, ...]:
        return (*super().needs, Spreads(self.names, self.weighted))

    def bound(self, original: Part) -> BoundStatistic:
        return _BoundMovements(self, original)


class _BoundMovements(RecordSums):
    def __init__(self, statistic: Movements, original: Part) -> None:
        super().__init__(statistic, original, statistic.names, weighted=statistic.weighted)
        deviations = original.known[Spreads(statistic.names, statistic.weighted)].deviation
        self.units = {n: sqrt(2) * s for n, s in zip(statistic.names, deviations.tolist(), strict=True)}

    def readers(self, masked: Schema) -> Mapping[str, Reader]:
        return {name: partial(self._apart, name) for name in self.names}

    def _apart(self, name: str, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        before, unit = self.original.table[name][rows], self.units[name]
        difference = np.abs(values - before)
        apart = difference / unit if unit > 0 else (difference > 0).astype(float)
        one_missing = np.isnan(values) != np.isnan(before)
        cells: np.ndarray = np.where(np.isnan(difference), one_missing, apart)
        return cells[:, None]
