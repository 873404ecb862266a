"""Intervals around values: how narrow one must be for the original to lie in that of the released value."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from sfumato.data import Attribute, Table
from sfumato.data.coverage import Coverage, coverage_of, original_codes
from sfumato.kernels.ranks import ranks_in_order
from sfumato.kernels.spread import centre_and_spread

EDGE = 1e-9  # a value on the edge is inside, whatever rounding says

Credit = Callable[[np.ndarray], np.ndarray]
"""From the percent of the narrowest interval that holds the value to a success from 0 to 1."""


def share_of(percents: range, narrowest: np.ndarray) -> np.ndarray:
    """The share of the percents, a range of whole numbers, for which the interval holds the value."""
    inside: np.ndarray = np.clip(percents.stop - np.maximum(narrowest, percents.start), 0, None)
    return inside / len(percents)


class IntervalScale(NamedTuple):
    """What percents are taken of: known of a whole attribute, of which `Intervals` may see only a part.

    `n` values are present; their `centre` is the mean, or the smallest of them for "scaled" intervals. `below` says how many lie below each of the values in order (`distinct`; of
    categories, below each of them), with all of them at the end.
    """

    interval: str
    n: int
    distinct: np.ndarray
    below: np.ndarray
    centre: float = 0.0
    spread: float = 0.0

    def positions(self, values: np.ndarray) -> np.ndarray:
        """Ranks among the originals; tied values share the middle of their positions."""
        order = np.argsort(values)
        ranks = np.empty(len(values))
        ranks[order] = ranks_in_order(values[order], self.distinct, self.below)
        return ranks


def interval_scale(original: Table, name: str, interval: str) -> IntervalScale:
    attribute, values = original.schema[name], original[name]
    present = values[~original.missing(name)]
    distinct, counts = np.empty(0), np.empty(0, np.int64)
    if not attribute.is_numeric:
        counts = np.bincount(present, minlength=max(attribute.domain_size, 1))
    elif interval == "rank":
        distinct, counts = np.unique(present, return_counts=True)
    below = np.append(0, np.cumsum(counts))
    if attribute.is_numeric and interval == "scaled":
        return IntervalScale(interval, max(len(present), 1), distinct, below, lowest(present))
    if attribute.is_numeric and interval != "rank":
        return IntervalScale(interval, max(len(present), 1), distinct, below, *centre_and_spread(values))
    return IntervalScale(interval, max(len(present), 1), distinct, below)


def lowest(values: np.ndarray) -> float:
    """The smallest value; 0 where there is none."""
    return float(values.min()) if len(values) else 0.0


class Intervals:
    """The intervals of one original attribute, of width p % in ranks, standard deviations, the value itself, or
    its distance from the smallest one.

    Its `reader` gives for released values and their rows the credits of each: NaN where both are missing,
    and 0 where one is.
    """

    def __init__(self, original: Table, name: str, whole: "IntervalScale", *, standardised: bool) -> None:
        self.attribute: Attribute = original.schema[name]
        self.values, self.present = original[name], ~original.missing(name)
        self.whole, self.count = whole, whole.n
        self.reach: np.ndarray | None = None
        if not self.attribute.is_numeric:
            self.ranks = whole.below[1:] - np.diff(whole.below) / 2
        elif whole.interval == "rank":
            self.ranks = whole.positions(self.values)
        else:
            self.centre = whole.centre if standardised or whole.interval == "scaled" else 0.0
            off = self.values - self.centre
            self.reach = np.full(original.n, whole.spread) if whole.interval == "sd" else np.abs(off)

    def reader(self, released: Attribute, credits: Sequence[Credit]) -> Callable[..., np.ndarray]:
        """A function of released values and their rows: the credits of each cell."""
        if self.attribute.is_numeric:
            return partial(self._numbers, credits)
        return partial(self._categories, coverage_of(self.attribute, released), credits)

    def reader_among(self, released: np.ndarray, credits: Sequence[Credit]) -> Callable[..., np.ndarray]:
        """The same for numbers, with windows in the order of all the released values."""
        narrowest = narrowest_windows(self.values, released)

        def read(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
            found = [credit(narrowest[rows]) for credit in credits]
            return _credited(found, ~np.isnan(values), self.present[rows])

        return read

    def _numbers(self, credits: Sequence[Credit], values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        here, known = ~np.isnan(values), self.present[rows]
        if self.reach is None:
            apart = np.abs(self.whole.positions(values) - self.ranks[rows])
            narrowest = np.ceil(100 * apart / self.count)
        else:
            apart, reach = np.abs(values - self.values[rows]), self.reach[rows]
            narrowest = np.where(apart == 0, 0.0, np.inf)
            some = (apart > 0) & (reach > 0)
            narrowest[some] = np.ceil(100 * apart[some] / reach[some] - EDGE)
        return _credited([credit(narrowest) for credit in credits], here, known)

    def _categories(
        self, reading: Coverage, credits: Sequence[Credit], values: np.ndarray, rows: np.ndarray
    ) -> np.ndarray:
        released, original = reading.of(original_codes(values)), original_codes(self.values[rows])

        def closeness(credit: Credit, a: np.ndarray, b: np.ndarray) -> np.ndarray:
            if not reading.ordinal:
                return credit(np.where(a == b, 0.0, np.inf))
            return credit(np.ceil(100 * np.abs(self.ranks[a] - self.ranks[b]) / self.count))

        drawn = [reading.drawn(partial(closeness, credit), released, original) for credit in credits]
        return _credited(drawn, released >= 0, original >= 0)


def narrowest_windows(original: np.ndarray, released: np.ndarray) -> np.ndarray:
    """The percent of the released values, on either side of each, that hold the original one between their ends.

    A window is of values: from that so many places below the released value to that so many above, cut at the
    ends of the file; equal values lie in the order of their records. No window holds what lies beyond all
    released values.

    >>> narrowest_windows(np.array([1.5, 9.0, 3.0]), np.array([2.0, 1.0, 3.0])).tolist()
    [34.0, inf, 0.0]
    """
    order = np.argsort(released, kind="stable")  # missing values come last
    n = len(released) - np.count_nonzero(np.isnan(released))
    inside = released[order][:n]
    places = np.empty(len(released))
    places[order] = np.arange(len(released))
    upto, below = (np.searchsorted(inside, original, side) for side in ("right", "left"))
    away = np.maximum(0, np.maximum(places - upto + 1, below - places))
    return np.where((upto == 0) | (below == n), np.inf, np.ceil(100 * away / max(n, 1)))


def _credited(credits: Sequence[np.ndarray], here: np.ndarray, known: np.ndarray) -> np.ndarray:
    credited = np.stack(credits, axis=1)
    credited[here != known] = 0.0
    credited[~here & ~known] = np.nan
    return credited
