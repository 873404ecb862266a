"""Columns as a few groups each: numbers by the quantiles of the original, rare categories together."""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from sfumato.data import Table

RECORDS_A_CELL = 10
FEWEST, MOST = 3, 10


def suitable_bins(n: int, columns: int) -> int:
    """How many groups a column may have so that a table of so many of them has about ten records a cell.

    >>> suitable_bins(1000, 2), suitable_bins(1000, 3), suitable_bins(1_000_000, 2)
    (10, 4, 10)
    """
    return int(np.clip((n / RECORDS_A_CELL) ** (1 / columns) + 1e-9, FEWEST, MOST))


class Bins:
    """Groups of the values of some columns, as digits: missing is 0.

    Numbers, and ordinal categories where there are more of them than `most`, are parted at quantiles of the
    original: a value that many records have is a group of its own. Of nominal categories the most frequent are
    groups, and all others one together.
    """

    def __init__(self, original: Table, names: Sequence[str], most: int) -> None:
        self.borders: dict[str, np.ndarray] = {}
        self.codes: dict[str, np.ndarray] = {}
        for name in names:
            present = original[name][~original.missing(name)]
            if original.schema[name].is_numeric:
                self.borders[name] = _borders(present, most)
            else:
                ordinal = original.schema[name].scale == "ordinal"
                size = max(original.schema[name].domain_size, 1)
                self.codes[name] = np.append(_grouped(present, size, most, ordinal) + 1, 0)
        self.widths = {name: self._width(name) for name in names}

    def _width(self, name: str) -> int:
        return len(self.borders[name]) + 2 if name in self.borders else int(self.codes[name].max()) + 1

    def digits(self, name: str, values: np.ndarray) -> np.ndarray:
        """The group of each value of a column."""
        if name in self.codes:
            digits: np.ndarray = self.codes[name][np.asarray(values).astype(np.int64, copy=False)]
            return digits
        return np.where(np.isnan(values), 0, np.searchsorted(self.borders[name], values) + 1)

    def few_digits(self, name: str, values: np.ndarray) -> list[int] | np.ndarray:
        """The same, quicker where it is one value, as in a search that changes cell by cell."""
        if len(values) > 1:
            return self.digits(name, values)
        if name in self.codes:
            return [int(self.codes[name][int(value)]) for value in values]
        return [0 if value != value else bisect_left(self.borders[name], value) + 1 for value in values]


def _borders(present: np.ndarray, most: int) -> np.ndarray:
    """The greatest value of each group but the last."""
    if len(present) == 0:
        return np.empty(0)
    borders = np.unique(np.quantile(present, np.arange(1, most) / most, method="inverted_cdf"))
    below: np.ndarray = borders[borders < present.max()]
    return below


def _grouped(present: np.ndarray, size: int, most: int, ordinal: bool) -> np.ndarray:
    """The group of each category of a domain."""
    if size <= most:
        return np.arange(size)
    if ordinal:
        return np.searchsorted(_borders(present, most), np.arange(size))
    frequent = np.argsort(-np.bincount(present, minlength=size), kind="stable")[: most - 1]
    groups = np.full(size, most - 1)
    groups[frequent] = np.arange(most - 1)
    return groups
