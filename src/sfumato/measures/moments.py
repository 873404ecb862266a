"""Moments: mean variation of values, means, variances, covariances and correlations."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from sfumato.core import Aliases, param
from sfumato.data import Schema
from sfumato.kernels.moments import variations
from sfumato.measures._contract import Files, Judged, Measure
from sfumato.measures.statistics.contract import BoundStatistic, Part, Statistic
from sfumato.measures.statistics.pair_moments import PairMoments
from sfumato.measures.statistics.record_sums import Reader, RecordSums
from sfumato.measures.statistics.spreads import Spreads, Units

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

    It does not see categories, relations that are not linear, or who has which value.

    Source: Fayyoumi, *thesis*, §4.4, Table 4.1, eq. 4.2 and its two footnotes; Balasch, *thesis*, §1.2.

    >>> from sfumato.data import Attribute, Schema, Table
    >>> x = Attribute(name="x", scale="numeric", role="key")
    >>> original = Table(Schema([x]), {"x": [1.0, 2.0, 4.0, 5.0]})
    >>> masked = original.replace({"x": [1.5, 1.5, 4.5, 4.5]})
    >>> {part: round(loss, 2) for part, loss in Moments().bind(original).score(masked).parts.items()}
    {'m1': 24.38, 'm2': 0.0, 'm3': 10.0, 'm4': 10.0}
    """

    aliases: ClassVar[Aliases] = {"G_IL": {}}

    sense = "loss"
    scales = ("numeric",)
    bounded = False

    family: str = param(
        default="fayyoumi", choices=("fayyoumi", "balasch"), help="whose five measures of discrepancy"
    )

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        before, after = (PairMoments(files.names, self.weighted, masked) for masked in (False, True))
        data = Discrepancies(files.names, self.weighted, self.family == "fayyoumi")
        return Spreads(files.names), before, data, after

    def value(self, files: Files, *found: Any) -> Judged:
        units, before, data, after = found
        mean = float(data[0]) / (files.n * len(files.names))
        return _discrepancies(self.family, units, mean, (before.moments(), after.moments()))


@dataclass(frozen=True)
class Discrepancies(Statistic):
    """The sum of the discrepancies of all cells: variations, or absolute errors in standard deviations."""

    names: tuple[str, ...]
    weighted: bool
    relative: bool

    @property
    def needs(self) -> tuple[Statistic, ...]:
        return (*super().needs, Spreads(self.names))

    def bound(self, original: Part) -> BoundStatistic:
        return _BoundDiscrepancies(self, original)


class _BoundDiscrepancies(RecordSums):
    def __init__(self, statistic: Discrepancies, original: Part) -> None:
        super().__init__(statistic, original, statistic.names, weighted=statistic.weighted)
        self.units: Units = original.known[Spreads(statistic.names)]
        self.place = {name: j for j, name in enumerate(statistic.names)}

    def readers(self, masked: Schema) -> Mapping[str, Reader]:
        return {name: partial(self._discrepancy, name) for name in self.names}

    def _discrepancy(self, name: str, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        known = self.original.table[name][rows]
        if self.statistic.relative:
            return variations(known, values.astype(float), 0.0)[:, None]
        j = self.place[name]
        z, masked = ((x - self.units.centre[j]) / self.units.spread[j] for x in (known, values))
        error: np.ndarray = np.abs(np.nan_to_num(z) - np.nan_to_num(masked))[:, None]
        return error

    def terms(self, cells: np.ndarray, rows: np.ndarray) -> np.ndarray:
        terms: np.ndarray = cells.sum(1)
        return terms if self.weights is None else terms * self.weights[rows, None]


def _discrepancies(family: str, units: Units, data: float, files: tuple[np.ndarray, np.ndarray]) -> Judged:
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
