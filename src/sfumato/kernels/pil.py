"""Quantiles of sorted values that change a little, and the probabilistic loss of a changed statistic."""

import math

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels._small_files import SmallFiles

UNCHANGED = 1e-12  # differences of standardised statistics up to this are rounding
_small_families, _small_columns = SmallFiles(), SmallFiles()


@kernel
def loss(new: float, old: float, sd: float) -> float:
    """100 · 2 · P(0 ≤ N(0, 1) ≤ |new − old| / sd); what exists on one side only is lost."""
    if np.isnan(new) or np.isnan(old):
        return 0.0 if np.isnan(new) and np.isnan(old) else 100.0
    difference = abs(new - old)
    if difference <= UNCHANGED:
        return 0.0
    return 100.0 if sd == 0 else 100 * math.erf(difference / (sd * math.sqrt(2.0)))


def plain_losses(new: np.ndarray, old: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """The loss of each of some statistics, without compiled code."""
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.abs(new - old)
        changed = (apart > UNCHANGED) & (sd != 0)
        lost = np.where((apart > UNCHANGED) | (np.isnan(new) != np.isnan(old)), 100.0, 0.0)
        lost[changed] = [
            100 * math.erf(x) for x in (apart[changed] / (sd[changed] * math.sqrt(2.0))).tolist()
        ]
    return lost


def quantile_losses(new: np.ndarray, old: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """The loss of each quantile of an attribute."""
    plain = _small_columns.takes(len(new))
    return plain_losses(new, old, sd) if plain else compiled_quantile_losses(new, old, sd)


@kernel
def compiled_quantile_losses(new: np.ndarray, old: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """The same, compiled."""
    lost = np.zeros(len(new))
    for i in range(len(new)):
        lost[i] = loss(new[i], old[i], sd[i])
    return lost


def moment_losses(new: np.ndarray, old: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """The losses of means and variances (on the diagonal), covariances and correlations (above it)."""
    plain = _small_families.takes(new.size)
    return plain_moment_losses(new, old, sd) if plain else compiled_moment_losses(new, old, sd)


def plain_moment_losses(new: np.ndarray, old: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """The same without compiled code."""
    lost = np.zeros(new.shape)
    d = new.shape[1]
    for families, (j, m) in ((slice(0, 2), np.diag_indices(d)), (slice(2, 4), np.triu_indices(d, 1))):
        lost[families, j, m] = plain_losses(new[families, j, m], old[families, j, m], sd[families, j, m])
    return lost


@kernel
def compiled_moment_losses(new: np.ndarray, old: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """The same, compiled."""
    lost = np.zeros(new.shape)
    for j in range(new.shape[1]):
        for family in range(2):
            lost[family, j, j] = loss(new[family, j, j], old[family, j, j], sd[family, j, j])
        for m in range(j + 1, new.shape[1]):
            for family in range(2, 4):
                lost[family, j, m] = loss(new[family, j, m], old[family, j, m], sd[family, j, m])
    return lost


def quantiles(ordered: np.ndarray, n: int, levels: np.ndarray) -> np.ndarray:
    """Interpolated quantiles of the first n values, which are in order; NaN where there are none."""
    if n == 0:
        return np.full(len(levels), np.nan)
    at = levels * (n - 1)
    below = np.minimum(at.astype(np.int64), n - 1)
    low, high = ordered[below], ordered[np.minimum(below + 1, n - 1)]
    between: np.ndarray = np.where(low == high, low, low + (at - below) * (high - low))
    return between


@kernel
def replace_in_order(ordered: np.ndarray, n: int, old: np.ndarray, new: np.ndarray) -> int:
    """Take values out of the first n, which are in order, and put others in; returns how many there are then."""
    for i in range(len(old)):
        if not np.isnan(old[i]):
            at = np.searchsorted(ordered[:n], old[i])
            for k in range(at, n - 1):
                ordered[k] = ordered[k + 1]
            n -= 1
            ordered[n] = np.nan
        if not np.isnan(new[i]):
            at = np.searchsorted(ordered[:n], new[i])
            for k in range(n, at, -1):
                ordered[k] = ordered[k - 1]
            ordered[at] = new[i]
            n += 1
    return n
