"""Known records as codes, and released values as the spans of codes that they may stand for."""

from dataclasses import dataclass

import numpy as np

from sfumato.data import Attribute, Schema, Table
from sfumato.data.coverage import coverage_of
from sfumato.kernels.distinct_records import Distinct, distinct


class KnownRecords:
    """The distinct known records: the code of a number is its place among the different values present,
    that of a category is its own, and missing comes last in each attribute."""

    def __init__(self, known: Table, names: tuple[str, ...]) -> None:
        self.names, self.n = names, known.n
        self.schema = known.schema.select(names)
        self.values = [_values(known, name) for name in names]
        columns = [self._coded(known, j) for j in range(len(names))]
        records = distinct(columns)
        self.codes = np.array([column[records.first] for column in columns], np.int32)
        self.counts, self.own = records.counts, records.labels

    def missing_code(self, j: int) -> int:
        return len(self.values[j])

    def _coded(self, known: Table, j: int) -> np.ndarray:
        column, values = known[self.names[j]], self.values[j]
        codes = np.searchsorted(values, column) if column.dtype.kind == "f" else column
        return np.where(known.missing(self.names[j]), len(values), codes)


@dataclass(frozen=True)
class SetSpans:
    """Sets of categories that are not neighbours: set s is the spans starts[s] to starts[s + 1]."""

    starts: np.ndarray
    spans: np.ndarray


class Agreement:
    """How values of a release agree with known ones: see `probabilistic_linkage` for when they do."""

    def __init__(self, known: KnownRecords, released: Schema, margins: list[float]) -> None:
        self.known, self.margins = known, margins
        scattered: list[list[np.ndarray]] = []  # the runs of each set that has several
        self.tables = [self._table(j, released, scattered) for j in range(len(known.names))]
        spans = [(run[0], run[-1] + 1) for runs in scattered for run in runs]
        starts = np.cumsum([0, *map(len, scattered)])
        self.sets = SetSpans(starts, np.array(spans, np.int32).reshape(-1, 2))

    def _table(self, j: int, released: Schema, scattered: list[list[np.ndarray]]) -> np.ndarray:
        """The span of each released category, that of missing last."""
        name, gone = self.known.names[j], self.known.missing_code(j)
        reading = coverage_of(self.known.schema[name], released[name])
        spans = [(code, code + 1) for code in range(reading.size)]
        for members in reading.sets:
            runs = np.split(members, np.flatnonzero(np.diff(members) > 1) + 1)
            if len(runs) == 1:
                spans.append((int(members[0]), int(members[-1]) + 1))
            else:
                scattered.append(runs)
                spans.append((-len(scattered), 0))
        table: np.ndarray = np.array([*spans, (gone, gone + 1)], np.int32)[reading.readings]
        return table

    def spans(self, released: Table) -> np.ndarray:
        """The span of each value: records × attributes × (low, high)."""
        columns = [self.column(j, released[name]) for j, name in enumerate(self.known.names)]
        return np.ascontiguousarray(np.stack(columns, 1))

    def column(self, j: int, values: np.ndarray) -> np.ndarray:
        if not self.known.schema[self.known.names[j]].is_numeric:
            return spans_of(self.tables[j], values)
        known, gone = self.known.values[j], self.known.missing_code(j)
        low = np.searchsorted(known, values - self.margins[j])
        high = np.searchsorted(known, values + self.margins[j], "right")
        missing = np.isnan(values)
        return np.stack(
            [np.where(missing, gone, low), np.where(missing, gone + 1, high)], axis=1, dtype=np.int32
        )

    def matrix(self, spans: np.ndarray, j: int) -> np.ndarray:
        """Which released (row) and known (column) records agree in one attribute."""
        codes = self.known.codes[j]
        agree: np.ndarray = (codes >= spans[:, j, :1]) & (codes < spans[:, j, 1:])
        for s in range(len(self.sets.starts) - 1):
            rows = spans[:, j, 0] == -s - 1
            for low, high in self.sets.spans[self.sets.starts[s] : self.sets.starts[s + 1]]:
                agree[rows] |= (codes >= low) & (codes < high)
        return agree


def spans_of(table: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The spans (low, high) of codes, from a table with that of missing last."""
    whole = np.ascontiguousarray(table, np.int32).view(np.int64).ravel()  # one look-up for both ends
    spans: np.ndarray = whole[codes].view(np.int32).reshape(-1, 2)
    return spans


def alike(spans: np.ndarray) -> Distinct:
    """Released records that agree with the same known ones, counted once."""
    return distinct([distinct([*spans[:, j].T]).labels for j in range(spans.shape[1])])


def _values(known: Table, name: str) -> np.ndarray:
    attribute: Attribute = known.schema[name]
    if attribute.is_numeric:
        return np.unique(known[name][~known.missing(name)])
    return np.arange(max(attribute.domain_size, 1))
