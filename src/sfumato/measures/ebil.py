"""EBIL: how uncertain the original category is to who sees the masked one."""

import math
from typing import ClassVar, Literal

from sfumato.data import Scale, Table
from sfumato.kernels.cells import ENTROPY
from sfumato.measures._cells import LARGEST_CELL, CellTable, CellTracker, cell_count
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._joint import conditional_bits, domain_size, joint_counts, joint_digits
from sfumato.measures._tracking import Tracker


class Ebil(Measure):
    """EBIL = 100 · Σ_attributes Σ_records H(V | V' = j_r) / Σ_attributes n · log2 |D|.

    Entropy-based information loss: masking is a noisy channel, and the loss is the entropy that is left in
    the original category V once the masked one V' is seen, with P(V = i | V' = j) estimated from the joint
    counts. 0 where the masked category tells the original one (so for any one-to-one change of names),
    100 where it tells nothing and all categories are equally frequent; merging categories never lowers it.
    Missing is a category of its own; where it occurs in the original, the domain counts as |D| + 1. A
    domain of one category adds nothing to either sum. Weights count each record by its weight, in the joint
    counts as in the sums. The parts are the loss of each attribute.

    Source: Marés, *thesis*, §2.4.1, eq. 2.12 and 2.13.

    >>> import numpy as np
    >>> from sfumato.data import Attribute, Schema
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> original = Table(Schema([sex]), {"sex": np.array([0, 1, 1, 1])})
    >>> masked = original.replace({"sex": np.array([0, 0, 1, 1])})  # "f" leaves one bit open, "m" nothing
    >>> Ebil().bind(original).score(masked).value
    50.0
    """

    sense: ClassVar[Literal["loss", "risk"]] = "loss"
    scales: ClassVar[tuple[Scale, ...]] = ("ordinal", "nominal")

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Work out the entropy that could be lost."""
        return _BoundEbil(self, original, names)


class _BoundEbil(Bound):
    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.most = {name: original.n * math.log2(domain_size(original, name)) for name in names}

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        lost = {}
        for name in self.names:
            pairs = joint_counts(masked[name], self.original[name], self.weights)
            lost[name] = conditional_bits(pairs.counts, pairs.by_masked())
        parts = {name: 100 * lost[name] / self.most[name] if self.most[name] else 0.0 for name in self.names}
        most = sum(self.most.values())
        return (100 * sum(lost.values()) / most if most else 0.0), parts

    def track(self, masked: Table) -> Tracker:
        """Keep Σ_j n_j log2 n_j − Σ_ij n_ij log2 n_ij, which is the same sum."""
        self._check(masked)
        d, most = len(self.names), sum(self.most.values())
        tables = [CellTable((j,)) for j in range(d)] + [CellTable((j, d + j), -1.0) for j in range(d)]
        digits = joint_digits(self.original, masked, self.names)
        if not most or cell_count(tables, digits.widths) >= LARGEST_CELL:
            return super().track(masked)
        value = self.score(masked).value
        return CellTracker(value, digits, tables, kind=ENTROPY, scale=100 / most, weights=self.weights)
