"""Microaggregation: records are grouped (a partition), and each group releases its centroid."""

import time
from abc import abstractmethod
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np

from sfumato.core import Advice, DataError, Result, param
from sfumato.data import Schema, Table
from sfumato.masking._aggregates import (
    AGGREGATES,
    ColumnScales,
    Measured,
    column_scales,
    group_means,
    group_values,
    principal_plane,
    squares,
    standardised,
)
from sfumato.masking._contract import check_enough, naming
from sfumato.masking._lower_bounds import lower_bound
from sfumato.masking._missing_values import HELP, READINGS, released_by_groups, with_gaps
from sfumato.masking._parts import Whole
from sfumato.masking._refinement import refined
from sfumato.masking._secrecy import Secretive
from sfumato.masking._time_ahead import tell_time_ahead

__all__ = ["Microaggregation", "Partition", "group_means", "squares", "standardised"]


class Partition(Result):
    """Groups of at least k records, and what it costs to release their centroids.

    SSE is the sum of squared distances of the standardised records to the mean of their group, SST the
    same with a single group, and IL = 100·SSE/SST. Missing cells count for neither. `lower_bound`, where
    known, is an IL that no groups of at least k records can go below.
    """

    drawn_by: ClassVar[str] = "groups"

    labels: np.ndarray = field(repr=False)
    points: np.ndarray = field(repr=False)
    k: int
    groups: int
    smallest: int
    largest: int
    sse: float
    sst: float
    il: float
    lower_bound: float | None
    seconds: float

    def __str__(self) -> str:
        sizes = str(self.smallest) if self.smallest == self.largest else f"{self.smallest} to {self.largest}"
        text = f"{self.groups} groups of {sizes} records: IL {self.il:.4g} %"
        if self.lower_bound is None:
            return text
        return f"{text}, at least {self.lower_bound:.4g} % is unavoidable"

    @property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.labels)

    def _rows(self) -> list[dict[str, Any]]:
        return [{"group": group, "size": int(size)} for group, size in enumerate(self.sizes)]


