"""Bivariate counts: how much the tables of two attributes change."""

from sfumato.data import Table
from sfumato.measures._contract import Files, Judged, StatisticBound
from sfumato.measures._tracking import Tracker
from sfumato.measures.statistics.contract import Statistic
from sfumato.measures.statistics.cross_counts import (
    ChangedRecords,
    CrossCounts,
    OfPairs,
    mean_difference,
    table_tracker,
)


class Bivariate(OfPairs):
    """100 · mean over pairs of attributes of Σ_ij |count(x_i, z_j) − count'(x_i, z_j)| / (2n).

    The share of records that would have to move for the table of a pair to be right again, from 0 to 100;
    0 where there is no pair. The pairs are those of the attributes with each other, or, with `crossed`, of
    each attribute with each of these columns, which need not be protected. Missing is a category of its
    own, and a recoded category spreads its records evenly over those it covers. Weights make the counts
    weighted ones, scaled to n. The parts are the pairs.

    It does not see relations of three or more attributes, how values lie within a category, or who has
    which value.

    Source: Marés, *thesis*, §4.1.3, eq. 4.5.

    >>> import numpy as np
    >>> from sfumato.data import Attribute, Schema
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> original = Table(Schema([sex, town]), {"sex": np.array([0, 0, 1, 1]), "town": np.array([0, 1, 0, 1])})
    >>> Bivariate().bind(original).score(original.replace({"town": np.array([0, 0, 1, 1])})).parts
    {'sex × town': 50.0}
    """

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return (CrossCounts(self.pairs(files), self.weighted),)

    def value(self, files: Files, *found: ChangedRecords) -> Judged:
        (cells,) = found
        raw = cells.differences()
        pairs = self.pairs(files)
        parts = {" × ".join(pair): 50 * r / files.n for pair, r in zip(pairs, raw, strict=True)}
        return mean_difference(raw, files.n), parts

    def tracker(self, bound: StatisticBound, masked: Table) -> Tracker | None:
        return table_tracker(bound, masked, self.pairs(bound.files))
