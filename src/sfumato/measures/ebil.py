"""EBIL: how uncertain the original category is to who sees the masked one."""

import math
from typing import ClassVar, Literal

import numpy as np

from sfumato.data import Scale, Table
from sfumato.kernels.distinct import distinct
from sfumato.measures._contract import Bound, Measure


class Ebil(Measure):
    """EBIL = 100 · Σ_attributes Σ_records H(V | V' = j_r) / Σ_attributes n · log2 |D|.

    Entropy-based information loss: masking is a noisy channel, and the loss is the entropy that is left in
    the original category V once the masked one V' is seen, with P(V = i | V' = j) estimated from the joint
    counts. 0 where the masked category tells the original one (so for any one-to-one change of names),
    100 where it tells nothing and all categories are equally frequent; merging categories never lowers it.
    Missing is a category of its own; where it occurs in the original, the domain counts as |D| + 1. A
    domain of one category adds nothing to either sum. The parts are the loss of each attribute.

    Source: Marés, *thesis*, §2.4.1, eq. 2.12 and 2.13.

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
        self.most = {name: original.n * math.log2(_domain_size(original, name)) for name in names}

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        lost = {name: _entropy(self.original[name], masked[name]) for name in self.names}
        parts = {name: 100 * lost[name] / self.most[name] if self.most[name] else 0.0 for name in self.names}
        most = sum(self.most.values())
        return (100 * sum(lost.values()) / most if most else 0.0), parts


def _domain_size(original: Table, name: str) -> int:
    return max(original.schema[name].domain_size + bool(original.missing(name).any()), 1)


def _entropy(original: np.ndarray, masked: np.ndarray) -> float:
    """Σ_records H(V | V' = j_r) = Σ_ij n_ij · log2(n_j / n_ij)."""
    seen = distinct([masked])
    pairs = distinct([masked, original])
    of_masked = seen.counts[seen.labels[pairs.first]]
    return float((pairs.counts * np.log2(of_masked / pairs.counts)).sum())
