"""CTBIL: how much contingency tables of up to a few attributes change."""

from itertools import chain, combinations
from math import prod
from typing import Any, ClassVar

from sfumato.core import Aliases, param
from sfumato.data import Table
from sfumato.measures._contract import Files, Judged, Measure, StatisticBound
from sfumato.measures._tracking import Tracker
from sfumato.measures.statistics.contract import Statistic
from sfumato.measures.statistics.cross_counts import CrossCounts, mean_difference, table_tracker
from sfumato.measures.statistics.joint_counts import DomainSizes


class Ctbil(Measure):
    """CTBIL = 100 · Σ_tables Σ_cells |a − a'| / (2 · n · number of tables).

    Contingency-table-based information loss, over the tables of all sets of 1 to `dimension` attributes:
    the mean share of records that would have to move for a masked table to equal the original one, from 0
    to 100. Missing is a category of its own. A recoded category spreads its records evenly over the
    categories it covers. Weights make the tables those of weighted counts, scaled to n. The parts are the
    loss of each attribute's own table, `raw`, the plain sum of eq. 2.10, and `actbil`, that sum divided by
    the number of cells (eq. 2.11; a domain counts one more category where values are missing in the
    original). With `per_cell` that quotient, ACTBIL, is the value, which is no percentage.

    It does not see relations of more attributes than its tables have, columns that are no keys, or who
    has which value.

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

    aliases: ClassVar[Aliases] = {"ACTBIL": {"per_cell": True}}

    sense = "loss"
    scales = ("ordinal", "nominal")

    dimension: int = param(default=2, low=1, high=4, help="largest number of attributes in a table")
    per_cell: bool = param(
        default=False, help="the records that differ in a cell, on average (ACTBIL), in place of a percentage"
    )

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return DomainSizes(files.names), CrossCounts(self._tables(files), self.weighted)

    def value(self, files: Files, *found: Any) -> Judged:
        counted, cells = found
        raw, sizes = cells.differences(), dict(zip(files.names, counted.tolist(), strict=True))
        total = sum(prod(sizes[name] for name in table) for table in self._tables(files))
        parts = {name: 50 * raw[j] / files.n for j, name in enumerate(files.names)}
        parts |= {"raw": sum(raw), "actbil": sum(raw) / total}
        return parts["actbil"] if self.per_cell else mean_difference(raw, files.n), parts

    def tracker(self, bound: StatisticBound, masked: Table) -> Tracker | None:
        return None if self.per_cell else table_tracker(bound, masked, self._tables(bound.files))

    def _tables(self, files: Files) -> tuple[tuple[str, ...], ...]:
        sizes = range(1, self.dimension + 1)
        return tuple(chain.from_iterable(combinations(files.names, size) for size in sizes))
