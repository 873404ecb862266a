"""What two measures of entropy share: bits lost by attribute, in percent of what could be lost."""

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from sfumato.data import Table
from sfumato.kernels.cell_sums import ENTROPY
from sfumato.measures._contract import Files, Judged, Measure, StatisticBound
from sfumato.measures._tracking import Tracker
from sfumato.measures.statistics.cell_tracker import LARGEST_CELL, CellTable, CellTracker, cell_count
from sfumato.measures.statistics.contract import Statistic
from sfumato.measures.statistics.joint_counts import (
    DomainSizes,
    Joint,
    JointCounts,
    conditional_bits,
    joint_digits,
)


class LostBits(Measure):
    """Σ_ij n_ij log2(total / n_ij) over the pairs of masked and original categories of each attribute."""

    sense = "loss"
    scales = ("ordinal", "nominal")

    @abstractmethod
    def totals(self, pairs: Joint) -> np.ndarray:
        """The total that each pair is compared with."""

    @abstractmethod
    def tables(self, count: int, used: list[int]) -> list[CellTable]:
        """The tables whose entropies change with the masked file, for those used of so many columns.

        Masked columns come first, then the original ones.
        """

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return DomainSizes(files.names), *(JointCounts(name, self.weighted) for name in files.names)

    def value(self, files: Files, *found: Any) -> Judged:
        """The loss of all attributes together, and of each as its part; an only category loses nothing."""
        sizes, *joints = found
        most = dict(zip(files.names, _most(files.n, sizes), strict=True))
        lost = {
            name: conditional_bits(pairs.counts, self.totals(pairs)) if most[name] else 0.0
            for name, pairs in zip(files.names, joints, strict=True)
        }
        parts = {name: 100 * lost[name] / (most[name] or 1.0) for name in files.names}
        return 100 * sum(lost.values()) / (sum(most.values()) or 1.0), parts

    def tracker(self, bound: StatisticBound, masked: Table) -> Tracker | None:
        sizes = bound.known[DomainSizes(bound.names)]
        tables = self.tables(len(sizes), np.flatnonzero(sizes > 1).tolist())
        digits = joint_digits(bound.original, masked, bound.names)
        most = sum(_most(masked.n, sizes))
        if not most or cell_count(tables, digits.widths) >= LARGEST_CELL:
            return None
        value = bound.score(masked).value
        return CellTracker(value, digits, tables, kind=ENTROPY, scale=100 / most, weights=bound.weights)


def _most(n: int, sizes: np.ndarray) -> list[float]:
    """The bits that could be lost of each attribute."""
    return [n * math.log2(size) for size in sizes.tolist()]
