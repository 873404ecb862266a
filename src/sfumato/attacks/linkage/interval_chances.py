"""What a bet on intervals wins by chance: a released value held against everybody, not its own record."""

from collections.abc import Callable
from functools import partial

import numpy as np

from sfumato.attacks.linkage.intervals import EDGE, Intervals, share_of
from sfumato.data import Attribute


class IntervalChances:
    """The mean credit of released values over all records of the original, each counting by its weight.

    The `reader` gives for released values two numbers: the mean of their credits where a missing one is 0, and
    the share of the original that they are held against, which is less than 1 where both are missing.
    """

    def __init__(self, intervals: Intervals, percents: range, weights: np.ndarray | None) -> None:
        self.intervals, self.percents = intervals, percents
        n = len(intervals.values)
        weights = np.ones(n) if weights is None else weights
        self.weights, self.total = (
            np.where(intervals.present, weights, 0.0),
            max(float(weights.sum()), 1e-300),
        )
        self.here = float(self.weights.sum()) / self.total
        if intervals.attribute.is_numeric and intervals.reach is None:
            self.by_rank = self._by_rank()

    def reader(self, released: Attribute) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
        """A function of released values and their rows; whose records they are does not matter."""
        if self.intervals.attribute.is_numeric:
            return self._numbers
        return partial(self._categories, self._means(released))

    def _numbers(self, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        means = self._of_ranks(values) if self.intervals.reach is None else self._of_numbers(values)
        return self._held(means, ~np.isnan(values))

    def _categories(self, means: np.ndarray, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return self._held(means[values], values >= 0)

    def _held(self, means: np.ndarray, here: np.ndarray) -> np.ndarray:
        return np.stack([np.where(here, means, 0.0), np.where(here, 1.0, self.here)], axis=1)

    def _by_rank(self) -> np.ndarray:
        """The mean credit at each half rank, of which n records have 2n + 1."""
        n, ranks = self.intervals.count, self.intervals.ranks[self.intervals.present]
        halves = np.rint(2 * ranks).astype(np.int64)
        upto = np.append(0.0, np.cumsum(np.bincount(halves, self.weights[self.intervals.present], 2 * n + 1)))
        places = np.arange(2 * n + 1)
        credits = np.zeros(2 * n + 1)
        for percent in self.percents:
            reach = 2 * percent * n // 100
            credits += upto[np.minimum(places + reach, 2 * n) + 1] - upto[np.maximum(places - reach, 0)]
        return credits / len(self.percents) / self.total

    def _of_ranks(self, values: np.ndarray) -> np.ndarray:
        halves = np.rint(2 * np.nan_to_num(self.intervals.whole.positions(values))).astype(np.int64)
        means: np.ndarray = self.by_rank[halves]
        return means

    def _of_numbers(self, values: np.ndarray) -> np.ndarray:
        """Original values in order, summed up to the ends of what each released one may stand for."""
        centre = self.intervals.centre
        known = self.intervals.values[self.intervals.present] - centre
        order = np.argsort(known, kind="stable")
        upto = np.append(0.0, np.cumsum(self.weights[self.intervals.present][order]))
        credits = np.zeros(len(values))
        for percent in self.percents:
            low, high = self._ends(values - centre, (percent + EDGE) / 100)
            credits += upto[np.searchsorted(known[order], high, "right")]
            credits -= upto[np.searchsorted(known[order], low, "left")]
        return credits / len(self.percents) / self.total

    def _ends(self, values: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest original in whose interval a released value lies."""
        if self.intervals.whole.interval == "sd":
            return values - share * self.intervals.whole.spread, values + share * self.intervals.whole.spread
        near = values / (1 + share)
        far = values / (1 - share) if share < 1 else np.where(values == 0, 0.0, np.copysign(np.inf, values))
        return np.minimum(near, far), np.maximum(near, far)

    def _means(self, released: Attribute) -> np.ndarray:
        """The mean credit of each released category, that of missing last."""
        values = self.intervals.values
        present = np.flatnonzero(self.intervals.present)
        codes, first = np.unique(values[present], return_index=True)
        shares = (
            np.bincount(np.searchsorted(codes, values[present]), self.weights[present], len(codes))
            / self.total
        )
        read = self.intervals.reader(released, [partial(share_of, self.percents)])
        means = [
            float(np.nan_to_num(read(np.full(len(codes), code), present[first])[:, 0]) @ shares)
            for code in range(released.domain_size)
        ]
        return np.array([*means, 0.0])
