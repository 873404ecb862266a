"""Columns of the original, as tables, products and the guard see them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from sfumato.data import Table
from sfumato.masking.synthesis.groups import grouped, profiles, similar_order, value_ranks

NUMBER_GROUPS = 16
MOST_GROUPS = 64  # of categories
FINE_GROUPS = 100
FEWEST_WITH = 10  # people with a category that has an indicator, or with a number as large as the largest that is told apart


@dataclass(frozen=True)
class Column:
    """One column of the original: the group of each record in tables and in the guard, and its features.

    `numbers` are n × 3, standardised value, rank, and how far from the middle; n × 0 if it is not numeric.
    """

    name: str
    bins: np.ndarray
    fine: np.ndarray
    indicator: np.ndarray  # of the categories with enough people, from 0; −1 for others
    indicators: int
    numbers: np.ndarray
    ordered: bool
    scaling: "Scaling | None" = None  # of numbers

    @property
    def groups(self) -> int:
        return int(self.bins.max()) + 1

    @property
    def fine_groups(self) -> int:
        return int(self.fine.max()) + 1

    def features(self, released: np.ndarray | None) -> np.ndarray:
        """Its numbers, with what is released in place of the original's values."""
        if released is None or self.scaling is None:
            return self.numbers
        return np.column_stack([self.scaling.scaled(released), self.numbers[:, 1:]])


@dataclass(frozen=True)
class Scaling:
    """How values are standardised: by mean and spread after those beyond two bounds were brought to them.

    Ten people at least have a number at a bound or beyond it. So no product of columns is about the one largest
    firm, and few large ones do not drown what all others show.
    """

    low: float
    high: float
    mean: float
    spread: float

    @classmethod
    def of(cls, values: np.ndarray) -> "Scaling":
        """Of values, none of them missing."""
        if len(values) == 0:
            return cls(0.0, 0.0, 0.0, 0.0)
        ordered = np.sort(values)
        ends = min(FEWEST_WITH, len(ordered)) - 1
        low, high = ordered[ends], ordered[len(ordered) - 1 - ends]
        if low >= high:
            low, high = ordered[0], ordered[-1]
        bounded = ordered.clip(low, high)
        return cls(float(low), float(high), float(bounded.mean()), float(bounded.std()))

    def scaled(self, values: np.ndarray) -> np.ndarray:
        """A missing value stands at the mean."""
        if not self.spread > 0:
            return np.zeros(len(values))
        scaled = (values.clip(self.low, self.high) - self.mean) / self.spread
        return np.where(np.isnan(values), 0.0, scaled)


def columns_of(table: Table, names: Sequence[str]) -> list[Column]:
    known = profiles(table, names)
    return [_column(table, name, known) for name in names]


def _column(table: Table, name: str, known: dict[str, np.ndarray]) -> Column:
    ranks, counts = value_ranks(table, name)
    attribute = table.schema[name]
    if attribute.scale == "nominal":
        others = [profile for other, profile in known.items() if other != name]
        beside = np.hstack(others) if others else np.empty((table.n, 0))
        places = similar_order(ranks, len(counts), beside)
        ranks, counts = places[ranks], counts[np.argsort(places)]
    missing = table.missing(name)
    indicator, indicators = _indicators(ranks, counts, missing if attribute.is_numeric else None)
    gaps = len(np.unique(ranks[missing])) if attribute.is_numeric else 0
    scaling = Scaling.of(table[name][~missing]) if attribute.is_numeric else None
    return Column(
        name=name,
        bins=_in_groups(counts, gaps, NUMBER_GROUPS if attribute.is_numeric else MOST_GROUPS)[ranks],
        fine=_in_groups(counts, gaps, FINE_GROUPS)[ranks],
        indicator=indicator,
        indicators=indicators,
        numbers=np.empty((table.n, 0)) if scaling is None else _numbers(table[name], scaling),
        ordered=attribute.scale != "nominal",
        scaling=scaling,
    )


def _in_groups(counts: np.ndarray, gaps: int, most: int) -> np.ndarray:
    """The group of each distinct content; the first ones, codes for missing values, are groups of their own."""
    return np.concatenate([np.arange(gaps), gaps + grouped(counts[gaps:], most)])


def _indicators(ranks: np.ndarray, counts: np.ndarray, missing: np.ndarray | None) -> tuple[np.ndarray, int]:
    """Number the contents that enough people have, and enough others have not; of numbers, only what is missing."""
    n = len(ranks)
    enough = (counts >= FEWEST_WITH) & (n - counts >= FEWEST_WITH)
    if missing is not None:
        enough[np.setdiff1d(np.arange(len(counts)), ranks[missing])] = False
    elif len(counts) == 2:
        enough[0] = False  # the other one tells the same
    number = np.where(enough, np.cumsum(enough) - 1, -1)
    return number[ranks], int(enough.sum())


def _numbers(values: np.ndarray, scaling: Scaling) -> np.ndarray:
    """Standardised values, ranks, and squares of ranks: how far from the middle a number is; a missing one stands at the mean."""
    present = ~np.isnan(values)
    ranks, squares = np.zeros((2, len(values)))
    ranks[present] = _standardised(scipy.stats.rankdata(values[present]))
    squares[present] = _standardised(ranks[present] ** 2)
    return np.column_stack([scaling.scaled(values), ranks, squares])


def _standardised(values: np.ndarray) -> np.ndarray:
    """With mean 0 and spread 1; zeros if all are alike."""
    spread = float(values.std()) if len(values) else 0.0
    return (values - values.mean()) / spread if spread > 1e-9 else np.zeros(len(values))
