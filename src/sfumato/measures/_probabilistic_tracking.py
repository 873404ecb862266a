"""The tracker of probabilistic linkage: patterns are kept by record, and EM is run again on their sums."""

from collections.abc import Callable

import numpy as np

from sfumato.attacks.linkage.fellegi_sunter import FellegiSunterLinker
from sfumato.data import Table
from sfumato.kernels.agreement import agreements
from sfumato.kernels.fellegi_sunter import linked_shares
from sfumato.measures._tracking import Change, Tracker


class LinkageTracker(Tracker):
    """Only the greatest patterns of a record can be its heaviest, whatever the weights: see `FellegiSunterLinker`.

    They are kept for each record in a pool of short lists. A change compares the changed records with all
    known ones, before and after, and adds the difference to the pairs by pattern. EM starts from the same
    values as ever, so that the tracked value is the judged one to the last bit.
    """

    def __init__(
        self, linker: FellegiSunterLinker, masked: Table, percent: Callable[[np.ndarray], float]
    ) -> None:
        found = linker.compare(masked)
        super().__init__(percent(linker.best_links(found, linker.weights(found.pairs))))
        self.linker, self.agreement, self.percent = linker, found.agreement, percent
        self.place = {name: j for j, name in enumerate(linker.known.names)}
        self.spans, self.pairs, self.own = found.spans, found.pairs, found.own
        self.rows = np.arange(masked.n)
        self._fill_pool(found.starts, found.patterns, found.tallies, found.groups.labels)
        self._pending: tuple[np.ndarray, ...] | None = None

    def propose(self, change: Change) -> float:
        """Compare the changed records, fit the model, and rank the partners of all."""
        spans = self.spans[change.rows]
        for name, values in change.columns.items():
            if name in self.place:
                spans[:, self.place[name]] = self.agreement.column(self.place[name], values)
        moved = (spans != self.spans[change.rows]).any((1, 2))
        if not moved.any():
            self._pending = None
            return self.value
        rows, spans = change.rows[moved], spans[moved]
        before = self._count(self.spans[rows])[0]
        after, starts, patterns, tallies = self._count(spans)
        pairs = self.pairs - before + after
        own = self.linker.own(self.agreement, spans, self.linker.known.own[rows])
        gains = self.linker.weights(pairs).gains
        shares = linked_shares(
            self.starts, self.ends, self.patterns, self.tallies, self.rows, self.own, gains
        )
        shares[rows] = linked_shares(
            starts[:-1], starts[1:], patterns, tallies, self.rows[: len(rows)], own, gains
        )
        self._pending = rows, spans, pairs, own, starts, patterns, tallies
        return self.percent(shares)

    def commit(self) -> None:
        if self._pending is None:
            return
        rows, spans, self.pairs, own, starts, patterns, tallies = self._pending
        self.spans[rows], self.own[rows] = spans, own
        for i, row in enumerate(rows):
            self._store(row, patterns[starts[i] : starts[i + 1]], tallies[starts[i] : starts[i + 1]])

    def _count(self, spans: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        known, sets = self.linker.known, self.agreement.sets
        ones = np.ones(len(spans), np.int64)
        return agreements(spans, ones, known.codes, known.counts, sets.starts, sets.spans)

    def _fill_pool(
        self, starts: np.ndarray, patterns: np.ndarray, tallies: np.ndarray, labels: np.ndarray
    ) -> None:
        """Give each record a list of its own, from those of the groups of equal records."""
        lengths = np.diff(starts)[labels]
        self.ends = np.cumsum(lengths)
        self.starts = self.ends - lengths
        self.room = lengths.copy()
        at = np.arange(lengths.sum()) - np.repeat(self.starts, lengths) + np.repeat(starts[labels], lengths)
        self.patterns, self.tallies = patterns[at], tallies[at]
        self.used = len(at)

    def _store(self, row: int, patterns: np.ndarray, tallies: np.ndarray) -> None:
        size = len(patterns)
        if size > self.room[row]:  # a new place at the end, with room to grow
            self.starts[row], self.room[row] = self.used, 2 * size
            self.used += 2 * size
            if self.used > len(self.patterns):
                more = np.zeros(self.used, np.int64)
                self.patterns = np.concatenate([self.patterns, more])
                self.tallies = np.concatenate([self.tallies, more])
        start = self.starts[row]
        self.ends[row] = start + size
        self.patterns[start : start + size] = patterns
        self.tallies[start : start + size] = tallies
