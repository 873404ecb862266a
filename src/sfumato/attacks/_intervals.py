"""Intervals around values: how narrow one must be for the original to lie in that of the released value."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from sfumato.data import Attribute, Table
from sfumato.data.reading import Reading, original_codes, read
from sfumato.kernels.spread import centre_and_spread

EDGE = 1e-9  # a value on the edge is inside, whatever rounding says

Credit = Callable[[np.ndarray], np.ndarray]
"""From the percent of the narrowest interval that holds the value to a success from 0 to 1."""


def share_of(percents: range, narrowest: np.ndarray) -> np.ndarray:
    """The share of the percents, a range of whole numbers, for which the interval holds the value."""
    inside: np.ndarray = np.clip(percents.stop - np.maximum(narrowest, percents.start), 0, None)
    return inside / len(percents)


class Intervals:
    """The intervals of one original attribute, of width p % in ranks, standard deviations or the value itself.

    Its `reader` gives for released values and their rows the credits of each: NaN where both are missing,
    and 0 where one is.
    """

    def __init__(self, original: Table, name: str, *, interval: str, standardised: bool) -> None:
        self.attribute: Attribute = original.schema[name]
        self.values, self.present = original[name], ~original.missing(name)
        present = self.values[self.present]
        self.count = max(len(present), 1)
        self.reach: np.ndarray | None = None
        if not self.attribute.is_numeric:
            counts = np.bincount(present, minlength=max(self.attribute.domain_size, 1))
            self.ranks = np.cumsum(counts) - counts / 2
        elif interval == "rank":
            distinct, counts = np.unique(present, return_counts=True)
            self.distinct = np.append(distinct, np.nan)  # nothing equals what is beyond the last
            self.below = np.append(0, np.cumsum(counts))
            self.middle = self.below + np.append(counts, 0) / 2
            self.ranks = self._positions(self.values)
        else:
            centre, spread = centre_and_spread(self.values)
            off = self.values - centre if standardised else self.values
            self.reach = np.full(original.n, spread) if interval == "sd" else np.abs(off)

    def reader(self, released: Attribute, credits: Sequence[Credit]) -> Callable[..., np.ndarray]:
        """A function of released values and their rows: the credits of each cell."""
        if self.attribute.is_numeric:
            return partial(self._numbers, credits)
        return partial(self._categories, read(self.attribute, released), credits)

    def _numbers(self, credits: Sequence[Credit], values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        here, known = ~np.isnan(values), self.present[rows]
        if self.reach is None:
            apart = np.abs(self._positions(values) - self.ranks[rows])
            narrowest = np.ceil(100 * apart / self.count)
        else:
            apart, reach = np.abs(values - self.values[rows]), self.reach[rows]
            narrowest = np.where(apart == 0, 0.0, np.inf)
            some = (apart > 0) & (reach > 0)
            narrowest[some] = np.ceil(100 * apart[some] / reach[some] - EDGE)
        return _credited([credit(narrowest) for credit in credits], here, known)

    def _categories(
        self, reading: Reading, credits: Sequence[Credit], values: np.ndarray, rows: np.ndarray
    ) -> np.ndarray:
        released, original = reading.of(original_codes(values)), original_codes(self.values[rows])

        def closeness(credit: Credit, a: np.ndarray, b: np.ndarray) -> np.ndarray:
            if not reading.ordinal:
                return credit(np.where(a == b, 0.0, np.inf))
            return credit(np.ceil(100 * np.abs(self.ranks[a] - self.ranks[b]) / self.count))

        drawn = [reading.drawn(partial(closeness, credit), released, original) for credit in credits]
        return _credited(drawn, released >= 0, original >= 0)

    def _positions(self, values: np.ndarray) -> np.ndarray:
        """Ranks among the originals; tied values share the middle of their positions."""
        at = np.searchsorted(self.distinct[:-1], values)
        return np.where(self.distinct[at] == values, self.middle[at], self.below[at])


def _credited(credits: Sequence[np.ndarray], here: np.ndarray, known: np.ndarray) -> np.ndarray:
    credited = np.stack(credits, axis=1)
    credited[here != known] = 0.0
    credited[~here & ~known] = np.nan
    return credited
