"""Where the numbers of a column lie: means, standard deviations and extremes; and the counts of categories."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sfumato.data import Table
from sfumato.kernels import spread
from sfumato.measures.statistics.contract import OfOriginal, Part


def centre_and_spread(values: np.ndarray, weights: np.ndarray | None) -> tuple[float, float]:
    """Mean and standard deviation of the values present, counted by their weights if there are any.

    >>> centre_and_spread(np.array([0.0, 6.0, np.nan]), np.array([2.0, 1.0, 5.0]))[0]
    2.0
    """
    if weights is None:
        return spread.centre_and_spread(values)
    here = ~np.isnan(values) & (weights > 0)
    x, w = values[here], weights[here]
    if len(x) == 0 or x.min() == x.max():
        return spread.centre_and_spread(x)
    centre = float(np.average(x, weights=w))
    return centre, float(np.sqrt(np.average((x - centre) ** 2, weights=w)))


@dataclass(frozen=True)
class Units:
    """Of each column: how many values are present (or their weight), their mean, and their standard deviation."""

    n: np.ndarray
    centre: np.ndarray
    deviation: np.ndarray

    @cached_property
    def spread(self) -> np.ndarray:
        """What deviations from the mean are measured in; a constant is only centred."""
        return np.where(self.deviation > 0, self.deviation, 1.0)

    def standardised(self, values: np.ndarray) -> np.ndarray:
        z: np.ndarray = (values - self.centre) / self.spread
        return z

    def joined(self, other: "Units") -> "Units":
        """Those of two parts together (Chan, Golub & LeVeque, 1979)."""
        n = self.n + other.n
        share = other.n / np.where(n > 0, n, 1.0)
        apart = np.where((self.n > 0) & (other.n > 0), other.centre - self.centre, 0.0)
        centre = np.where(self.n > 0, self.centre, other.centre) + apart * share
        variance = (1 - share) * self.deviation**2 + share * other.deviation**2
        return Units(n, centre, np.sqrt(variance + apart * apart * share * (1 - share)))


@dataclass(frozen=True)
class Spreads(OfOriginal):
    """The units of some columns of numbers of the original."""

    names: tuple[str, ...]
    weighted: bool = False

    def take(self, original: Part, masked: Table) -> Units:
        weights = original.weights(self.weighted)
        columns = [original.table[name] for name in self.names]
        found = [centre_and_spread(column, weights) for column in columns]
        present = [~np.isnan(column) for column in columns]
        n = [np.count_nonzero(here) if weights is None else (weights * here).sum() for here in present]
        return Units(np.array(n, float), np.array([c for c, _ in found]), np.array([s for _, s in found]))


class Range(NamedTuple):
    """The least and the greatest value."""

    low: float
    high: float


@dataclass(frozen=True)
class Extremes(OfOriginal):
    """The range of a column of numbers of the original; from infinite to −infinite where nothing is present."""

    name: str

    def take(self, original: Part, masked: Table) -> Range:
        present = original.table[self.name][~original.table.missing(self.name)]
        return Range(float(present.min(initial=np.inf)), float(present.max(initial=-np.inf)))

    def join(self, one: Range, other: Range) -> Range:
        return Range(min(one.low, other.low), max(one.high, other.high))


@dataclass(frozen=True)
class CategoryCounts(OfOriginal):
    """How many records of the original have each category of an attribute."""

    name: str

    def take(self, original: Part, masked: Table) -> np.ndarray:
        """Missing values are not counted."""
        present = original.table[self.name][~original.table.missing(self.name)]
        return np.bincount(present, minlength=max(original.table.schema[self.name].domain_size, 1))
