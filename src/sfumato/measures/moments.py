"""Moments: mean variation of values, means, variances, covariances and correlations."""

from collections.abc import Mapping
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from sfumato.core import param
from sfumato.data import Scale, Table
from sfumato.kernels.moments import variations
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._moments import RunningMoments, Units, moments, units_of
from sfumato.measures._records import Reader, RecordTracker, RecordwiseBound
from sfumato.measures._tracking import Change, Tracker

NOTHING = 1e-12  # a standardised statistic this small is zero


class Moments(Measure):
    """G_IL = 100 · (M1 + M2 + M3 + M4 + M5) / 5, the mean variation |θ − θ'| / |θ| of data and moments.

    M1 is the mean over all cells, M2 over means, M3 over variances, M4 over variances and covariances, and
    M5 the mean absolute difference of correlations. Two rules for zeros: |θ − θ'| is divided by |θ'| where
    θ = 0 and θ' is not, and adds nothing where both are 0. Not bounded: a moment near 0 counts for much.

    `family = "balasch"`: IL1, the mean absolute error of the data, in standard deviations of the original
    so that units do not matter; IL2 means; IL3 covariance matrix, its diagonal included; IL4 variances; IL5
    correlations, here as variations |r − r'| / |r|.

    Moments use the values that are present, those of pairs the records where both are, and are divided by n.
    A cell that is missing on one side only varies by 1 (in IL1 it is the mean of the attribute), on both
    sides by 0; a moment that exists on one side only varies by 1, and a correlation with a constant is 0. A
    single attribute has no correlations: the mean is then over four. With `weighted`, cells and moments are
    weighted. The parts are `m1` … `m5` (or `il1` … `il5`) in percent: the value is their mean.

    Source: Fayyoumi, *thesis*, §4.4, Table 4.1, eq. 4.2 and its two footnotes; Balasch, *thesis*, §1.2.

    >>> from sfumato.data import Attribute, Schema
    >>> x = Attribute(name="x", scale="numeric", role="key")
    >>> original = Table(Schema([x]), {"x": [1.0, 2.0, 4.0, 5.0]})
    >>> masked = original.replace({"x": [1.5, 1.5, 4.5, 4.5]})
    >>> {part: round(loss, 2) for part, loss in Moments().bind(original).score(masked).parts.items()}
    {'m1': 24.38, 'm2': 0.0, 'm3': 10.0, 'm4': 10.0}
    """

    sense: ClassVar[Literal["loss", "risk"]] = "loss"
    scales: ClassVar[tuple[Scale, ...]] = ("numeric",)
    bounded: ClassVar[bool] = False

    family: str = param(
        default="fayyoumi", choices=("fayyoumi", "balasch"), help="whose five measures of discrepancy"
    )

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Compute the moments of the original."""
        return BoundMoments(self, original, names)


class BoundMoments(Bound):
    """The moments of the original, and how its cells are compared."""

    def __init__(self, measure: Moments, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.family = measure.family
        self.units = units_of(original, names)
        self.data = BoundData(measure, original, names, self.units)
        self.moments = moments(self.units.standardised(original.numbers(names)), self.weights)

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        """The mean of the five, and each of them."""
        z = self.units.standardised(masked.numbers(self.names))
        return self.summary(self.data.judge(masked)[0], moments(z, self.weights))

    def summary(self, data: float, found: np.ndarray) -> tuple[float, dict[str, float]]:
        """The value and its parts, from the discrepancy of the data and the moments of the masked file."""
        return discrepancies(self.family, self.units, data, (self.moments, found))

    def track(self, masked: Table) -> Tracker:
        """Keep the cells and the pair sums; weighted files are judged anew at each change."""
        if self.weights is not None or not masked.n:
            return super().track(masked)
        self._check(masked)
        return _MomentsTracker(self, masked)


class BoundData(RecordwiseBound):
    """The mean discrepancy of cells."""

    def __init__(
        self,
        measure: Moments,
        original: Table,
        names: tuple[str, ...],
        units: Units,
        weights: np.ndarray | None = None,
    ) -> None:
        super().__init__(measure, original, names, weights)
        self.fayyoumi, self.units = measure.family == "fayyoumi", units
        self.place = {name: j for j, name in enumerate(names)}

    def readers(self, masked: Table) -> Mapping[str, Reader]:
        """The discrepancy of each cell."""
        return {name: partial(self._discrepancy, name) for name in self.names}

    def _discrepancy(self, name: str, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        known = self.original[name][rows]
        if self.fayyoumi:
            return variations(known, values.astype(float), 0.0)[:, None]
        j = self.place[name]
        z, masked = ((x - self.units.centre[j]) / self.units.spread[j] for x in (known, values))
        error: np.ndarray = np.abs(np.nan_to_num(z) - np.nan_to_num(masked))[:, None]
        return error

    def terms(self, cells: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """That of each record."""
        terms: np.ndarray = cells.sum(1)
        return terms if self.weights is None else terms * self.weights[rows, None]

    def summary(self, sums: np.ndarray) -> tuple[float, dict[str, float]]:
        """The mean over cells."""
        return float(sums[0]) / (self.original.n * len(self.names)), {}


def discrepancies(
    family: str, units: Units, data: float, files: tuple[np.ndarray, np.ndarray]
) -> tuple[float, dict[str, float]]:
    """The value and its parts, from the discrepancy of the data and the moments of both files."""
    fayyoumi = family == "fayyoumi"
    means, variances, covariances, correlations = _variations(units, *files, fayyoumi=fayyoumi)
    order = [data, means, variances, covariances, correlations]
    if not fayyoumi:
        order[2], order[3] = covariances, variances
    letter = "m" if fayyoumi else "il"
    existing = order if len(units.centre) > 1 else order[:4]
    parts = {f"{letter}{i}": 100 * value for i, value in enumerate(existing, 1)}
    return sum(parts.values()) / len(parts), parts


def _variations(units: Units, before: np.ndarray, after: np.ndarray, *, fayyoumi: bool) -> list[float]:
    d = len(units.centre)
    with_diagonal, pairs = np.triu_indices(d), np.triu_indices(d, 1)
    zero = units.centre / units.spread  # means are kept as deviations from the original ones
    old, new = ((m[0].diagonal() + zero, m[1].diagonal(), m[2][with_diagonal]) for m in (before, after))
    varied = [float(variations(a, b, NOTHING).mean()) for a, b in zip(old, new, strict=True)]
    r, masked_r = (np.where(np.isnan(m[3][pairs]), 0.0, m[3][pairs]) for m in (before, after))
    apart = np.abs(r - masked_r) if fayyoumi else variations(r, masked_r, NOTHING)
    return [*varied, float(apart.sum()) / max(len(r), 1)]


class _MomentsTracker(Tracker):
    def __init__(self, bound: BoundMoments, masked: Table) -> None:
        self.bound = bound
        self.place = {name: j for j, name in enumerate(bound.names)}
        self.data = RecordTracker(bound.data, masked)
        self.running = RunningMoments(bound.units, masked.numbers(bound.names))
        super().__init__(bound.summary(self.data.value, self.running.statistics)[0])

    def propose(self, change: Change) -> float:
        columns = {self.place[n]: v for n, v in change.columns.items() if n in self.place}
        data = self.data.propose(change)
        return self.bound.summary(data, self.running.propose(change.rows, columns))[0]

    def commit(self) -> None:
        self.data.commit()
        self.running.commit()
