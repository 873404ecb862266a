"""EBIL: how uncertain the original category is to who sees the masked one."""

import numpy as np

from sfumato.measures.statistics.cell_tracker import CellTable
from sfumato.measures.statistics.joint_counts import Joint
from sfumato.measures.statistics.lost_bits import LostBits


class Ebil(LostBits):
    """EBIL = 100 · Σ_attributes Σ_records H(V | V' = j_r) / Σ_attributes n · log2 |D|.

    Entropy-based information loss: masking is a noisy channel, and the loss is the entropy that is left in
    the original category V once the masked one V' is seen, with P(V = i | V' = j) estimated from the joint
    counts. 0 where the masked category tells the original one (so for any one-to-one change of names),
    100 where it tells nothing and all categories are equally frequent; merging categories never lowers it.
    Missing is a category of its own; where it occurs in the original, the domain counts as |D| + 1. A
    domain of one category adds nothing to either sum. Weights count each record by its weight, in the joint
    counts as in the sums. The parts are the loss of each attribute.

    It does not see relations between attributes, or which records changed.

    Source: Marés, *thesis*, §2.4.1, eq. 2.12 and 2.13.

    >>> import numpy as np
    >>> from sfumato.data import Attribute, Schema, Table
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> original = Table(Schema([sex]), {"sex": np.array([0, 1, 1, 1])})
    >>> masked = original.replace({"sex": np.array([0, 0, 1, 1])})  # "f" leaves one bit open, "m" nothing
    >>> Ebil().bind(original).score(masked).value
    50.0
    """

    def totals(self, pairs: Joint) -> np.ndarray:
        """The records that have the masked category."""
        return pairs.by_masked()

    def tables(self, count: int, used: list[int]) -> list[CellTable]:
        """Σ_j n_j log2 n_j − Σ_ij n_ij log2 n_ij is the same sum."""
        return [CellTable((j,)) for j in used] + [CellTable((j, count + j), -1.0) for j in used]
