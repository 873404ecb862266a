"""CTBIL: how much contingency tables of up to a few attributes change."""

from itertools import chain, combinations
from math import prod
from typing import ClassVar, Literal

from sfumato.core import param
from sfumato.data import Scale, Table
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._joint import domain_size
from sfumato.measures._tables import BoundTables


class Ctbil(Measure):
    """CTBIL = 100 · Σ_tables Σ_cells |a − a'| / (2 · n · number of tables).

    Contingency-table-based information loss, over the tables of all sets of 1 to `dimension` attributes:
    the mean share of records that would have to move for a masked table to equal the original one, from 0
    to 100. Missing is a category of its own. A recoded category spreads its records evenly over the
    categories it covers. Weights make the tables those of weighted counts, scaled to n. The parts are the
    loss of each attribute's own table, `raw`, the plain sum of eq. 2.10, and `actbil`, that sum divided by
    the number of cells (eq. 2.11; a domain counts one more category where values are missing in the
    original).

    Source: Marés, *thesis*, §2.4.1, eq. 2.10 and 2.11; the percent form is the mean total variation.

    >>> import numpy as np
    >>> from sfumato.data import Attribute, Schema
    >>> sex = Attribute(name="sex", scale="nominal", role="key", categories=("f", "m"))
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> original = Table(Schema([sex, town]), {"sex": np.array([0, 0, 1, 1]), "town": np.array([0, 1, 0, 1])})
    >>> masked = original.replace({"town": np.array([0, 0, 1, 1])})  # both one-way tables stay as they were
    >>> score = Ctbil().bind(original).score(masked)
    >>> round(score.value, 2), score.parts
    (16.67, {'sex': 0.0, 'town': 0.0, 'raw': 4.0, 'actbil': 0.5})
    """

    sense: ClassVar[Literal["loss", "risk"]] = "loss"
    scales: ClassVar[tuple[Scale, ...]] = ("ordinal", "nominal")

    dimension: int = param(default=2, low=1, high=4, help="largest number of attributes in a table")

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """List the tables and count their cells."""
        return _BoundCtbil(self, original, names)


class _BoundCtbil(BoundTables):
    def __init__(self, measure: Ctbil, original: Table, names: tuple[str, ...]) -> None:
        tables = chain.from_iterable(combinations(names, t) for t in range(1, measure.dimension + 1))
        super().__init__(measure, original, names, tables)
        sizes = {name: domain_size(original, name) for name in names}
        self.cells = sum(prod(sizes[name] for name in table) for table in self.tables)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        raw = self.differences(masked)
        parts = {name: 50 * raw[j] / masked.n for j, name in enumerate(self.names)}
        return self.mean(raw), parts | {"raw": sum(raw), "actbil": sum(raw) / self.cells}
