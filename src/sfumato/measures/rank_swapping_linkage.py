"""Rank-swapping linkage: how many records are found again by one who knows how ranks were swapped."""

from typing import ClassVar

import numpy as np

from sfumato.attacks.linkage.rank_windows import RankWindows, Windows
from sfumato.core import Aliases, param
from sfumato.data import Table
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._tracking import Change, Tracker


class RankSwappingLinkage(Measure):
    """RSRL = 100 · mean over records of 1 / number of candidates, 0 where the own record is none of them.

    The candidates of a masked record are the original records whose values are, in every attribute, at most
    w = max(1, ⌊p·n / 100⌋) ranks away from the masked one: all that `rank_swapping` with this p can have
    made it from. From 0 to 100. Ranks are those of the n original values present, and equal values have all
    of their ranks. A missing value comes from a record where it is missing. A recoded category comes from
    the window from the lowest to the highest category it covers. Survey weights count the records.

    It does not see methods other than rank swapping: for those it says nothing.

    Source: Nin, Herranz & Torra (2008), *Rethinking rank swapping to decrease disclosure risk*.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> original = table_from_frame(pa.table({"x": [1.0, 2.0, 3.0, 4.0, 5.0], "y": [2.0, 9.0, 4.0, 7.0, 1.0]}))
    >>> masked = original.replace({"x": [2.0, 1.0, 4.0, 3.0, 5.0]})
    >>> RankSwappingLinkage(p=20).bind(original).score(masked).value  # 1/2, 1, 1/2, 1/3, 1
    66.66666666666667
    >>> RankSwappingLinkage(p=20, attributes=("x",)).bind(original).score(masked).value  # 1/3, 1/2, 1/3, 1/3, 1/2
    40.0
    """

    aliases: ClassVar[Aliases] = {"RSRL": {}}

    sense = "risk"
    joinable = False
    quick = 100_000
    scales = ("numeric", "ordinal")

    p: float = param(
        default=10.0, low=0, high=100, help="how far values were swapped, in percent of the ranks"
    )

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return _BoundWindows(self, original, names)

    def tracker(self, bound: "_BoundWindows", masked: Table) -> Tracker:
        return _WindowTracker(bound, masked)


class _BoundWindows(Bound):
    def __init__(self, measure: RankSwappingLinkage, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.ranks = RankWindows(original, names, measure.p)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        spans = Windows(self.ranks, masked.schema).spans(masked)
        return self.percent(self.ranks.outcomes(spans, self.ranks.known.own)), {}

    def percent(self, outcomes: np.ndarray) -> float:
        """The value, from the success on each record."""
        return 100 * float(np.average(outcomes, weights=self.weights))


class _WindowTracker(Tracker):
    """Candidates are original records: a change concerns only the records it changes."""

    def __init__(self, bound: _BoundWindows, masked: Table) -> None:
        self.bound, self.windows = bound, Windows(bound.ranks, masked.schema)
        self.spans = self.windows.spans(masked)
        self.own = bound.ranks.known.own
        self.outcomes = bound.ranks.outcomes(self.spans, self.own)
        super().__init__(bound.percent(self.outcomes))
        self._pending = np.empty(0, np.int64), self.spans[:0], self.outcomes

    def propose(self, change: Change) -> float:
        spans, outcomes = self.spans[change.rows], self.outcomes.copy()
        for j, name in enumerate(self.bound.names):
            if name in change.columns:
                spans[:, j] = self.windows.column(j, change.columns[name])
        outcomes[change.rows] = self.bound.ranks.outcomes(spans, self.own[change.rows])
        self._pending = change.rows, spans, outcomes
        return self.bound.percent(outcomes)

    def commit(self) -> None:
        rows, spans, self.outcomes = self._pending
        self.spans[rows] = spans
