"""Average class size: how many records share their key values on average."""

from sfumato.data import Table
from sfumato.kernels.distinct_records import distinct
from sfumato.measures._contract import Bound, Judged, Measure


class AverageClassSize(Measure):
    """100 · (c' − c) / (n − c), c = records / classes of equal key values, at least 0.

    c' is that of the masked file, c that of the original. 0 where classes are as large as they were, 100 where all
    records are one class. A missing value is a value like others, and so is each code declared for one.
    Weights do not count in it. The parts are `mean`, c', and `classes`, their number: LeFevre's C_avg is c' / k.

    It sees the number of classes alone: not what the values are, nor how unequal the classes are.

    Source: LeFevre, DeWitt & Ramakrishnan (2006), normalised as in ARX.

    >>> import numpy as np
    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b", "c", "d"))
    >>> original = Table(Schema([town]), {"town": np.array([0, 1, 2, 3])})
    >>> masked = original.replace({"town": np.array([0, 0, 2, 2])})  # 2 in place of 1, of at most 4
    >>> round(AverageClassSize().bind(original).score(masked).value, 1)
    33.3
    """

    sense = "loss"
    joinable = False

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return _BoundClassSize(self, original, names)


class _BoundClassSize(Bound):
    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.before = original.n / _classes(original, names)

    def judge(self, masked: Table) -> Judged:
        classes = _classes(masked, self.names)
        mean = masked.n / classes
        lost = (
            100 * max(mean - self.before, 0.0) / (masked.n - self.before) if masked.n > self.before else 0.0
        )
        return lost, {"mean": mean, "classes": float(classes)}


def _classes(table: Table, names: tuple[str, ...]) -> int:
    return len(distinct(table.shown(names)).counts) if table.n else 1
