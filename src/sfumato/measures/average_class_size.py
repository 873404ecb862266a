"""Average class size: how many records share their key values on average."""

from sfumato.data import Table
from sfumato.kernels.distinct_records import distinct
from sfumato.measures._class_growth import ClassGrowth


class AverageClassSize(ClassGrowth):
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

    def amount(self, table: Table, names: tuple[str, ...]) -> float:
        return table.n / len(distinct(table.shown(names)).counts) if table.n else 0.0

    def most(self, n: int) -> float:
        return n

    def parts(self, n: int, before: float, now: float) -> dict[str, float]:
        return {"mean": now, "classes": float(round(n / now))}
