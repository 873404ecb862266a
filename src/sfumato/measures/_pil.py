"""Sampling errors of statistics, weighted quantiles, and the tracker of the probabilistic loss."""

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from sfumato.data import Table
from sfumato.kernels.pil import quantiles, replace_in_order
from sfumato.measures._moments import RunningMoments
from sfumato.measures._tracking import Change, Tracker

if TYPE_CHECKING:
    from sfumato.measures.pil import BoundPil

LEVELS = np.arange(1, 20) / 20
EXACT = 1e-10  # a standardised sampling variance this small is rounding
SORTED_ANEW = 24  # a column with more changes than this is sorted again


def sampling_errors(
    z: np.ndarray, weights: np.ndarray | None, levels: np.ndarray, found: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Asymptotic standard deviations of the quantiles `levels` and of the moments `found` of rows z."""
    w = np.ones(len(z)) if weights is None else weights
    d = z.shape[1]
    by_quantile, by_moment = np.zeros((d, len(LEVELS))), np.zeros((4, d, d))
    for j in range(d):
        here = ~np.isnan(z[:, j]) & (w > 0)
        if not here.any():
            continue
        x, share, n = z[here, j], w[here] / w[here].sum(), _effective(w[here])
        variance = found[1, j, j]
        by_quantile[j] = _quantile_errors(x, share, n, levels[j], math.sqrt(variance))
        deviation = x - _mean(x, share)
        by_moment[0, j, j] = _error(deviation, share, n)
        by_moment[1, j, j] = _error(deviation * deviation - variance, share, n)
    for j, m in combinations(range(d), 2):
        here = ~np.isnan(z[:, j]) & ~np.isnan(z[:, m]) & (w > 0)
        if here.any():
            pair, share, n = z[here][:, [j, m]], w[here] / w[here].sum(), _effective(w[here])
            a, b = (column - _mean(column, share) for column in pair.T)
            by_moment[2, j, m] = _error(a * b - found[2, j, m], share, n)
            if not np.isnan(found[3, j, m]):
                a, b = (x / math.sqrt(_mean(x * x, share)) for x in (a, b))
                by_moment[3, j, m] = _error(a * b - found[3, j, m] * (a * a + b * b) / 2, share, n)
    return by_quantile, by_moment


def _mean(values: np.ndarray, share: np.ndarray) -> float:
    """Summed without BLAS, whose threads may change the last digit."""
    return float((values * share).sum())


def _effective(w: np.ndarray) -> float:
    """Kish's effective number of records."""
    return float(w.sum() ** 2 / (w * w).sum())


def _error(influence: np.ndarray, share: np.ndarray, n: float) -> float:
    """The standard error of a statistic from the influence of each record on it (mean 0)."""
    variance = _mean(influence * influence, share)
    return math.sqrt(variance / n) if variance > EXACT else 0.0


def _quantile_errors(x: np.ndarray, share: np.ndarray, n: float, at: np.ndarray, spread: float) -> np.ndarray:
    """√(q(1 − q)/n) / f(at); 0 for a constant."""
    if spread == 0:
        return np.zeros(len(LEVELS))
    iqr = at[14] - at[4]  # the quantiles of 75 and 25 %
    bandwidth = 0.9 * (min(spread, iqr / 1.349) or spread) * n**-0.2
    heights = [_mean(np.exp(-(((q - x) / bandwidth) ** 2) / 2), share) for q in at]
    density = np.array(heights) / (bandwidth * math.sqrt(2 * math.pi))
    errors: np.ndarray = np.sqrt(LEVELS * (1 - LEVELS) / n) / np.maximum(density, 1e-300)
    return errors


def weighted_quantiles(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Quantiles interpolated between the middles of the weights; equal weights give the usual ones.

    >>> weighted_quantiles(np.array([4.0, 0.0, 2.0]), np.array([1.0, 1.0, 2.0]))[[4, 9, 14]].round(2).tolist()
    [1.0, 2.0, 3.0]
    """
    here = ~np.isnan(values) & (weights > 0)
    order = np.lexsort((weights[here], values[here]))
    x, w = values[here][order], weights[here][order]
    if len(x) == 0:
        return np.full(len(LEVELS), np.nan)
    middles = np.cumsum(w) - w / 2
    reach = middles[-1] - middles[0]
    positions = (middles - middles[0]) / reach if reach > 0 else np.zeros(len(x))
    found: np.ndarray = np.interp(LEVELS, positions, x)
    return found


class PilTracker(Tracker):
    """Sorted columns and running sums: a cell costs its quantiles, and the moments of its pairs."""

    def __init__(self, bound: "BoundPil", masked: Table) -> None:
        self.bound = bound
        self.place = {name: j for j, name in enumerate(bound.names)}
        self.running = RunningMoments(bound.units, masked.numbers(bound.names))
        z = bound.units.standardised(self.running.values)
        self.ordered = np.sort(z.T, axis=1)
        self.counts = [int(np.count_nonzero(~np.isnan(column))) for column in self.ordered]
        self.lost = np.zeros(len(bound.names))
        for j in self.place.values():
            self.lost[j] = self._lost(j, self.ordered[j], self.counts[j])
        self.columns: dict[int, tuple[np.ndarray, int, float]] = {}
        super().__init__(self._value(self.lost, self.running.statistics))

    def propose(self, change: Change) -> float:
        """Move the changed values in their sorted columns, and in the sums."""
        values = {self.place[n]: v for n, v in change.columns.items() if n in self.place}
        self.columns = {j: self._reordered(j, change.rows, new) for j, new in values.items()}
        found = self.running.propose(change.rows, values)
        lost = self.lost.copy()
        for j, (_, _, loss) in self.columns.items():
            lost[j] = loss
        return self._value(lost, found)

    def commit(self) -> None:
        """Keep the sorted columns and the sums."""
        for j, (ordered, count, loss) in self.columns.items():
            self.ordered[j], self.counts[j], self.lost[j] = ordered, count, loss
        self.running.commit()

    def _reordered(self, j: int, rows: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, int, float]:
        units, values = self.bound.units, self.running.values[:, j]
        if len(rows) > SORTED_ANEW:
            values = values.copy()
            values[rows] = new
            ordered = np.sort((values - units.centre[j]) / units.spread[j])
            count = int(np.count_nonzero(~np.isnan(ordered)))
        else:
            before, after = ((x - units.centre[j]) / units.spread[j] for x in (values[rows], np.asarray(new)))
            ordered = self.ordered[j].copy()
            count = replace_in_order(ordered, self.counts[j], before, after)
        return ordered, count, self._lost(j, ordered, count)

    def _lost(self, j: int, ordered: np.ndarray, count: int) -> float:
        return float(self.bound.lost_quantiles(j, quantiles(ordered, count, LEVELS)).mean())

    def _value(self, lost: np.ndarray, found: np.ndarray) -> float:
        families = self.bound.families(lost.sum(), self.bound.lost_moments(found).sum((1, 2)))
        return float(sum(families) / len(families))
