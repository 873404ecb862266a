"""Quantiles of sorted values that change a little, and the probabilistic loss of a changed statistic."""

import math

import numpy as np

from sfumato.kernels._compile import kernel

UNCHANGED = 1e-12  # differences of standardised statistics up to this are rounding


@kernel
def loss(new: float, old: float, sd: float) -> float:
    """100 · 2 · P(0 ≤ N(0, 1) ≤ |new − old| / sd); what exists on one side only is lost."""
    if np.isnan(new) or np.isnan(old):
        return 0.0 if np.isnan(new) and np.isnan(old) else 100.0
    difference = abs(new - old)
    if difference <= UNCHANGED:
        return 0.0
    return 100.0 if sd == 0 else 100 * math.erf(difference / (sd * math.sqrt(2.0)))


@kernel
def quantile_losses(new: np.ndarray, old: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """The loss of each quantile of an attribute."""
    lost = np.zeros(len(new))
    for i in range(len(new)):
        lost[i] = loss(new[i], old[i], sd[i])
    return lost


@kernel
def moment_losses(new: np.ndarray, old: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """The losses of means and variances (on the diagonal), covariances and correlations (above it)."""
    lost = np.zeros(new.shape)
    for j in range(new.shape[1]):
        for family in range(2):
            lost[family, j, j] = loss(new[family, j, j], old[family, j, j], sd[family, j, j])
        for m in range(j + 1, new.shape[1]):
            for family in range(2, 4):
                lost[family, j, m] = loss(new[family, j, m], old[family, j, m], sd[family, j, m])
    return lost


@kernel
def quantiles(ordered: np.ndarray, n: int, levels: np.ndarray) -> np.ndarray:
    """Interpolated quantiles of the first n values, which are in order; NaN where there are none."""
    found = np.full(len(levels), np.nan)
    if n == 0:
        return found
    for i in range(len(levels)):
        at = levels[i] * (n - 1)
        below = min(int(at), n - 1)
        above = min(below + 1, n - 1)
        low, high = ordered[below], ordered[above]
        found[i] = low if low == high else low + (at - below) * (high - low)
    return found


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
