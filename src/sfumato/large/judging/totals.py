"""What measures must know of two whole files before they can judge a block: means, spreads and counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from sfumato.core import DataError
from sfumato.core.crew import Crew, in_order
from sfumato.data import Table
from sfumato.data.blocks import Blocks


class Numbers(NamedTuple):
    """The values of a numeric column that are present: how many (or how much weight), and how they lie."""

    n: float = 0.0
    centre: float = 0.0
    squares: float = 0.0  # of deviations from the centre
    low: float = np.inf
    high: float = -np.inf

    @property
    def spread(self) -> float:
        """The standard deviation; that of a constant is exactly 0."""
        return float(np.sqrt(self.squares / self.n)) if self.low < self.high else 0.0

    def joined(self, other: "Numbers") -> "Numbers":
        """Those of two parts together (Chan, Golub & LeVeque, 1979)."""
        if not (self.n and other.n):
            return self if self.n else other
        count = self.n + other.n
        apart = other.centre - self.centre
        centre = self.centre + apart * other.n / count
        squares = self.squares + other.squares + apart * apart * self.n * other.n / count
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Numbers(count, low if low == high else centre, squares, low, high)


def numbers_of(values: np.ndarray, weights: np.ndarray | None = None) -> Numbers:
    """The numbers of one part of a column; records of weight 0 are left out.

    >>> parts = [numbers_of(np.array(part)) for part in ([1.0, np.nan], [3.0, 5.0])]
    >>> whole = parts[0].joined(parts[1])
    >>> whole.n, whole.centre, whole.low, whole.high
    (3.0, 3.0, 1.0, 5.0)
    """
    here = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
    x = values[here]
    if not len(x):
        return Numbers()
    w = np.ones(len(x)) if weights is None else weights[here]
    count = float(w.sum())
    centre = float(x[0]) + float((w * (x - x[0])).sum()) / count
    return Numbers(count, centre, float((w * (x - centre) ** 2).sum()), float(x.min()), float(x.max()))


@dataclass(frozen=True)
class Totals:
    """Two files as wholes. Categories are counted in the original only, missing last.

    `weight` names the column of survey weights, where they count.
    """

    n: int
    weight: str
    mean_weight: float
    original: Mapping[str, Numbers]
    masked: Mapping[str, Numbers]
    weighted: Mapping[str, Numbers]
    categories: Mapping[str, np.ndarray]

    def joined(self, other: "Totals") -> "Totals":
        """The totals of two parts together."""
        n = self.n + other.n
        return Totals(
            n,
            self.weight,
            (self.n * self.mean_weight + other.n * other.mean_weight) / n if n else 1.0,
            _joined(self.original, other.original),
            _joined(self.masked, other.masked),
            _joined(self.weighted, other.weighted),
            {name: counts + other.categories[name] for name, counts in self.categories.items()},
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were counted."""
        return (*self.original, *self.categories)

    def weights(self, original: Table) -> np.ndarray:
        """The survey weights of a part of the original, where those of the whole have a mean of 1."""
        return original[self.weight] / self.mean_weight


class _Job(NamedTuple):
    original: Blocks
    masked: Blocks
    block: int
    names: tuple[str, ...]
    weight: str


def totals(original: Blocks, masked: Blocks, names: tuple[str, ...], *, weighted: bool, crew: Crew) -> Totals:
    """Go through two files once. With `weighted`, numbers of the original are counted by weight as well."""
    weight = original.schema.with_role("weight")[0] if weighted else ""
    jobs = [_Job(original, masked, block, names, weight) for block in range(len(original))]
    found = reduce(Totals.joined, in_order(crew, _of_block, jobs, label="Reading the files"))
    if weighted and not found.mean_weight > 0:
        raise DataError(f"Column {weight}: weights must be present, not negative, and not all zero.")
    return found


def with_weight(names: tuple[str, ...], weight: str) -> tuple[str, ...]:
    """Columns of the original, and the weights if they count."""
    return names if not weight or weight in names else (*names, weight)


def _of_block(shared: None, job: _Job) -> Totals:
    original = job.original.table(job.block, with_weight(job.names, job.weight))
    masked = job.masked.table(job.block, job.names)
    numeric = [name for name in job.names if original.schema[name].is_numeric]
    categorical = [name for name in job.names if not original.schema[name].is_numeric]
    weights = original[job.weight] if job.weight else None
    mean = 1.0
    if weights is not None:
        if np.isnan(weights).any() or (weights < 0).any():
            raise DataError(f"Column {job.weight}: weights must be present, not negative, and not all zero.")
        mean = float(weights.mean()) if len(weights) else 0.0
    return Totals(
        original.n,
        job.weight,
        mean,
        {name: numbers_of(original[name]) for name in numeric},
        {name: numbers_of(masked[name]) for name in numeric},
        {name: numbers_of(original[name], weights) for name in numeric if weights is not None},
        {name: _counted(original, name) for name in categorical},
    )


def _counted(table: Table, name: str) -> np.ndarray:
    size = max(table.schema[name].domain_size, 1)
    codes = table[name].astype(np.int64)
    return np.bincount(np.where(codes < 0, size, codes), minlength=size + 1)


def _joined(a: Mapping[str, Numbers], b: Mapping[str, Numbers]) -> dict[str, Numbers]:
    return {name: numbers.joined(b[name]) for name, numbers in a.items()}
