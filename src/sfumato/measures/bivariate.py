"""Bivariate counts: how much the tables of two attributes change."""

from typing import ClassVar, Literal

from sfumato.core import param
from sfumato.data import Scale, Table
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._tables import BoundTables, pairs_of


class Bivariate(Measure):
    """100 · mean over pairs of attributes of Σ_ij |count(x_i, z_j) − count'(x_i, z_j)| / (2n).

    The share of records that would have to move for the table of a pair to be right again, from 0 to 100;
    0 where there is no pair. The pairs are those of the attributes with each other, or, with `crossed`, of
    each attribute with each of these columns, which need not be protected. Missing is a category of its
    own, and a recoded category spreads its records evenly over those it covers. Weights make the counts
    weighted ones, scaled to n. The parts are the pairs.

    Source: Marés, *thesis*, §4.1.3, eq. 4.5.

    >>> import numpy as np
    >>> from sfumato.data import Attribute, Schema
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> original = Table(Schema([sex, town]), {"sex": np.array([0, 0, 1, 1]), "town": np.array([0, 1, 0, 1])})
    >>> Bivariate().bind(original).score(original.replace({"town": np.array([0, 0, 1, 1])})).parts
    {'sex × town': 50.0}
    """

    sense: ClassVar[Literal["loss", "risk"]] = "loss"
    scales: ClassVar[tuple[Scale, ...]] = ("ordinal", "nominal")

    crossed: tuple[str, ...] = param(default=(), help="columns to cross with (default: each other)")

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """List the pairs."""
        return _BoundBivariate(self, original, names, pairs_of(self, original.schema, names, self.crossed))


class _BoundBivariate(BoundTables):
    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        raw = self.differences(masked)
        parts = {" × ".join(pair): 50 * r / masked.n for pair, r in zip(self.tables, raw, strict=True)}
        return self.mean(raw), parts
