"""Quantiles of columns; of those that do not fit into memory, exactly, in two passes over the blocks.

The first pass outlines each block: some of its values in order, and how much weight lies before each. The
outlines say between which two values a quantile must lie; the second pass counts the values there. Of a
column, no more is held than its outlines and what lies around its quantiles.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sfumato.data import Table
from sfumato.kernels.pil import quantiles
from sfumato.measures.statistics.contract import Part, Sought, Statistic
from sfumato.measures.statistics.pair_moments import OfNumbers
from sfumato.measures.statistics.sources import Sources

LEVELS = np.arange(1, 20) / 20
POINTS = 4096  # values of a block that outline it


class Outline(NamedTuple):
    """Some values of a block in order, with the smallest and the largest; each record's weight, and all before.

    `first` is the weight of the lightest record with the smallest value, `last` of the heaviest with the largest.
    """

    values: np.ndarray
    weights: np.ndarray
    before: np.ndarray
    first: float
    last: float

    @property
    def upto(self) -> np.ndarray:
        """The weight of all records up to each, with its own."""
        upto: np.ndarray = self.before + self.weights
        return upto


class Runs(NamedTuple):
    """Different values in order: the weight of all records that have each, of the lightest and the heaviest.

    `below` is the weight of all records before them.
    """

    below: float
    values: np.ndarray
    weights: np.ndarray
    lightest: np.ndarray
    heaviest: np.ndarray


class Quantiles(OfNumbers, Sought):
    """The quantiles of 5, 10, … 95 % of the standardised columns of one of the files: one row each."""

    def take(self, original: Part, masked: Table) -> np.ndarray:
        z, weights = self.standardised(original, masked), original.weights(self.weighted)
        if weights is not None:
            return np.array([weighted_quantiles(column, weights) for column in z.T])
        ordered = np.sort(z.T, axis=1)
        counts = np.count_nonzero(~np.isnan(ordered), axis=1)
        return np.array([quantiles(*pair, LEVELS) for pair in zip(ordered, counts, strict=True)])

    def seek(self, sources: Sources) -> np.ndarray:
        """Outline the columns, count the values around the quantiles, then read them off."""
        [outlined] = sources.gathered(_Outlines(self))
        targets = [_targets(found) for found in outlined.value]
        brackets = [_brackets(*both) for both in zip(outlined.value, targets, strict=True)]
        [around] = sources.gathered(_Around(self, brackets))
        return np.array([_quantiles(*both) for both in zip(around.value, targets, strict=True)])

    def ordered(self, original: Part, masked: Table) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each column the values of a block that are present, in order, and their weights."""
        weights = original.weights(self.weighted)
        return [in_order_of_value(column, weights) for column in self.standardised(original, masked).T]


@dataclass(frozen=True, eq=False)
class _OfBlocks(Statistic):
    """Something about each column, block by block: a list for each column, joined end to end."""

    quantiles: Quantiles

    @property
    def of_original(self) -> bool:
        return self.quantiles.of_original

    @property
    def needs(self) -> tuple[Statistic, ...]:
        return self.quantiles.needs

    def join(self, one: list[list[Any]], other: list[list[Any]]) -> list[list[Any]]:
        return [a + b for a, b in zip(one, other, strict=True)]


class _Outlines(_OfBlocks):
    """The outline of a column, if it has any value."""

    def take(self, original: Part, masked: Table) -> list[list[Outline]]:
        columns = self.quantiles.ordered(original, masked)
        return [[_outline(x, w)] if len(x) else [] for x, w in columns]


@dataclass(frozen=True, eq=False)
class _Around(_OfBlocks):
    """The values of a column that lie in each of some brackets."""

    brackets: list[np.ndarray]

    def take(self, original: Part, masked: Table) -> list[list[list[Runs]]]:
        columns = zip(self.quantiles.ordered(original, masked), self.brackets, strict=True)
        return [[[_between(x, w, low, high) for low, high in brackets]] for (x, w), brackets in columns]


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


