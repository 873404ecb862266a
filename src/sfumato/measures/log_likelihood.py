"""Log-likelihood loss: how surprising the masked categories are, given the original ones."""

import numpy as np

from sfumato.data import Table
from sfumato.measures._contract import Bound, StatisticBound
from sfumato.measures.statistics.cell_tracker import CellTable
from sfumato.measures.statistics.joint_counts import Joint, joint_counts
from sfumato.measures.statistics.lost_bits import LostBits

SMALLEST = 1e-300  # instead of 0, where all records of a category have weight 0


class LogLikelihood(LostBits):
    """100 · Σ_attributes Σ_records −log2 P(V' = j_r | V = i_r) / Σ_attributes n · log2 |D|.

    The loss of a record whose original category i was masked as j is −log2 P(V' = j | V = i), with the
    probabilities estimated from the joint counts; `records` of the bound measure gives it, in bits, for each
    record and attribute. 0 where each category always becomes the same one, be it another; 100 where each
    is spread evenly over the domain, and above 100 only where values become missing or the masked domain is
    the larger one. Missing is a category of its own; where it occurs in the original, the domain counts as
    |D| + 1. A domain of one category adds nothing to either sum. Weights count each record by its weight,
    in the joint counts as in the sums. The parts are the loss of each attribute.

    It does not see relations of attributes beyond its table, or who has which value.

    Source: Fayyoumi, *thesis*, §2.4.2, after Domingo-Ferrer & Torra (2001); the percent form is that of EBIL.

    >>> from sfumato.data import Attribute, Schema
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> original = Table(Schema([sex]), {"sex": np.array([0, 0, 1, 1])})
    >>> bound = LogLikelihood().bind(original)
    >>> masked = original.replace({"sex": np.array([0, 1, 1, 1])})
    >>> bound.score(masked).value, bound.records(masked)[:, 0].tolist()
    (50.0, [1.0, 1.0, 0.0, 0.0])
    """

    bounded = False

    def totals(self, pairs: Joint) -> np.ndarray:
        """The records that had the original category."""
        return pairs.by_original()

    def tables(self, count: int, used: list[int]) -> list[CellTable]:
        """−Σ_ij n_ij log2 n_ij; the counts of the original do not change."""
        return [CellTable((j, count + j), -1.0) for j in used]

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return BoundLogLikelihood(self, original, names)


class BoundLogLikelihood(StatisticBound):
    """The measure with the original; it also tells the loss of each record."""

    def records(self, masked: Table) -> np.ndarray:
        """−log2 P(V' = j | V = i) of each record (rows) and attribute (columns)."""
        self.check(masked)
        bits = np.zeros((masked.n, len(self.names)))
        for j, name in enumerate(self.names):
            pairs = joint_counts(masked[name], self.original[name], self.weights)
            shares = pairs.counts / np.maximum(pairs.by_original(), SMALLEST)
            surprise = -np.log2(np.maximum(shares, SMALLEST))
            bits[:, j] = surprise[pairs.find(masked[name], self.original[name])]
        return bits + 0.0  # no negative zero
