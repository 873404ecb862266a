"""Record distance: how far each cell of the masked file lies from the same cell of the original."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from sfumato.data import Schema
from sfumato.data.coverage import Coverage, coverage_of, original_codes
from sfumato.measures._column_means import mean_of_columns
from sfumato.measures._contract import Files, Judged, Measure
from sfumato.measures.statistics.contract import BoundStatistic, Part, Statistic
from sfumato.measures.statistics.record_sums import Reader, RecordSums
from sfumato.measures.statistics.spreads import Spreads


class RecordDistance(Measure):
    """100 · mean over records and attributes of d(original cell, masked cell), each from 0 to 1.

    Numbers are min(1, |x − x'| / (√2 · s)) apart, with s the standard deviation of the original: IL1s cut off
    at 1. The standard deviation of the difference of two values drawn at random is √2 · s, so that a cell at
    distance 1 tells no more about its record than the cell of somebody else. Categories are as far apart as in
    `dbil`: |difference of ranks| / |D| if ordinal, 0 or 1 if nominal, and a recoded category counts as a uniform
    draw from those it covers. A value that is missing on one side only is at distance 1; missing on both
    sides, at distance 0. Any change of a constant number is a distance of 1. Weights make the mean over
    records and s weighted ones. The parts are the loss of each attribute.

    It does not see whether the joint distribution stayed: a file whose records changed places loses much
    here and nothing in any table.

    Source: IL1s of Yancey, Winkler & Creecy (2002), cut off at 1; Marés, *thesis*, §2.4.1, for categories.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [0.0, 2.0, 4.0, 6.0], "town": ["a", "b", "b", "a"]}))
    >>> masked = original.replace({"x": [1.0, 2.0, 4.0, 99.0]})
    >>> parts = RecordDistance(attributes=("x", "town")).bind(original).score(masked).parts
    >>> {name: round(part, 2) for name, part in parts.items()}
    {'x': 32.91, 'town': 0.0}
    """

    sense = "loss"

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return (CellDistances(files.names, files.numeric, self.weighted),)

    def value(self, files: Files, *found: np.ndarray) -> Judged:
        return mean_of_columns(files, found[0])


@dataclass(frozen=True)
class CellDistances(Statistic):
    """For each attribute, the sum over records of the distance of masked and original cells."""

    names: tuple[str, ...]
    numeric: tuple[str, ...]
    weighted: bool

    @property
    def needs(self) -> tuple[Statistic, ...]:
        return (*super().needs, Spreads(self.numeric, self.weighted))

    def bound(self, original: Part) -> BoundStatistic:
        return _BoundDistances(self, original)


class _BoundDistances(RecordSums):
    def __init__(self, statistic: CellDistances, original: Part) -> None:
        super().__init__(statistic, original, statistic.names, weighted=statistic.weighted)
        deviations = original.known[Spreads(statistic.numeric, statistic.weighted)].deviation
        self.units = {n: sqrt(2) * s for n, s in zip(statistic.numeric, deviations.tolist(), strict=True)}

    def readers(self, masked: Schema) -> Mapping[str, Reader]:
        declared = self.original.table.schema
        return {
            name: partial(self._apart, name)
            if name in self.units
            else partial(self._steps, name, coverage_of(declared[name], masked[name]))
            for name in self.names
        }

    def _apart(self, name: str, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        before, unit = self.original.table[name][rows], self.units[name]
        difference = np.abs(values - before)
        apart = np.minimum(difference, unit) / unit if unit > 0 else (difference > 0).astype(float)
        one_missing = np.isnan(values) != np.isnan(before)
        cells: np.ndarray = np.where(np.isnan(difference), one_missing, apart)
        return cells[:, None]

    def _steps(self, name: str, reading: Coverage, codes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        masked = reading.of(codes.astype(np.int64))
        return reading.distances(masked, original_codes(self.original.table[name][rows]))[:, None]
