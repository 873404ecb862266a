"""Record distance: how far each cell of the masked file lies from the same cell of the original."""

from collections.abc import Mapping
from functools import partial
from math import sqrt
from typing import ClassVar, Literal

import numpy as np

from sfumato.data import Table
from sfumato.data.coverage import Coverage, coverage_of, original_codes
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._records import Reader, RecordwiseBound
from sfumato.measures._spread import centre_and_spread


class RecordDistance(Measure):
    """100 · mean over records and attributes of d(original cell, masked cell), each from 0 to 1.

    Numbers are min(1, |x − x'| / (√2 · s)) apart, with s the standard deviation of the original: IL1s cut off
    at 1. The standard deviation of the difference of two values drawn at random is √2 · s, so that a cell at
    distance 1 tells no more about its record than the cell of somebody else. Categories are as far apart as in
    `dbil`: |difference of ranks| / |D| if ordinal, 0 or 1 if nominal, and a recoded category counts as a uniform
    draw from those it covers. A value that is missing on one side only is at distance 1; missing on both
    sides, at distance 0. Any change of a constant number is a distance of 1. Weights make the mean over
    records and s weighted ones. The parts are the loss of each attribute.

    Source: IL1s of Yancey, Winkler & Creecy (2002), cut off at 1; Marés, *thesis*, §2.4.1, for categories.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [0.0, 2.0, 4.0, 6.0], "town": ["a", "b", "b", "a"]}))
    >>> masked = original.replace({"x": [1.0, 2.0, 4.0, 99.0]})
    >>> parts = RecordDistance(attributes=("x", "town")).bind(original).score(masked).parts
    >>> {name: round(part, 2) for name, part in parts.items()}
    {'x': 32.91, 'town': 0.0}
    """

    sense: ClassVar[Literal["loss", "risk"]] = "loss"

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Keep the original cells and the spread of numbers."""
        return _BoundRecordDistance(self, original, names)


class _BoundRecordDistance(RecordwiseBound):
    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        numeric = [name for name in names if original.schema[name].is_numeric]
        self.units = {name: sqrt(2) * centre_and_spread(original[name], self.weights)[1] for name in numeric}

    def readers(self, masked: Table) -> Mapping[str, Reader]:
        return {
            name: partial(self._apart, name)
            if name in self.units
            else partial(self._steps, name, coverage_of(self.original.schema[name], masked.schema[name]))
            for name in self.names
        }

    def terms(self, cells: np.ndarray, rows: np.ndarray) -> np.ndarray:
        apart: np.ndarray = cells[:, :, 0]
        return apart if self.weights is None else apart * self.weights[rows, None]

    def summary(self, sums: np.ndarray) -> tuple[float, dict[str, float]]:
        shares = (100 * sums / self.original.n).tolist()
        return sum(shares) / len(shares), dict(zip(self.names, shares, strict=True))

    def _apart(self, name: str, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        before, unit = self.original[name][rows], self.units[name]
        difference = np.abs(values - before)
        apart = np.minimum(difference, unit) / unit if unit > 0 else (difference > 0).astype(float)
        one_missing = np.isnan(values) != np.isnan(before)
        cells: np.ndarray = np.where(np.isnan(difference), one_missing, apart)
        return cells[:, None]

    def _steps(self, name: str, reading: Coverage, codes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        masked = reading.of(codes.astype(np.int64))
        return reading.distances(masked, original_codes(self.original[name][rows]))[:, None]
