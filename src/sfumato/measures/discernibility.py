"""Discernibility: how many others each record can no longer be told from."""

import numpy as np

from sfumato.data import Table
from sfumato.kernels.distinct_records import distinct
from sfumato.measures._class_growth import ClassGrowth


class Discernibility(ClassGrowth):
    """100 · (DM' − DM) / (n² − DM), DM = Σ_classes size², at least 0.

    A class are the records with equal key values; a record all of whose keys are missing counts n, as one that was
    suppressed. DM' is that of the masked file, DM that of the original. 0 where records can be told apart as well as
    in the original, 100 where all are alike. Any other missing value is a value like others, and so is each code
    declared for one. Weights do not count in it. The part `original` is 100 · DM / n².

    It sees the sizes of classes alone: not what the values are, so noise that makes every record unique loses
    nothing; and large classes outweigh all others.

    Source: Bayardo & Agrawal (2005), normalised as in ARX.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b", "c", "d"))
    >>> original = Table(Schema([town]), {"town": np.array([0, 1, 2, 3])})
    >>> masked = original.replace({"town": np.array([0, 0, 2, 2])})  # 8 in place of 4, of at most 16
    >>> round(Discernibility().bind(original).score(masked).value, 1)
    33.3
    """

    def amount(self, table: Table, names: tuple[str, ...]) -> float:
        """The sum of squares of class sizes; records without any key value count as many as there are."""
        gone = np.ones(table.n, bool)
        for name in names:
            gone &= table.missing(name)
        here = table.take(np.flatnonzero(~gone))
        sizes = distinct(here.shown(names)).counts if here.n else np.zeros(0)
        return float(np.square(sizes.astype(float)).sum()) + float(np.count_nonzero(gone)) * table.n

    def most(self, n: int) -> float:
        return float(n) ** 2

    def parts(self, n: int, before: float, now: float) -> dict[str, float]:
        return {"original": 100 * before / self.most(n)}
