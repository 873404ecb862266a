"""What two measures of entropy share: bits lost by attribute, in percent of what could be lost."""

import math
from abc import abstractmethod

import numpy as np

from sfumato.data import Table
from sfumato.kernels.cell_sums import ENTROPY
from sfumato.measures._cells import LARGEST_CELL, CellTable, CellTracker, cell_count
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._joint import Joint, conditional_bits, domain_size, joint_counts, joint_digits
from sfumato.measures._tracking import Tracker


class BitsBound(Bound):
    """Σ_ij n_ij log2(total / n_ij) over the pairs of masked and original categories of each attribute."""

    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.most = {name: original.n * math.log2(domain_size(original, name)) for name in names}

    @abstractmethod
    def totals(self, pairs: Joint) -> np.ndarray:
        """The total that each pair is compared with."""

    @abstractmethod
    def tables(self) -> list[CellTable]:
        """The tables whose entropies change with the masked file; masked columns come first."""

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        """The loss of all attributes together, and of each as its part; an only category loses nothing."""
        lost = dict.fromkeys(self.names, 0.0)
        for name in self.names:
            if self.most[name]:
                pairs = joint_counts(masked[name], self.original[name], self.weights)
                lost[name] = conditional_bits(pairs.counts, self.totals(pairs))
        parts = {name: 100 * lost[name] / (self.most[name] or 1.0) for name in self.names}
        return 100 * sum(lost.values()) / (sum(self.most.values()) or 1.0), parts

    def track(self, masked: Table) -> Tracker:
        """Keep the sums of n log2 n over the cells of the tables."""
        self._check(masked)
        tables, most = self.tables(), sum(self.most.values())
        digits = joint_digits(self.original, masked, self.names)
        if not most or cell_count(tables, digits.widths) >= LARGEST_CELL:
            return super().track(masked)
        value = self.score(masked).value
        return CellTracker(value, digits, tables, kind=ENTROPY, scale=100 / most, weights=self.weights)