def in_order_of_value(values: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The values that are present, in order, and their weights; records of weight 0 are left out.

    >>> x, w = in_order_of_value(np.array([3.0, np.nan, 1.0, 3.0]), np.array([2.0, 1.0, 1.0, 1.0]))
    >>> x.tolist(), w.tolist()
    ([1.0, 3.0, 3.0], [1.0, 2.0, 1.0])
    """
    if weights is None:
        x = np.sort(values[~np.isnan(values)])
        return x, np.ones(len(x))
    here = ~np.isnan(values) & (weights > 0)
    x, w = values[here], weights[here]
    order = np.argsort(x, kind="stable")
    return x[order], w[order]


def _outline(x: np.ndarray, w: np.ndarray) -> Outline:
    step = -(-len(x) // POINTS)
    at = np.unique(np.append(np.arange(0, len(x), step), len(x) - 1))
    first, last = w[x == x[0]].min(), w[x == x[-1]].max()
    return Outline(x[at], w[at], (np.cumsum(w) - w)[at], float(first), float(last))


def _targets(outlines: list[Outline]) -> np.ndarray:
    """How much weight lies before each quantile; half of a record's own weight is counted as before it."""
    if not outlines:
        return np.full(len(LEVELS), np.nan)
    total = sum(float(one.upto[-1]) for one in outlines)
    first = min((one.values[0], one.first) for one in outlines)[1] / 2
    last = max((one.values[-1], one.last) for one in outlines)[1] / 2
    return first + LEVELS * (total - first - last)


def _brackets(outlines: list[Outline], targets: np.ndarray) -> np.ndarray:
    """Two values for each target: up to the lower one there is at most so much weight, before the upper one at least.

    Between two points of an outline the weight may lie anywhere.
    """
    if not outlines:
        return np.empty((0, 2))
    values, where = np.unique(np.concatenate([one.values for one in outlines]), return_inverse=True)
    most = np.concatenate([np.diff(np.append(one.before, one.upto[-1])) for one in outlines])
    least = np.concatenate([np.diff(one.upto, prepend=0.0) for one in outlines])
    upto, before = (np.cumsum(np.bincount(where.ravel(), rises)) for rises in (most, least))
    low = np.searchsorted(upto, targets, side="right")
    high = np.searchsorted(np.append(0.0, before[:-1]), targets) + 1
    ends = np.concatenate([[-np.inf], values, [np.inf]])
    return np.column_stack([ends[low], ends[high]])


def _between(x: np.ndarray, w: np.ndarray, low: float, high: float) -> Runs:
    start, end = np.searchsorted(x, low), np.searchsorted(x, high, side="right")
    inside = w[start:end]
    return _runs(float(w[:start].sum()), x[start:end], inside, inside, inside)


def _runs(
    below: float, x: np.ndarray, weights: np.ndarray, lightest: np.ndarray, heaviest: np.ndarray
) -> Runs:
    """Make one run of all that have the same value; values are in order."""
    first = np.flatnonzero(np.append(True, x[1:] != x[:-1])[: len(x)])
    return Runs(
        below,
        x[first],
        np.add.reduceat(weights, first),
        np.minimum.reduceat(lightest, first),
        np.maximum.reduceat(heaviest, first),
    )


def _quantiles(blocks: list[list[Runs]], targets: np.ndarray) -> np.ndarray:
    if np.isnan(targets[0]):
        return targets
    by_level = zip(*blocks, strict=True)
    return np.array([_quantile(_joined(runs), at) for runs, at in zip(by_level, targets, strict=True)])


def _joined(blocks: tuple[Runs, ...]) -> Runs:
    x, weights, lightest, heaviest = (
        np.concatenate(column) for column in zip(*(one[1:] for one in blocks), strict=True)
    )
    order = np.argsort(x, kind="stable")
    below = sum(one.below for one in blocks)
    return _runs(below, x[order], weights[order], lightest[order], heaviest[order])


def _quantile(runs: Runs, target: float) -> float:
    """Interpolate between the middles of the weights; within a run the lightest record is the first."""
    before = runs.below + np.cumsum(runs.weights) - runs.weights
    first = before + runs.lightest / 2
    last = np.maximum(before + runs.weights - runs.heaviest / 2, first)
    middles = np.column_stack([first, last]).ravel()
    return float(np.interp(target, middles, np.repeat(runs.values, 2)))
