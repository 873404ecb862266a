"""Log-likelihood loss: how surprising the masked categories are, given the original ones."""

import math
from typing import ClassVar, Literal

import numpy as np

from sfumato.data import Scale, Table
from sfumato.kernels.cells import ENTROPY
from sfumato.measures._cells import LARGEST_CELL, CellTable, CellTracker, cell_count
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._joint import conditional_bits, domain_size, joint_counts, joint_digits
from sfumato.measures._tracking import Tracker

SMALLEST = 1e-300  # instead of 0, where all records of a category have weight 0


class LogLikelihood(Measure):
    """100 · Σ_attributes Σ_records −log2 P(V' = j_r | V = i_r) / Σ_attributes n · log2 |D|.

    The loss of a record whose original category i was masked as j is −log2 P(V' = j | V = i), with the
    probabilities estimated from the joint counts; `records` of the bound measure gives it, in bits, for each
    record and attribute. 0 where each category always becomes the same one, be it another; 100 where each
    is spread evenly over the domain, and above 100 only where values become missing or the masked domain is
    the larger one. Missing is a category of its own; where it occurs in the original, the domain counts as
    |D| + 1. A domain of one category adds nothing to either sum. Weights count each record by its weight,
    in the joint counts as in the sums. The parts are the loss of each attribute.

    Source: Fayyoumi, *thesis*, §2.4.2, after Domingo-Ferrer & Torra (2001); the percent form is that of EBIL.

    >>> from sfumato.data import Attribute, Schema
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> original = Table(Schema([sex]), {"sex": np.array([0, 0, 1, 1])})
    >>> bound = LogLikelihood().bind(original)
    >>> masked = original.replace({"sex": np.array([0, 1, 1, 1])})
    >>> bound.score(masked).value, bound.records(masked)[:, 0].tolist()
    (50.0, [1.0, 1.0, 0.0, 0.0])
    """

    sense: ClassVar[Literal["loss", "risk"]] = "loss"
    scales: ClassVar[tuple[Scale, ...]] = ("ordinal", "nominal")
    bounded: ClassVar[bool] = False

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Work out the most that could be lost."""
        return BoundLogLikelihood(self, original, names)


class BoundLogLikelihood(Bound):
    """The measure with the original; it also tells the loss of each record."""

    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.most = {name: original.n * math.log2(domain_size(original, name)) for name in names}

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        """The loss of all attributes together, and of each as its part."""
        lost = {}
        for name in self.names:
            pairs = joint_counts(masked[name], self.original[name], self.weights)
            bits = conditional_bits(pairs.counts, pairs.by_original())
            lost[name] = bits if self.most[name] else 0.0
        parts = {name: 100 * lost[name] / self.most[name] if self.most[name] else 0.0 for name in self.names}
        most = sum(self.most.values())
        return (100 * sum(lost.values()) / most if most else 0.0), parts

    def records(self, masked: Table) -> np.ndarray:
        """−log2 P(V' = j | V = i) of each record (rows) and attribute (columns)."""
        self._check(masked)
        bits = np.zeros((masked.n, len(self.names)))
        for j, name in enumerate(self.names):
            pairs = joint_counts(masked[name], self.original[name], self.weights)
            shares = pairs.counts / np.maximum(pairs.by_original(), SMALLEST)
            surprise = -np.log2(np.maximum(shares, SMALLEST))
            bits[:, j] = surprise[pairs.find(masked[name], self.original[name])]
        return bits + 0.0  # no negative zero

    def track(self, masked: Table) -> Tracker:
        """Keep −Σ_ij n_ij log2 n_ij; the counts of the original do not change."""
        self._check(masked)
        d, most = len(self.names), sum(self.most.values())
        tables = [CellTable((j, d + j), -1.0) for j, name in enumerate(self.names) if self.most[name]]
        digits = joint_digits(self.original, masked, self.names)
        if not most or cell_count(tables, digits.widths) >= LARGEST_CELL:
            return super().track(masked)
        value = self.score(masked).value
        return CellTracker(value, digits, tables, kind=ENTROPY, scale=100 / most, weights=self.weights)
