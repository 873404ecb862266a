"""Subgroups: means and shares of one column by the groups of others."""

from collections.abc import Sequence

import numpy as np

from sfumato.data import Table
from sfumato.measures.analyses.bins import Bins
from sfumato.measures.analyses.contract import Kind, record_weights, sampled
from sfumato.measures.statistics.spreads import centre_and_spread

GROUPS = 5
MOST_SHARES = 10  # categories told apart
MOST_COUNTED = 300_000_000  # records, over all breakdowns
LARGEST = 1.0  # distance of two means, in standard deviations


class Subgroups(Kind):
    """How far means, and of nominal columns shares, by group are from those of the original.

    Of numbers and ranks it is min(1, |mean' − mean| / s) in each group, s the standard deviation; of nominal
    categories Σ|share' − share| / 2. Groups count by what they weigh in the original; one that the release no
    longer has is lost. Records count by their survey weight. Each item is the column told of, then those that
    make groups.
    """

    def __init__(self, original: Table, items: Sequence[tuple[str, ...]]) -> None:
        self.items = self.about = tuple(items)
        self.most = max(MOST_COUNTED // max(len(items), 1), 1)
        told = tuple(dict.fromkeys(item[0] for item in items))
        self.names = tuple(dict.fromkeys(name for item in items for name in item))
        self.groups = Bins(original, self.names, GROUPS)
        nominal = [name for name in told if original.schema[name].scale == "nominal"]
        self.shares = Bins(original, nominal, MOST_SHARES)
        weights = record_weights(original)
        self.units = {
            name: _unit(original, name, weights) for name in told if original.schema[name].scale != "nominal"
        }
        self.found = self._broken_down(original)

    def distances(self, table: Table) -> np.ndarray:
        found = self._broken_down(table)
        return np.array([_apart(old, new) for old, new in zip(self.found, found, strict=True)])

    def _broken_down(self, table: Table) -> list[tuple[np.ndarray, np.ndarray]]:
        """Of each item the weight of each group, and its mean or its shares."""
        table = sampled(table, self.most)
        weights = record_weights(table)
        weights = np.ones(table.n) if weights is None else weights
        digits = {name: self.groups.digits(name, table[name]).astype(np.int64) for name in self.names}
        values = {name: self._values(table, name, weights) for name in {item[0] for item in self.items}}
        return [self._of_groups(item, digits, values[item[0]]) for item in self.items]

    def _values(self, table: Table, name: str, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is summed over a group: weights, then weighted numbers; or, of categories, their digits."""
        present = np.where(table.missing(name), 0.0, weights)
        if name not in self.units:
            return present, self.shares.digits(name, table[name]).astype(np.int64)
        centre, spread = self.units[name]
        return present, present * np.nan_to_num((table[name] - centre) / spread)

    def _of_groups(
        self, item: tuple[str, ...], digits: dict[str, np.ndarray], values: tuple[np.ndarray, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        name, *by = item
        present, told = values
        group, size = np.zeros(len(present), np.int64), 1
        for other in by:
            width = self.groups.widths[other]
            group, size = group * width + digits[other], size * width
        if name in self.units:
            weight = np.bincount(group, present, minlength=size)
            sums = np.bincount(group, told, minlength=size)[:, None]
        else:
            width = self.shares.widths[name]
            sums = np.bincount(group * width + told, present, minlength=size * width).reshape(size, width)
            weight = sums.sum(1)
        return weight, sums / np.where(weight > 0, weight, 1.0)[:, None]


def _unit(original: Table, name: str, weights: np.ndarray | None) -> tuple[float, float]:
    values = np.where(original.missing(name), np.nan, original[name].astype(float))
    centre, spread = centre_and_spread(values, weights)
    return centre, spread or 1.0


def _apart(old: tuple[np.ndarray, np.ndarray], new: tuple[np.ndarray, np.ndarray]) -> float:
    (weight, told), (left, found) = old, new
    total = float(weight.sum())
    if total <= 0:
        return 0.0
    difference = np.abs(found - told).sum(1)
    apart = np.minimum(difference, LARGEST) if told.shape[1] == 1 else difference / 2
    return float(weight @ np.where(left > 0, apart, 1.0)) / total


def breakdowns(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Each column by each other one.

    >>> breakdowns(["a", "b"])
    [('a', 'b'), ('b', 'a')]
    """
    return [(name, by) for name in names for by in names if by != name]
