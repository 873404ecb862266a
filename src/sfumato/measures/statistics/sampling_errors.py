"""Sampling errors of the quantiles and moments of a file: of one in blocks, in one pass over these."""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from sfumato.data import Table
from sfumato.measures.statistics.contract import OfOriginal, Part, Sought, Statistic
from sfumato.measures.statistics.pair_moments import PairMoments, standardised
from sfumato.measures.statistics.quantiles import LEVELS, Quantiles, in_order_of_value
from sfumato.measures.statistics.sources import Sources
from sfumato.measures.statistics.spreads import Spreads

EXACT = 1e-10  # a standardised sampling variance this small is rounding
NEAR = 9.0  # bandwidths; a value farther away adds less than e^-40 of itself to a density
NOTHING = 1e-300  # divides where there is nothing to divide by


class Errors(NamedTuple):
    """Standard deviations of quantiles, by column, and of moments, as the moments are kept."""

    quantiles: np.ndarray
    moments: np.ndarray


@dataclass(frozen=True)
class SamplingErrors(Sought, OfOriginal):
    """The asymptotic standard deviations of the quantiles and moments of the original."""

    names: tuple[str, ...]
    weighted: bool

    @property
    def quantiles(self) -> Quantiles:
        return Quantiles(self.names, self.weighted, masked=False)

    @property
    def moments(self) -> PairMoments:
        return PairMoments(self.names, self.weighted, masked=False)

    @property
    def needs(self) -> tuple[Statistic, ...]:
        return (*super().needs, Spreads(self.names), self.quantiles, self.moments)

    def take(self, original: Part, masked: Table) -> Errors:
        """From the influence of each record on each statistic."""
        z, weights = standardised(original, original.table, self.names), original.weights(self.weighted)
        levels, sums = original.known[self.quantiles], original.known[self.moments]
        return Errors(*sampling_errors(z, weights, levels, sums.moments()))

    def seek(self, sources: Sources) -> Errors:
        """Sum up the influences of all records on each statistic, and the densities at the quantiles."""
        squared, pairs = SquaredWeights(self.names, self.weighted), self.moments
        squares_of_weights, sums, levels = sources.find(squared, pairs, self.quantiles)
        weight = np.maximum(sums.sums[0], NOTHING)
        n = weight * weight / np.maximum(squares_of_weights, NOTHING)
        around = sums.sums[1] / weight
        spread = np.sqrt(np.maximum(sums.sums[2] / weight - around * around, 0.0))
        moments = sums.moments()
        bandwidths = _bandwidths(levels, np.sqrt(np.diag(moments[1])), np.diag(n))
        means = sums.centre[:, None] + around
        [found] = sources.gathered(_Influences(self, means, spread, moments, levels, bandwidths))
        heights, squares = found.value
        variances = squares / weight
        errors = np.sqrt(np.where(variances > EXACT, variances, 0.0) / np.maximum(n, NOTHING))
        return Errors(_errors_of_quantiles(heights, bandwidths, np.diag(weight), np.diag(n)), errors)


@dataclass(frozen=True)
class SquaredWeights(OfOriginal):
    """The sum of the squared weights of the records where both of two columns are present, pair by pair."""

    names: tuple[str, ...]
    weighted: bool

    def take(self, original: Part, masked: Table) -> np.ndarray:
        present = [~np.isnan(original.table[name]) for name in self.names]
        weights = original.weights(self.weighted)
        squares = np.ones(original.table.n) if weights is None else weights * weights
        return np.array([[squares[one & other].sum() for other in present] for one in present])


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


class _Sums(NamedTuple):
    heights: np.ndarray
    squares: np.ndarray


@dataclass(frozen=True, eq=False)
class _Influences(OfOriginal):
    """Sums over records: the height of the density at each quantile, and squared influences on each moment."""

    errors: SamplingErrors
    means: np.ndarray  # of each attribute, over the records where another is present too
    spreads: np.ndarray
    moments: np.ndarray
    levels: np.ndarray
    bandwidths: np.ndarray

    @property
    def needs(self) -> tuple[Statistic, ...]:
        return self.errors.needs

    def take(self, original: Part, masked: Table) -> _Sums:
        names = self.errors.names
        z, weights = standardised(original, original.table, names), original.weights(self.errors.weighted)
        heights = np.array([self._heights(column, weights, j) for j, column in enumerate(z.T)])
        w = np.ones(len(z)) if weights is None else weights
        squares = np.zeros(self.moments.shape)
        for j in range(len(names)):
            squares[:2, j, j] = self._of_column(z, w, j)
        for j, m in combinations(range(len(names)), 2):
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


def _errors_of_quantiles(
    heights: np.ndarray, bandwidths: np.ndarray, weight: np.ndarray, n: np.ndarray
) -> np.ndarray:
    """√(q(1 − q)/n) / f at each quantile; 0 for a constant."""
    errors = np.zeros(heights.shape)
    for j in np.flatnonzero(bandwidths > 0):
        density = heights[j] / weight[j] / (bandwidths[j] * np.sqrt(2 * np.pi))
        errors[j] = np.sqrt(LEVELS * (1 - LEVELS) / n[j]) / np.maximum(density, NOTHING)
    return errors
