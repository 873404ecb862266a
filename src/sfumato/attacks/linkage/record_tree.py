"""Records as points, and the tree of boxes in which the nearest ones are looked for."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sfumato.data.coverage import Coverage
from sfumato.kernels import box_tree
from sfumato.kernels.box_tree import LEAF
from sfumato.kernels.nearest import EQUAL, RATIO, SQUARED, STEPS

EXACT = 2**53


class RecordTree(NamedTuple):
    """Rows in an order such that each node holds a range of them; see `kernels.nearest`."""

    order: np.ndarray
    nodes: np.ndarray
    boxes: np.ndarray


def plant(X: np.ndarray, scales: np.ndarray, leaf: int = 0) -> RecordTree:
    """A tree over the rows of X, with sides measured in units of `scales`; of so many rows in a leaf, or the usual."""
    return RecordTree(*box_tree.plant(X, scales, leaf or LEAF))


def whole_numbers(values: np.ndarray, decimals: int | None) -> np.ndarray:
    """Values in units of the last declared decimal, so that equal differences are exactly equal.

    Only what is a whole number of units up to the rounding of the product is rounded to one.

    >>> (np.diff([0.1, 0.2, 0.3]) == 0.1).tolist(), np.diff(whole_numbers(np.array([0.1, 0.2, 0.3]), 1)).tolist()
    ([True, False], [1.0, 1.0])
    """
    if not decimals:
        return values
    units = values * 10.0**decimals
    near = np.rint(units)
    return np.where(np.abs(units - near) <= 4 * np.finfo(float).eps * np.abs(units), near, units)


def euclidean(spreads: Sequence[float]) -> np.ndarray:
    """Squared differences of standardised numbers; two draws of one differ by 2 on average."""
    return np.array([[SQUARED, 1 / spread**2, 2.0, np.inf, 0] for spread in spreads]).reshape(-1, 5)


def gower(ranges: Sequence[float | Coverage]) -> tuple[np.ndarray, np.ndarray]:
    """Sum of |difference| / range of numbers and distances of categories, with the rows of its sets.

    All is multiplied by the common denominator of the category distances, where the sum stays below 2^53:
    they are whole numbers then, and categorical records are tied exactly when their distances are equal.
    """
    unit = math.lcm(*(_denominator(r) for r in ranges if isinstance(r, Coverage)))
    unit = unit if unit * len(ranges) < EXACT else 1
    numbers = [[RATIO, r, unit, np.inf, 0] for r in ranges if not isinstance(r, Coverage)]
    return _assembled(ranges, numbers, [float(unit)] * len(ranges), whole=unit > 1)


def weighted(spreads: Sequence[float | Coverage], weights: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Squared differences of standardised numbers and distances of categories, each times its weight."""
    pairs = [(s, w) for s, w in zip(spreads, weights, strict=True) if not isinstance(s, Coverage)]
    numbers = [[SQUARED, weight / spread**2, 2 * weight, np.inf, 0] for spread, weight in pairs]
    return _assembled(spreads, numbers, weights, whole=False)


def _assembled(
    attributes: Sequence[float | Coverage],
    numbers: list[list[float]],
    units: Sequence[float],
    *,
    whole: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """The metric of numbers as given and of categories in their units, and the rows of the sets."""
    rows: list[np.ndarray] = []
    metric = []
    given = iter(numbers)
    for reading, unit in zip(attributes, units, strict=True):
        if isinstance(reading, Coverage):
            kind = STEPS if reading.ordinal else EQUAL
            metric.append([kind, unit / reading.span, unit, reading.size, len(rows)])
            rows += [_row(reading, s, unit, whole=whole) for s in range(len(reading.sets))]
        else:
            metric.append(next(given))
    sets = np.zeros((max(len(rows), 1), max(map(len, rows), default=1)))
    for number, row in enumerate(rows):
        sets[number, : len(row)] = row
    return np.array(metric, float).reshape(-1, 5), sets


def _denominator(reading: Coverage) -> int:
    return math.lcm(*(len(s) for s in reading.sets)) * reading.span


def _row(reading: Coverage, s: int, unit: float, *, whole: bool) -> np.ndarray:
    apart = reading.expected(reading.steps, s) / reading.span * unit
    if whole:
        apart = np.rint(apart)
    least = np.flatnonzero(apart == apart.min())
    return np.concatenate([[least[0], least[-1]], apart])