class Microaggregation(Secretive):
    """A masking that groups records; a subclass writes `group` on standardised records.

    With `missing="category"` a missing value is a value like others: to the grouping it stands at the mean, one
    standard deviation apart from all values, so that records that miss the same come together where they can;
    and in each attribute a group releases its centroid for all records if more than half have a value, else
    missing for all. With the others a missing value only stands at the mean. With `"any"` it stays missing,
    and the file is k-anonymous if a missing value matches any; with `"impute"` it takes the centroid.

    A group releases its mean, its median, or its mean without a tenth of the values at either end (rounded
    up, where there are three or more); with `weighted`, survey weights count in it. Any grouping can be
    refined by simulated annealing: so many moves of `refine_steps` give the same groups for the same seed;
    so many `refine_seconds` of processor time do not. Where both are given, the first to be used up ends it.
    Refined groups hold k to 2k − 1 records.

    A file larger than memory is grouped part by part, on the scale of the whole file; the records farthest from
    the average are one part, the others are parted by cuts.
    """

    scales = ("numeric",)
    k_anonymous = True
    parted_by = "neighbours"
    far_together = True  # most is lost among them
    gaps_apart: ClassVar[bool] = (
        True  # whether a missing value is seen apart from all values, where it is a category
    )
    grows: ClassVar[float] = (
        1.0  # the power of the number of records that time grows with, where it is told ahead
    )
    for_users: ClassVar[Advice] = Advice(
        done="Records with similar values were put into small groups, and each value was replaced by "
        "the average of its group.",
        effect="Means and totals are nearly those collected; variances and extremes are smaller, and "
        "correlations among these variables tend to look stronger.",
        remedy="Rely on means and totals of many records; take standard errors as somewhat too small, "
        "and read nothing from maxima, tails or the exact value of a record.",
    )

    k: int = param(default=5, low=1, help="smallest number of records in a group")
    standardise: str = param(
        default="zscore", choices=("zscore", "range", "none"), help="scaling before distances"
    )
    missing: str = param(default="category", choices=READINGS, help=HELP)
    aggregate: str = param(default="mean", choices=AGGREGATES, help="what a group releases")
    weighted: bool = param(default=False, help="let survey weights count in what a group releases")
    refine_seconds: float = param(
        default=0.0, low=0, help="refine the groups for so long (not repeatable; see refine_steps)"
    )
    refine_steps: int = param(default=0, low=0, help="refine the groups by so many moves (repeatable)")

    @abstractmethod
    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Labels 0, 1, … of groups of at least k rows of X, which has at least 2k rows and no NaN."""

    def of_many(self) -> Self:
        """The method as it groups many records, where it takes another way with few."""
        return self

    def mask_part(self, part: Table, names: tuple[str, ...], rng: np.random.Generator, whole: Whole) -> Table:
        values = part.numbers(names)
        weights = self._weights(part) if self.weighted else None
        X = self.points(values, whole.moments(names))
        found = self._labels(X, rng, self._measured(names, whole.moments(names)))[0]
        labels = self.kept_secret(found, X, part, names, whole)
        released = group_values(values, labels, self.aggregate, weights)[labels]
        columns = {n: part.schema[n].conform(released[:, j]) for j, n in enumerate(names)}
        return released_by_groups(part, columns, labels, self.missing)

    def beside(self, schema: Schema) -> tuple[str, ...]:
        weights = (schema.weight,) if self.weighted and schema.weight else ()
        return (*super().beside(schema), *weights)

    def points(self, values: np.ndarray, scales: ColumnScales) -> np.ndarray:
        """The records as they are grouped: standardised, and without NaN."""
        X = scales.scaled(values, self.standardise)
        if self.missing == "category" and self.gaps_apart:
            return with_gaps(X, scales.deviation_after(self.standardise))
        filled: np.ndarray = np.nan_to_num(X)
        return filled

    def places(self, part: Table, names: tuple[str, ...], whole: Whole) -> np.ndarray:
        X: np.ndarray = np.nan_to_num(whole.moments(names).scaled(part.numbers(names), self.standardise))
        return X

    def partition(self, table: Table, rng: np.random.Generator, *, bound: str = "none") -> Partition:
        """The groups the method makes, without applying them.

        A `bound` of "neighbours" or "degree" also finds an information loss that no groups of k can go
        below (see `lower_bound`); not where values are missing.
        """
        names = self.targets(table)
        values = table.numbers(names)
        X = standardised(values, self.standardise)
        strata = table.strata() if table.n else [("", np.arange(0))]
        labels = np.empty(table.n, np.int64)
        groups, least, seconds = 0, 0.0, 0.0
        for stratum, rows in strata:
            start = time.perf_counter()
            with naming(stratum):
                scales, here = column_scales(values[rows]), table.take(rows)
                points = self.points(values[rows], scales)
                part, proven = self._labels(points, rng, self._measured(names, scales))
                part = self.kept_secret(part, points, here, names, Whole.of(here))
            seconds += time.perf_counter() - start
            labels[rows] = part + groups
            groups += part.max() + 1
            if bound != "none":
                proven = lower_bound(np.nan_to_num(X[rows]), self.k, how=bound)
            elif len(strata) > 1:
                proven = 0.0  # it is about the stratum's own scale
            least += proven
        known = least if (bound != "none" or least > 0) and not np.isnan(X).any() else None
        return self._described(X, labels, known, seconds)

    def work(self, table: Table, rng: np.random.Generator) -> Result | None:
        """What there is to tell of how the groups of a table are found, beside what they are; of most methods nothing."""
        return None

    def solve(self, X: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, float]:
        """The groups after refinement, and an SSE that none can go below (0 where nothing is proven)."""
        return self.refined(X, self.group(X, rng), rng), 0.0

    def solve_columns(
        self, X: np.ndarray, rng: np.random.Generator, columns: Measured
    ) -> tuple[np.ndarray, float]:
        """`solve`, for a method that has to know what the columns are called or measured in."""
        return self.solve(X, rng)

    def refined(self, X: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The groups after as much refinement as was asked for."""
        if not (self.refine_seconds or self.refine_steps):
            return labels
        return refined(X, labels, self.k, rng, seconds=self.refine_seconds, steps=self.refine_steps)

    def _measured(self, names: tuple[str, ...], scales: ColumnScales) -> Measured:
        return Measured(names, scales.unit_after(self.standardise))

    def _labels(self, X: np.ndarray, rng: np.random.Generator, columns: Measured) -> tuple[np.ndarray, float]:
        n = len(X)
        check_enough(self.name, self.k, n)
        if n < 2 * self.k:
            return np.zeros(n, np.int64), squares(X, np.zeros(n, np.int64))
        if self.k == 1:
            return np.arange(n), 0.0
        if self.grows > 1:
            # other random numbers: what is told must not change what is drawn
            method = self.of_many()
            tell_time_ahead(
                self.name, X, self.grows, lambda some: method.group(some, np.random.default_rng(0))
            )
        return self.solve_columns(X, rng, columns)

    def _described(self, X: np.ndarray, labels: np.ndarray, least: float | None, seconds: float) -> Partition:
        sse, sst = squares(X, labels), squares(X, np.zeros(len(X), np.int64))
        sizes = np.bincount(labels)
        return Partition(
            labels=labels,
            points=principal_plane(X),
            k=self.k,
            groups=len(sizes),
            smallest=int(sizes.min()),
            largest=int(sizes.max()),
            sse=sse,
            sst=sst,
            il=100 * sse / sst if sst > 0 else 0.0,
            lower_bound=None if least is None else (100 * min(least, sse) / sst if sst > 0 else 0.0),
            seconds=seconds,
        )

    def _weights(self, table: Table) -> np.ndarray:
        name = table.schema.weight
        if not name:
            raise DataError(f"{self.name}: weighted needs an attribute with the role weight. Got none.")
        weights = table.numbers([name])[:, 0]
        if np.isnan(weights).any() or (weights < 0).any():
            raise DataError(f"{self.name}: column {name}: weights must be present and not negative.")
        return weights
