"""Non-uniform entropy: how much of the information in the original categories is gone."""

import numpy as np

from sfumato.measures._contract import Files, Judged, Measure
from sfumato.measures.statistics.contract import Statistic
from sfumato.measures.statistics.joint_counts import Joint, JointCounts, conditional_bits


class NonUniformEntropy(Measure):
    """100 · mean over attributes of H(V | V') / H(V), V the original category and V' the released one.

    H(V | V') = Σ_records log2(records with V' = j / records with V = i and V' = j) is the numerator of `ebil`; it is
    set against the entropy H(V) that the attribute had in the file, in place of that of equally frequent categories.
    So it is never below `ebil`'s loss of the attribute. 0 where the released category tells the original
    one, 100 where it tells nothing more than a blank would. A constant has nothing to lose, and loses 0. Missing is
    a category of its own. Weights count records. The parts are the loss of each attribute.

    It does not see how far apart categories are, nor what belongs together across attributes; and a release in
    which all categories have swapped names loses nothing.

    Source: de Waal & Willenborg (1999); for global recoding it is that of Gionis & Tassa (2009) and of ARX.

    >>> from sfumato.data import Attribute, Schema, Table
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> original = Table(Schema([sex]), {"sex": np.array([0, 0, 1, 1])})
    >>> masked = original.replace({"sex": np.array([0, 0, 0, 1])})  # "f": 3 records, one of them "m"
    >>> round(NonUniformEntropy().bind(original).score(masked).value, 2)  # 3 · H(1/3) of 4 bits
    68.87
    """

    sense = "loss"
    scales = ("ordinal", "nominal")

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return tuple(JointCounts(name, self.weighted) for name in files.names)

    def value(self, files: Files, *found: Joint) -> Judged:
        parts = {name: _lost(pairs) for name, pairs in zip(files.names, found, strict=True)}
        return sum(parts.values()) / len(parts), parts


def _lost(pairs: Joint) -> float:
    before = np.bincount(pairs.original + 1, weights=pairs.counts)
    most = conditional_bits(before, np.full(len(before), before.sum()))
    # rounding may leave a trace of a bit where nothing is open
    return 100 * min(conditional_bits(pairs.counts, pairs.by_masked()) / most, 1.0) if most > 0 else 0.0
