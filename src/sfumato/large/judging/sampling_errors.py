"""Sampling errors of the statistics of a file that does not fit into memory, in one pass over its blocks."""

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from sfumato.large.judging.finding import gathered
from sfumato.large.judging.quantiles import Quantiles, in_order_of_value
from sfumato.large.judging.streamed._contract import Gathered, Pair, Sought, Sources
from sfumato.large.judging.streamed.moments import PairSums, standardised
from sfumato.measures._pil import EXACT, LEVELS

NEAR = 9.0  # bandwidths; a value farther away adds less than e^-40 of itself to a density
NOTHING = 1e-300  # divides where there is nothing to divide by


class Errors(NamedTuple):
    """Standard deviations of quantiles, by column, and of moments, as the moments are kept."""

    quantiles: np.ndarray
    moments: np.ndarray


@dataclass(frozen=True)
class SquaredWeights(Gathered):
    """The sum of the squared weights of the records where both of two columns are present, pair by pair."""

    names: tuple[str, ...]
    weighted: bool

    def gather(self, pair: Pair) -> np.ndarray:
        """The sums of a block."""
        present = [~np.isnan(pair.original[name]) for name in self.names]
        weights = pair.weights(self.weighted)
        squares = np.ones(pair.original.n) if weights is None else weights * weights
        return np.array([[squares[one & other].sum() for other in present] for one in present])


@dataclass(frozen=True)
class SamplingErrors(Sought):
    """The asymptotic standard deviations of the statistics of the original."""

    names: tuple[str, ...]
    weighted: bool

    @property
    def sums(self) -> PairSums:
        """Sums that must be gathered before."""
        return PairSums(self.names, self.weighted, masked=False)

    @property
    def squared_weights(self) -> SquaredWeights:
        """Other sums that must be gathered before."""
        return SquaredWeights(self.names, self.weighted)

    @property
    def quantiles(self) -> tuple[Quantiles, ...]:
        """The quantiles that must be found before."""
        return tuple(Quantiles(name, self.weighted) for name in self.names)

    def seek(self, sources: Sources) -> Errors:
        """Sum up the influences of all records on each statistic, and the densities at the quantiles."""
        weight = np.maximum(sources.found[self.sums][0], NOTHING)
        n = weight * weight / np.maximum(sources.found[self.squared_weights], NOTHING)
        levels = np.array([sources.found[one].before for one in self.quantiles])
        influences = self._influences(sources, levels, np.diag(n))
        [found] = gathered((influences,), sources, {})
        heights, squares = found.value
        variances = squares / weight
        moments = np.sqrt(np.where(variances > EXACT, variances, 0.0) / np.maximum(n, NOTHING))
        return Errors(_quantile_errors(heights, influences.bandwidths, np.diag(weight), np.diag(n)), moments)

    def _influences(self, sources: Sources, levels: np.ndarray, n: np.ndarray) -> "_Influences":
        sums = sources.found[self.sums]
        moments = self.sums.moments(sums, sources.totals)
        weight = np.maximum(sums[0], NOTHING)
        around = sums[1] / weight
        spread = np.sqrt(np.maximum(sums[2] / weight - around * around, 0.0))
        means = self.sums.means(sources.totals)[:, None] + around
        bandwidths = _bandwidths(levels, np.sqrt(np.diag(moments[1])), n)
        return _Influences(self.names, self.weighted, means, spread, moments, levels, bandwidths)


class _Sums(NamedTuple):
    heights: np.ndarray
    squares: np.ndarray


@dataclass(frozen=True, eq=False)
class _Influences(Gathered):
    """Sums over records: the height of the density at each quantile, and squared influences on each moment."""

    names: tuple[str, ...]
    weighted: bool
    means: np.ndarray  # of each attribute, over the records where another is present too
    spreads: np.ndarray
    moments: np.ndarray
    levels: np.ndarray
    bandwidths: np.ndarray

    def gather(self, pair: Pair) -> _Sums:
        z, weights = standardised(pair, self.names, masked=False), pair.weights(self.weighted)
        heights = np.array([self._heights(column, weights, j) for j, column in enumerate(z.T)])
        w = np.ones(len(z)) if weights is None else weights
        squares = np.zeros(self.moments.shape)
        for j in range(len(self.names)):
            squares[:2, j, j] = self._of_column(z, w, j)
        for j, m in combinations(range(len(self.names)), 2):
            squares[2:, j, m] = self._of_pair(z, w, j, m)
        return _Sums(heights, squares)

    def join(self, one: _Sums, other: _Sums) -> _Sums:
        return _Sums(one.heights + other.heights, one.squares + other.squares)

    def _heights(self, column: np.ndarray, weights: np.ndarray | None, j: int) -> list[float]:
        x, w = in_order_of_value(column, weights)
        if not (len(x) and self.bandwidths[j] > 0):
            return [0.0] * len(LEVELS)
        return [_height(x, w, at, self.bandwidths[j]) for at in self.levels[j]]

    def _of_column(self, z: np.ndarray, w: np.ndarray, j: int) -> tuple[float, float]:
        here = ~np.isnan(z[:, j])
        a, weights = z[here, j] - self.means[j, j], w[here]
        return _squared(a, weights), _squared(a * a - self.moments[1, j, j], weights)

    def _of_pair(self, z: np.ndarray, w: np.ndarray, j: int, m: int) -> tuple[float, float]:
        here = ~np.isnan(z[:, j]) & ~np.isnan(z[:, m])
        a, b, weights = z[here, j] - self.means[j, m], z[here, m] - self.means[m, j], w[here]
        r = self.moments[3, j, m]
        covariance = _squared(a * b - self.moments[2, j, m], weights)
        if np.isnan(r):
            return covariance, 0.0
        a, b = a / self.spreads[j, m], b / self.spreads[m, j]
        return covariance, _squared(a * b - r * (a * a + b * b) / 2, weights)


def _squared(influence: np.ndarray, weights: np.ndarray) -> float:
    return float((weights * influence * influence).sum())


def _height(x: np.ndarray, w: np.ndarray, at: float, bandwidth: float) -> float:
    """Σ w·exp(−((at − x)/h)²/2) over the values near enough to count; values are in order."""
    near = slice(*np.searchsorted(x, [at - NEAR * bandwidth, at + NEAR * bandwidth]))
    return float((w[near] * np.exp(-(((at - x[near]) / bandwidth) ** 2) / 2)).sum())


def _bandwidths(levels: np.ndarray, spreads: np.ndarray, n: np.ndarray) -> np.ndarray:
    """0.9 · min(s, IQR/1.349) · n^(−1/5); 0 for a constant, or where nothing is present."""
    between = (levels[:, 14] - levels[:, 4]) / 1.349  # the quantiles of 75 and 25 %
    narrow = np.where(between > 0, np.minimum(spreads, between), spreads)
    found: np.ndarray = 0.9 * np.nan_to_num(narrow) * np.maximum(n, NOTHING) ** -0.2
    return found


def _quantile_errors(
    heights: np.ndarray, bandwidths: np.ndarray, weight: np.ndarray, n: np.ndarray
) -> np.ndarray:
    """√(q(1 − q)/n) / f at each quantile; 0 for a constant."""
    errors = np.zeros(heights.shape)
    for j in np.flatnonzero(bandwidths > 0):
        density = heights[j] / weight[j] / (bandwidths[j] * np.sqrt(2 * np.pi))
        errors[j] = np.sqrt(LEVELS * (1 - LEVELS) / n[j]) / np.maximum(density, NOTHING)
    return errors
