"""Microaggregation: records are grouped, and each group releases its centroid."""

import time
from abc import abstractmethod
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from sfumato.core import DataError, Result, param
from sfumato.data import Scale, Table
from sfumato.masking._contract import Masking, naming


class Partition(Result):
    """Groups of at least k records, and what it costs to release their centroids.

    SSE is the sum of squared distances of the standardised records to the centroid of their group, SST the
    same with a single group, and IL = 100·SSE/SST. Missing cells count for neither.
    """

    labels: np.ndarray = field(repr=False)
    k: int
    groups: int
    smallest: int
    largest: int
    sse: float
    sst: float
    il: float
    seconds: float

    @property
    def sizes(self) -> np.ndarray:
        """The number of records in each group."""
        return np.bincount(self.labels)

    def _rows(self) -> list[dict[str, Any]]:
        return [{"group": group, "size": int(size)} for group, size in enumerate(self.sizes)]


class Partitioning(Masking):
    """A masking that groups records; a subclass writes `group` on standardised records.

    Missing values do not weigh in the grouping (they stand at the mean). With `missing="keep"` they stay
    missing, so that records of a group differ at most in what is missing; with `"impute"` they take the
    centroid, and records of a group are alike.
    """

    scales: ClassVar[tuple[Scale, ...]] = ("numeric",)

    k: int = param(default=5, low=1, help="smallest number of records in a group")
    standardise: str = param(
        default="zscore", choices=("zscore", "range", "none"), help="scaling before distances"
    )
    missing: str = param(default="keep", choices=("keep", "impute"), help="what becomes of missing values")

    @abstractmethod
    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Labels 0, 1, … of groups of at least k rows of X, which has at least k rows and no NaN."""

    def mask(self, table: Table, names: tuple[str, ...], rng: np.random.Generator) -> Table:
        """Replace each value by the mean of its group, rounded to the declared decimals."""
        values = table.numbers(names)
        labels = self._labels(standardised(values, self.standardise), rng)
        means = group_means(values, labels)[labels]
        if self.missing == "keep":
            means[np.isnan(values)] = np.nan
        return table.replace({n: table.schema[n].conform(means[:, j]) for j, n in enumerate(names)})

    def partition(self, table: Table, rng: np.random.Generator) -> Partition:
        """The groups the method makes, without applying them."""
        names = self.targets(table)
        values = table.numbers(names)
        start = time.perf_counter()
        labels = np.empty(table.n, np.int64)
        groups = 0
        for stratum, rows in table.strata() if table.n else [("", np.arange(0))]:
            with naming(stratum):
                part = self._labels(standardised(values[rows], self.standardise), rng)
            labels[rows] = part + groups
            groups += part.max() + 1
        seconds = time.perf_counter() - start
        X = standardised(values, self.standardise)
        sse, sst = squares(X, labels), squares(X, np.zeros(table.n, np.int64))
        sizes = np.bincount(labels)
        return Partition(
            labels=labels,
            k=self.k,
            groups=int(groups),
            smallest=int(sizes.min()),
            largest=int(sizes.max()),
            sse=sse,
            sst=sst,
            il=100 * sse / sst if sst > 0 else 0.0,
            seconds=seconds,
        )

    def _labels(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        n = len(X)
        if n < self.k:
            raise DataError(f"{self.name}: k = {self.k} needs at least {self.k} records. Got {n}.")
        if n < 2 * self.k:
            return np.zeros(n, np.int64)
        if self.k == 1:
            return np.arange(n)
        return self.group(np.nan_to_num(X), rng)


def standardised(values: np.ndarray, how: str) -> np.ndarray:
    """Columns moved to mean 0 and, unless `how` is none, divided by their standard deviation or range.

    Constants become 0. The mean of the values present is 0 in any case, so that 0 can stand for missing.

    >>> standardised(np.array([[1.0, 7.0], [3.0, 7.0]]), "zscore").tolist()
    [[-0.7071067811865475, 0.0], [0.7071067811865475, 0.0]]
    """
    present = ~np.isnan(values)
    count = np.maximum(present.sum(axis=0), 1)
    span = np.where(present, values, -np.inf).max(axis=0, initial=-np.inf)
    span = span - np.where(present, values, np.inf).min(axis=0, initial=np.inf)
    centred: np.ndarray = values - np.where(present, values, 0).sum(axis=0) / count
    centred[:, span == 0] *= 0  # the mean of equal values may miss them by a rounding error
    if how == "none":
        return centred
    if how == "range":
        spread = span
    else:
        spread = np.sqrt((np.where(present, centred, 0) ** 2).sum(axis=0) / np.maximum(count - 1, 1))
    scaled: np.ndarray = centred / np.where((spread > 0) & np.isfinite(spread), spread, 1)
    return scaled


def group_means(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The mean of each column in each group over the values present; NaN where none is."""
    groups = int(labels.max(initial=-1)) + 1
    means = np.full((groups, values.shape[1]), np.nan)
    for j in range(values.shape[1]):
        present = ~np.isnan(values[:, j])
        x, group = values[present, j], labels[present]
        # deviations from a member of the group, so that equal values have exactly that value as their mean
        means[group, j] = x
        sums = np.bincount(group, weights=x - means[group, j], minlength=groups)
        means[:, j] += sums / np.maximum(np.bincount(group, minlength=groups), 1)
    return means


def squares(X: np.ndarray, labels: np.ndarray) -> float:
    """Sum of squared deviations from the group means, over the values present."""
    if len(X) == 0:
        return 0.0
    return float(np.nansum((X - group_means(X, labels)[labels]) ** 2))
