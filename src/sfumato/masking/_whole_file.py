"""What is known of a whole file while only a part of it is at hand."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from sfumato.data import Table
from sfumato.masking._aggregates import ColumnScales, column_scales
from sfumato.masking._correlation import correlation, spreads, standardised
from sfumato.masking.matrices.markov_matrices import frequencies


class Tails(NamedTuple):
    """Below which value and above which a certain share lies, how many values do, and their means."""

    low: float
    high: float
    below: int
    above: int
    mean_below: np.ndarray  # a single number
    mean_above: np.ndarray


class Whole(ABC):
    """Facts about a file, or about one stratum of it. A method that asks here can mask a part of the file alone.

    >>> from sfumato.datasets import business_survey
    >>> firms = business_survey(50)
    >>> Whole.of(firms).present("staff") == firms.n
    True
    """

    @staticmethod
    def of(table: Table) -> "Whole":
        """A table in memory; nothing is calculated before it is asked for."""
        return _InMemory(table)

    @abstractmethod
    def present(self, name: str) -> int:
        """How many records have a value."""

    @abstractmethod
    def frequencies(self, name: str) -> np.ndarray:
        """How many records have each category."""

    @abstractmethod
    def moments(self, names: tuple[str, ...]) -> ColumnScales:
        """Means, spans and standard deviations (by n − 1) of numeric columns."""

    @abstractmethod
    def spreads(self, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Means and standard deviations (by n) of numeric columns; 0 where all values are equal."""

    @abstractmethod
    def ends(self, name: str) -> tuple[float, float]:
        """The smallest and the largest number; NaN where there is none."""

    @abstractmethod
    def correlation(self, names: tuple[str, ...]) -> np.ndarray:
        """The correlations of numeric columns, each from the records that have both values."""

    @abstractmethod
    def tails(self, name: str, percent: float) -> Tails:
        """Where the smallest and largest `percent` of the values present lie; there must be one at least."""


class _InMemory(Whole):
    def __init__(self, table: Table) -> None:
        self._table = table

    def present(self, name: str) -> int:
        return int(np.count_nonzero(~self._table.missing(name)))

    def frequencies(self, name: str) -> np.ndarray:
        return frequencies(self._table[name], self._table.schema[name].domain_size)

    def moments(self, names: tuple[str, ...]) -> ColumnScales:
        return column_scales(self._table.numbers(names))

    def spreads(self, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        return spreads(self._table.numbers(names))

    def ends(self, name: str) -> tuple[float, float]:
        values = self._table[name][~self._table.missing(name)]
        return (float(values.min()), float(values.max())) if len(values) else (np.nan, np.nan)

    def correlation(self, names: tuple[str, ...]) -> np.ndarray:
        return correlation(standardised(self._table.numbers(names))[0])

    def tails(self, name: str, percent: float) -> Tails:
        values = self._table[name]
        ordered = np.sort(values[~np.isnan(values)])
        c = tail_length(len(ordered), percent)
        low, high = ordered[c], ordered[len(ordered) - 1 - c]
        below, above = values[values < low], values[values > high]
        means = [np.asarray(tail.mean() if len(tail) else np.nan) for tail in (below, above)]
        return Tails(float(low), float(high), len(below), len(above), means[0], means[1])


def tail_length(n: int, percent: float) -> int:
    """How many of n values are so many percent; never past the middle, so that two tails cannot cross."""
    return min(int(percent * n / 100 + 1e-9), (n - 1) // 2)
