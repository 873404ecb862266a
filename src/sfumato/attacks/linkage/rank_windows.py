"""The attack on rank swapping: which known records can a released one come from?"""

import numpy as np

from sfumato.attacks._known_records import KnownRecords, alike, spans_of
from sfumato.data import Schema, Table
from sfumato.data.coverage import coverage_of
from sfumato.kernels.candidate_counts import count_candidates
from sfumato.parallel.threads import in_blocks

BLOCK = 1024


class RankWindows:
    """Known records, with what a swap of at most p % of the ranks allows in each attribute."""

    def __init__(self, known: Table, names: tuple[str, ...], p: float) -> None:
        self.known = KnownRecords(known, names)
        self.below = [self._values_below(j) for j in range(len(names))]
        self.widths = [max(1, int(p * below[-1] / 100 + 1e-9)) for below in self.below]
        # records are looked up by the attribute with the most values, where windows are narrowest
        lead = int(np.argmax([len(values) for values in self.known.values]))
        self.order = [lead, *(j for j in range(len(names)) if j != lead)]
        records = np.argsort(self.known.codes[lead], kind="stable")
        self.codes = np.ascontiguousarray(self.known.codes[self.order][:, records])
        self.counts = self.known.counts[records]

    def window(self, j: int, first: np.ndarray, end: np.ndarray) -> np.ndarray:
        """The codes (low, high) from which a value can come whose own codes are first ≤ code < end."""
        below, width, last = self.below[j], self.widths[j], max(int(self.below[j][-1]) - 1, 0)
        lowest = np.clip(below[first] - width, 0, last)
        highest = np.clip(below[end] - 1 + width, 0, last)
        low = np.searchsorted(below, lowest, "right") - 1
        high = np.minimum(np.searchsorted(below, highest, "right"), len(below) - 1)
        return np.stack([low, high], axis=1, dtype=np.int32)

    def outcomes(self, spans: np.ndarray, own: np.ndarray) -> np.ndarray:
        """One by the number of candidates where the own record is one of them, and 0 otherwise."""
        codes = self.known.codes.T[own]
        rows = np.flatnonzero(((codes >= spans[..., 0]) & (codes < spans[..., 1])).all(1))
        shares = np.zeros(len(spans))
        if len(rows):
            groups = alike(spans[rows])
            shares[rows] = 1 / self._candidates(spans[rows[groups.first]])[groups.labels]
        return shares

    def _candidates(self, spans: np.ndarray) -> np.ndarray:
        spans = np.ascontiguousarray(spans[:, self.order])
        starts, ends = np.searchsorted(self.codes[0], spans[:, 0].T)

        def block(start: int, end: int) -> np.ndarray:
            rows = slice(start, end)
            return count_candidates(spans[rows], starts[rows], ends[rows], self.codes, self.counts)

        return in_blocks(block, len(spans), BLOCK)

    def _values_below(self, j: int) -> np.ndarray:
        """How many of the values present have a smaller code; the last one counts all of them."""
        size = self.known.missing_code(j)
        counts = np.zeros(size + 1, np.int64)
        np.add.at(counts, self.known.codes[j], self.known.counts)
        return np.concatenate([[0], np.cumsum(counts[:size])])


class Windows:
    """The windows of released values under a schema; a recoded category reaches over all it stands for."""

    def __init__(self, ranks: RankWindows, released: Schema) -> None:
        self.ranks, self.known = ranks, ranks.known
        self.tables = [self._table(j, released) for j in range(len(self.known.names))]

    def spans(self, released: Table) -> np.ndarray:
        columns = [self.column(j, released[name]) for j, name in enumerate(self.known.names)]
        return np.ascontiguousarray(np.stack(columns, 1))

    def column(self, j: int, values: np.ndarray) -> np.ndarray:
        """The windows of some values of one attribute; a missing one stayed where it was."""
        table = self.tables[j]
        if table is not None:
            return spans_of(table, values)
        known, gone = self.known.values[j], self.known.missing_code(j)
        first, end = np.searchsorted(known, values), np.searchsorted(known, values, "right")
        window = self.ranks.window(j, first, end)
        window[np.isnan(values)] = gone, gone + 1
        return window

    def _table(self, j: int, released: Schema) -> np.ndarray | None:
        """The window of each released category, that of missing last."""
        name, gone = self.known.names[j], self.known.missing_code(j)
        if self.known.schema[name].is_numeric:
            return None
        reading = coverage_of(self.known.schema[name], released[name])
        first = np.array([*range(reading.size), *(members[0] for members in reading.sets)])
        last = np.array([*range(reading.size), *(members[-1] for members in reading.sets)])
        windows = np.concatenate([self.ranks.window(j, first, last + 1), [(gone, gone + 1)]])
        table: np.ndarray = windows[reading.readings].astype(np.int32)
        return table
