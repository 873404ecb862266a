"""Granularity: how much of its domain a released value covers."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from sfumato.data import Schema
from sfumato.data.coverage import coverage_of
from sfumato.measures._column_means import mean_of_columns
from sfumato.measures._contract import Files, Judged, Measure
from sfumato.measures.statistics.contract import BoundStatistic, Part, Statistic
from sfumato.measures.statistics.record_sums import Reader, RecordSums


class Granularity(Measure):
    """100 · mean over records and attributes of (categories covered − 1) / (|D| − 1).

    A category that stands for itself covers one, a recoded one those it stands for, a blank all of them; |D| is the
    original's domain. Of numbers only blanks count. 0 where every value is as fine as it was, 100 where all
    are blanked. A value that was missing before is not lost; a domain of one category loses nothing but by blanks.
    Weights make the mean over records a weighted one. The parts are the loss of each attribute.

    It does not see whether a value is right: exchanged, disturbed and averaged values are as fine as true ones.

    Source: the loss metric of Iyengar (2002), as ARX normalises it, cell by cell.

    >>> from sfumato.data import Attribute, Schema, Table
    >>> size = Attribute(name="size", scale="ordinal", role="key", categories=("S", "M", "L"))
    >>> merged = size.evolve(categories=("S", "M+"), covers={"M+": ("M", "L")})
    >>> original = Table(Schema([size]), {"size": np.array([0, 1, 2, 2])})
    >>> masked = original.replace({"size": np.array([0, 1, 1, -1])}, [merged])  # 0, 1/2, 1/2 and 1
    >>> Granularity().bind(original).score(masked).value
    50.0
    """

    sense = "loss"

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return (CoveredShares(files.names, self.weighted),)

    def value(self, files: Files, *found: np.ndarray) -> Judged:
        return mean_of_columns(files, found[0])


@dataclass(frozen=True)
class CoveredShares(Statistic):
    """For each attribute, the sum over records of the share of the domain that a cell covers beyond one value."""

    names: tuple[str, ...]
    weighted: bool

    def bound(self, original: Part) -> BoundStatistic:
        return _BoundShares(self, original, self.names, weighted=self.weighted)


class _BoundShares(RecordSums):
    def readers(self, masked: Schema) -> Mapping[str, Reader]:
        return {name: self._reader(name, masked) for name in self.names}

    def _reader(self, name: str, masked: Schema) -> Reader:
        attribute = self.original.table.schema[name]
        if attribute.is_numeric:
            return partial(self._blanked, name)
        reading = coverage_of(attribute, masked[name])
        sizes = np.array([1] * reading.size + [len(covered) for covered in reading.sets] + [reading.size])
        shares = (sizes - 1) / max(reading.size - 1, 1)
        shares[-1] = 1.0
        return partial(self._covered, name, shares[reading.readings])

    def _blanked(self, name: str, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        lost = np.isnan(values) & ~np.isnan(self.original.table[name][rows])
        cells: np.ndarray = lost.astype(float)[:, None]
        return cells

    def _covered(self, name: str, shares: np.ndarray, codes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        codes = codes.astype(np.int64)
        never_there = (codes < 0) & (self.original.table[name][rows] < 0)
        cells: np.ndarray = np.where(never_there, 0.0, shares[codes])
        return cells[:, None]
