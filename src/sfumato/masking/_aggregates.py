"""Scaling before records are grouped, and the value that stands for a group afterwards."""

from typing import NamedTuple

import numpy as np

AGGREGATES = ("mean", "median", "trimmed")


class ColumnScales(NamedTuple):
    """Of each column: the mean, the span from the smallest to the largest value, and the standard deviation."""

    means: np.ndarray
    spans: np.ndarray
    deviations: np.ndarray

    def scaled(self, values: np.ndarray, how: str) -> np.ndarray:
        """Columns moved to mean 0 and, unless `how` is none, divided by their standard deviation or range."""
        centred: np.ndarray = values - self.means
        centred[:, self.spans == 0] *= 0  # the mean of equal values may miss them by a rounding error
        if how == "none":
            return centred
        spread = self.spans if how == "range" else self.deviations
        return centred / np.where((spread > 0) & np.isfinite(spread), spread, 1)

    def unit_after(self, how: str) -> np.ndarray:
        """What one unit of each column has become in `scaled`.

        >>> column_scales(np.array([[1.0, 7.0], [3.0, 7.0], [5.0, 7.0]])).unit_after("range").tolist()
        [0.25, 1.0]
        """
        spread = {"none": np.ones_like(self.spans), "range": self.spans, "zscore": self.deviations}[how]
        return 1 / np.where((spread > 0) & np.isfinite(spread), spread, 1)

    def deviation_after(self, how: str) -> np.ndarray:
        """What a standard deviation of each column has become in `scaled`; 1 where there is none.

        >>> column_scales(np.array([[1.0, 7.0], [3.0, 7.0], [5.0, 7.0]])).deviation_after("range").tolist()
        [0.5, 1.0]
        """
        spread = {"none": np.ones_like(self.spans), "range": self.spans, "zscore": self.deviations}[how]
        usable = (self.deviations > 0) & np.isfinite(spread)
        return np.where(usable, self.deviations / np.where(usable, spread, 1), 1)


class Measured(NamedTuple):
    """What columns are called, and what one unit of each has become in the records as they are grouped."""

    names: tuple[str, ...]
    units: np.ndarray


def column_scales(values: np.ndarray) -> ColumnScales:
    """The moments of the values present; of a column without any the mean is 0 and the span not positive."""
    present = ~np.isnan(values)
    count = np.maximum(present.sum(axis=0), 1)
    span = np.where(present, values, -np.inf).max(axis=0, initial=-np.inf)
    span = span - np.where(present, values, np.inf).min(axis=0, initial=np.inf)
    means = np.where(present, values, 0).sum(axis=0) / count
    centred = values - means
    centred[:, span == 0] *= 0
    deviations = np.sqrt((np.where(present, centred, 0) ** 2).sum(axis=0) / np.maximum(count - 1, 1))
    return ColumnScales(means, span, deviations)


def standardised(values: np.ndarray, how: str) -> np.ndarray:
    """Columns moved to mean 0 and, unless `how` is none, divided by their standard deviation or range.

    Constants become 0. The mean of the values present is 0 in any case, so that 0 can stand for missing.

    >>> standardised(np.array([[1.0, 7.0], [3.0, 7.0]]), "zscore").tolist()
    [[-0.7071067811865475, 0.0], [0.7071067811865475, 0.0]]
    """
    return column_scales(values).scaled(values, how)


def group_means(values: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """The mean of each column in each group over the values present; NaN where none is."""
    return group_values(values, labels, "mean", weights)


def group_values(
    values: np.ndarray, labels: np.ndarray, how: str, weights: np.ndarray | None = None
) -> np.ndarray:
    """What stands for each group in each column: the mean, median or trimmed mean of the values present.

    The trimmed mean leaves out a tenth of the values at either end, rounded up, where there are three or
    more. A group whose weights are all 0 counts as one without weights. NaN where no value is present.

    >>> values = np.array([[1.0], [2.0], [4.0], [98.0]])
    >>> one = np.zeros(4, np.int64)
    >>> [group_values(values, one, how).item() for how in AGGREGATES]
    [26.25, 3.0, 3.0]
    >>> group_values(values, one, "mean", np.array([1.0, 1.0, 0.0, 0.0])).item()
    1.5
    """
    groups = int(labels.max(initial=-1)) + 1
    found = np.full((groups, values.shape[1]), np.nan)
    for j in range(values.shape[1]):
        at = np.flatnonzero(~np.isnan(values[:, j]))
        if how != "mean":
            at = at[np.lexsort((values[at, j], labels[at]))]
            at = at[_inner(labels[at], how, _present_weights(weights, at, labels, groups))]
        weight = np.ones(len(at)) if how == "median" else _present_weights(weights, at, labels, groups)
        x, group = values[at, j], labels[at]
        # deviations from a member of the group, so that equal values have exactly that value as their mean
        found[group, j] = x
        sums = np.bincount(group, weights=(x - found[group, j]) * weight, minlength=groups)
        totals = np.bincount(group, weights=weight, minlength=groups)
        found[:, j] += sums / np.where(totals > 0, totals, 1)
    return found


def _present_weights(
    weights: np.ndarray | None, at: np.ndarray, labels: np.ndarray, groups: int
) -> np.ndarray:
    if weights is None:
        return np.ones(len(at))
    totals = np.bincount(labels[at], weights=weights[at], minlength=groups)
    return np.where(totals[labels[at]] > 0, weights[at], 1.0)


def _inner(group: np.ndarray, how: str, weight: np.ndarray) -> np.ndarray:
    """Which of the values, sorted within their group, the median or the trimmed mean is made of."""
    if len(group) == 0:
        return np.zeros(0, bool)
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    counts = np.diff(np.r_[starts, len(group)])
    if how == "trimmed":
        cut = np.repeat(np.where(counts >= 3, np.ceil(counts / 10), 0), counts)
        rank = np.arange(len(group)) - np.repeat(starts, counts)
        inner: np.ndarray = (rank >= cut) & (rank < np.repeat(counts, counts) - cut)
        return inner
    # the middle of the mass of weight lies in the value's own piece of it, ends included
    upper = np.concatenate([np.cumsum(weight[a : a + m]) for a, m in zip(starts, counts, strict=True)])
    half = np.repeat(upper[starts + counts - 1], counts) / 2
    middle: np.ndarray = (upper >= half) & (upper - weight <= half) & (weight > 0)
    return middle


def squares(X: np.ndarray, labels: np.ndarray) -> float:
    """Sum of squared deviations from the group means, over the values present."""
    if len(X) == 0:
        return 0.0
    return float(np.nansum((X - group_means(X, labels)[labels]) ** 2))


def principal_plane(X: np.ndarray) -> np.ndarray:
    """The records on the first two principal axes of X, which has mean 0; NaN counts as 0.

    The sign of an axis is such that its largest entry is positive.
    """
    filled = np.nan_to_num(X)
    axes = np.linalg.eigh(filled.T @ filled)[1][:, ::-1][:, :2]
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    plane = np.zeros((len(X), 2))
    plane[:, : axes.shape[1]] = filled @ (axes * signs)
    return plane
