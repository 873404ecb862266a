"""The space in which records are compared: how they become points, and how far apart points are."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sfumato.attacks.linkage import record_tree
from sfumato.core import DataError
from sfumato.data import Schema, Table
from sfumato.data.coverage import Coverage, coverage_of
from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.spread import centre_and_spread

DISTANCES = ("auto", "euclidean", "mahalanobis", "gower")
RANK_TOLERANCE = 1e-10  # of the largest eigenvalue of the correlations; Census has one of −1e-16

Readings = Mapping[str, Coverage]


class Extent(NamedTuple):
    """The standard deviation, the least and the greatest of some numbers, in units of their last decimal."""

    spread: float
    low: float
    high: float


def extents(known: Table, names: Sequence[str]) -> dict[str, Extent]:
    found = {}
    for name in names:
        if known.schema[name].is_numeric:
            values = record_tree.whole_numbers(known[name], known.schema[name].decimals)
            present = values[~np.isnan(values)]
            low, high = (present.min(), present.max()) if len(present) else (0.0, 0.0)
            found[name] = Extent(centre_and_spread(values)[1], float(low), float(high))
    return found


class Space:
    """A distance fitted to a known file.

    `euclidean` and `mahalanobis` take numbers, `gower` takes everything; `auto` is the first where all
    attributes are numeric, and the last otherwise. With `weights`, squared differences of standardised
    numbers and distances of categories are each multiplied by the weight of the attribute, and attributes
    of weight 0 are left out. So are constant numbers. The extents of numbers are those of the known file, or
    of the `whole` that it is a part of.
    """

    def __init__(
        self,
        known: Table,
        names: Sequence[str],
        distance: str = "auto",
        weights: Mapping[str, float] | None = None,
        whole: Mapping[str, Extent] | None = None,
    ) -> None:
        self.schema = known.schema.select(names)
        measured = extents(known, names) if whole is None else whole
        self.distance = _settled(self.schema, distance) if weights is None else "weighted"
        # numbers are scaled by a power of two, which changes no digit, to a spread of about 1
        self.powers = {name: int(np.frexp(extent.spread)[1]) for name, extent in measured.items()}
        self.weights = {name: 1.0 if weights is None else weights[name] for name in names}
        spreads = {name: self._spread(name, measured.get(name)) for name in names}
        self.spreads = {n: spread for n, spread in spreads.items() if spread > 0 and self.weights[n] > 0}
        self.names = tuple(self.spreads)
        self.whitening: np.ndarray | None = None
        self.centre = np.zeros(len(self.names))
        if self.distance == "mahalanobis":
            self.centre, self.whitening = _whitening(self.points(known), list(self.spreads.values()))

    @property
    def sides(self) -> np.ndarray:
        """What one unit of each coordinate is worth when the sides of a box are compared."""
        if self.whitening is not None:
            return np.ones(self.whitening.shape[1])
        known = [(self.schema[name], spread) for name, spread in self.spreads.items()]
        sides = [1 / (spread if a.is_numeric else max(a.domain_size, 1)) for a, spread in known]
        return np.array(sides) * np.sqrt([self.weights[name] for name in self.names])

    def read(self, released: Schema) -> Readings:
        """What the categories of a released file say about those of the known one."""
        names = [name for name in self.names if not self.schema[name].is_numeric]
        return {name: coverage_of(self.schema[name], released[name]) for name in names}

    def points(self, table: Table, readings: Readings | None = None) -> np.ndarray:
        """The records of the known file or, with its readings, of a released one; one row each."""
        columns = [self.column(name, table[name], readings) for name in self.names]
        return np.column_stack([*columns, np.zeros(table.n)])[:, : len(columns)]

    def column(self, name: str, values: np.ndarray, readings: Readings | None = None) -> np.ndarray:
        attribute = self.schema[name]
        if attribute.is_numeric:
            values = record_tree.whole_numbers(values, attribute.decimals)
            scaled: np.ndarray = np.ldexp(values, -self.powers[name])
            return scaled
        codes = values if readings is None else readings[name].of(values)
        return np.where(codes < 0, np.nan, codes)

    def placed(self, points: np.ndarray) -> np.ndarray:
        """Where points lie for the tree: as they are, or whitened."""
        if self.whitening is None:
            return np.ascontiguousarray(points)
        offsets = points - self.centre
        offsets[np.isnan(offsets)] = 0.0
        place = np.zeros((len(points), self.whitening.shape[1]))
        # in this order for any number of rows: equal rows stay equal
        for j, axis in enumerate(self.whitening):
            place += offsets[:, j, None] * axis
        return place

    def metric(self, readings: Readings) -> tuple[np.ndarray, np.ndarray]:
        """The metric of the tree, and its sets; see `kernels.nearest`."""
        if self.whitening is not None:
            return record_tree.euclidean([1.0] * self.whitening.shape[1]), np.zeros((1, 1))
        spreads = [readings.get(name, spread) for name, spread in self.spreads.items()]
        if self.distance == "weighted":
            return record_tree.weighted(spreads, [self.weights[name] for name in self.names])
        if self.distance == "gower":
            return record_tree.gower(spreads)
        return record_tree.euclidean(list(self.spreads.values())), np.zeros((1, 1))

    def _spread(self, name: str, extent: Extent | None) -> float:
        """The standard deviation or range by which a number is divided; 0 leaves the attribute out."""
        if extent is None:
            return 1.0
        spread, low, high = (math.ldexp(number, -self.powers[name]) for number in extent)
        return spread if self.distance != "gower" or spread == 0 else high - low


def numeric_only(distance: str) -> bool:
    return distance in ("euclidean", "mahalanobis")


def _settled(schema: Schema, distance: str) -> str:
    categorical = [attribute.name for attribute in schema if not attribute.is_numeric]
    if distance == "auto":
        return "gower" if categorical else "euclidean"
    if categorical and numeric_only(distance):
        raise DataError(
            f"distance_linkage: column {categorical[0]} is {schema[categorical[0]].scale}; the {distance} distance "
            "takes numeric attributes. Choose gower, or name the columns."
        )
    return distance


def _whitening(points: np.ndarray, spreads: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """The means, and the axes on which the points have variance 1 and no covariance.

    A missing value counts as the mean. Directions in which the points do not vary, up to rounding, are left
    out: the covariance of a file with sums among its attributes has no inverse.
    """
    records = distinct([*points.T] or [np.zeros(len(points))])  # in an order that is not that of the records
    distinct_points, shares = points[records.first], records.counts / max(len(points), 1)
    centre = np.array([centre_and_spread(column)[0] for column in points.T])
    units = np.array(spreads)
    offsets = np.nan_to_num((distinct_points - centre) / units)
    correlations = np.einsum("n,ni,nj->ij", shares, offsets, offsets)
    values, axes = np.linalg.eigh(correlations)
    kept = values > RANK_TOLERANCE * max(values.max(initial=0.0), 0.0)
    return centre, axes[:, kept] / np.sqrt(values[kept]) / units[:, None]
