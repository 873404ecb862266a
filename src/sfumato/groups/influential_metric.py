"""The influential metric: how different two records are in what matters to those who use the file."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from sfumato.core import DataError, ParameterError
from sfumato.data import Table
from sfumato.kernels.influential_metric import EQUAL, OTHER, RELATIVE, swap_distances


@dataclass(frozen=True, kw_only=True)
class InfluentialMetric:
    """Relative differences of ordinal attributes, and mismatches of categorical ones, weighted and added up.

    An ordinal attribute adds w · ((x − y) / (x + y))², a categorical one w · χ, where χ is `same` if two
    values agree and `different` if not. With none of the attributes ordinal, all weights 1, and χ 0 or 1,
    the metric counts the values that would change if two records traded everything but their places: the
    choice of the source, and the default. The sum x + y is one of absolute values, which is the same for
    what is never negative, and keeps a loss from being far from everything.

    `ordinal` names those of the `attributes` whose difference matters; of ordered categories the ranks are
    taken. `weights` holds what differs from 1. A missing value is like another missing one, and as different
    as can be from all others.

    Source: Tavrov & Chertov, *SpringerPlus* 5 (2016), eq. 25, after Chertov (2010).

    >>> InfluentialMetric(attributes=("age", "sex"), ordinal=("age",), weights={"sex": 2.0}).greatest
    3.0
    """

    attributes: tuple[str, ...]
    ordinal: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    same: float = 0.0
    different: float = 1.0

    def __post_init__(self) -> None:
        if not self.attributes:
            raise ParameterError("influential metric: name at least one attribute that matters.")
        for name in (*self.ordinal, *self.weights):
            if name not in self.attributes:
                raise ParameterError(f"influential metric: {name} is not one of its attributes.")
        if not all(np.isfinite(weight) and weight >= 0 for weight in self.weights.values()):
            raise ParameterError("influential metric: weights must be finite and not negative.")
        if not 0 <= self.same <= self.different < np.inf:
            raise ParameterError(
                "influential metric: same must not be negative, and not exceed different. "
                f"Got {self.same!r} and {self.different!r}."
            )

    @property
    def rows(self) -> np.ndarray:
        """The metric as the kernels read it."""
        matrix = np.zeros((len(self.attributes), 3))
        for row, name in zip(matrix, self.attributes, strict=True):
            weight = self.weights.get(name, 1.0)
            row[:] = (
                (RELATIVE, weight, 0.0)
                if name in self.ordinal
                else (EQUAL, weight * self.different, weight * self.same)
            )
        return matrix

    @property
    def greatest(self) -> float:
        """The greatest distance two records can have."""
        return float(self.rows[:, OTHER].sum())

    def points(self, table: Table) -> np.ndarray:
        """The records as the kernels read them."""
        return np.column_stack([self._axis(table, name) for name in self.attributes])

    def spec(self) -> dict[str, object]:
        return {
            "attributes": list(self.attributes),
            "ordinal": list(self.ordinal),
            "weights": dict(self.weights),
            "same": self.same,
            "different": self.different,
        }

    def _axis(self, table: Table, name: str) -> np.ndarray:
        attribute, values = table.schema[name], table[name]
        if attribute.is_numeric:
            return np.where(np.isnan(values), -np.inf, values)
        if name not in self.ordinal:
            return values.astype(np.float64)
        if attribute.scale == "nominal":
            raise DataError(f"influential metric: column {name} is nominal; its values have no order.")
        return np.where(values < 0, -np.inf, values + 1.0)


def distances(rows: np.ndarray, points: np.ndarray, metric: InfluentialMetric) -> np.ndarray:
    """The distance between the two records of each swap."""
    return swap_distances(rows, points, metric.rows)
