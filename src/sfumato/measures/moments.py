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
from sfumato.measures._principal_factors import Factors
from sfumato.measures.statistics.contract import BoundStatistic, Part, Statistic
from sfumato.measures.statistics.pair_moments import PairMoments
from sfumato.measures.statistics.record_sums import Reader, RecordSums
from sfumato.measures.statistics.spreads import Spreads, Units

NOTHING = 1e-12  # a standardised statistic this small is zero
MATRICES = {"mean_variation": "variation", "mean_absolute_error": "absolute", "mean_square_error": "square"}
OF_CELLS = {"balasch": "absolute", **MATRICES}  # how the cells of the data are compared, if not by variation


class Moments(Measure):
    """G_IL = 100 · (M1 + M2 + M3 + M4 + M5) / 5, the mean variation |θ − θ'| / |θ| of data and moments.

    M1 is the mean over all cells, M2 over means, M3 over variances, M4 over variances and covariances, and
    M5 the mean absolute difference of correlations. Two rules for zeros: |θ − θ'| is divided by |θ'| where
    θ = 0 and θ' is not, and adds nothing where both are 0. Not bounded: a moment near 0 counts for much.

    `family = "balasch"`: IL1, the mean absolute error of the data, in standard deviations of the original
    so that units do not matter; IL2 means; IL3 covariance matrix, its diagonal included; IL4 variances; IL5
    correlations, here as variations |r − r'| / |r|.

    `family = "mean_variation"`, `"mean_absolute_error"` or `"mean_square_error"`: how far six matrices of both files are apart, cell by cell: X the data, V the covariances (diagonal
    included), R the correlations, RF those of attributes with principal factors, C the communalities of the first factor, and F
    the coefficients of factor scores. The discrepancy of cells is the variation |θ − θ'| / |θ|, or the absolute or square
    error, of values in standard deviations of the original. Factors are those
    of the correlations, in the order of their variance; the sign of a masked one is that nearer to the original.

    Moments use the values that are present, those of pairs the records where both are, and are divided by n.
    A cell that is missing on one side only varies by 1 (in IL1 it is the mean of the attribute), on both
    sides by 0; a moment that exists on one side only varies by 1, and a correlation with a constant is 0. A
    single attribute has no correlations: the mean is then over four. With `weighted`, cells and moments are
    weighted. The parts are `m1` … `m5` (or `il1` … `il5`, or `x`, `v`, `r`, `rf`, `c`, `f`) in percent: the value is their mean.

    It does not see categories, relations that are not linear, or who has which value.

    Source: Fayyoumi, *thesis*, §4.4, Table 4.1, eq. 4.2 and its two footnotes; Balasch, *thesis*, §1.2; matrices:
    Domingo-Ferrer & Torra (2001), as in Fayyoumi, §2.4.2.

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
        default="fayyoumi",
        choices=("fayyoumi", "balasch", *MATRICES),
        help="whose five measures of discrepancy, or how six matrices are compared",
    )

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        before, after = (PairMoments(files.names, self.weighted, masked) for masked in (False, True))
        data = Discrepancies(files.names, self.weighted, OF_CELLS.get(self.family, "variation"))
        return Spreads(files.names), before, data, after

    def value(self, files: Files, *found: Any) -> Judged:
        units, before, data, after = found
        mean = float(data[0]) / (files.n * len(files.names))
        moments = before.moments(), after.moments()
        if self.family in MATRICES:
            return _of_matrices(MATRICES[self.family], mean, *moments)
        return _discrepancies(self.family, units, mean, moments)


@dataclass(frozen=True)
class Discrepancies(Statistic):
    """The sum of the discrepancies of all cells: variations, or absolute or square errors in standard deviations."""

    names: tuple[str, ...]
    weighted: bool
    way: str

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
        if self.statistic.way == "variation":
            return variations(known, values.astype(float), 0.0)[:, None]
        j = self.place[name]
        z, masked = ((x - self.units.centre[j]) / self.units.spread[j] for x in (known, values))
        return _apart(self.statistic.way, z, masked)[:, None]

    def terms(self, cells: np.ndarray, rows: np.ndarray) -> np.ndarray:
        terms: np.ndarray = cells.sum(1)
        return terms if self.weights is None else terms * self.weights[rows, None]


def _apart(way: str, known: np.ndarray, masked: np.ndarray) -> np.ndarray:
    """The discrepancy of each cell."""
    if way == "variation":
        varied: np.ndarray = variations(known, masked, NOTHING)
        return varied
    error: np.ndarray = np.nan_to_num(known) - np.nan_to_num(masked)
    return np.abs(error) if way == "absolute" else error**2


def _of_matrices(way: str, data: float, before: np.ndarray, after: np.ndarray) -> Judged:
    """The value and its parts, from the mean discrepancy of the data and the moments of both files."""
    old, new = (_correlations(moments[3]) for moments in (before, after))
    factors = Factors.of(old)
    masked = Factors.of(new).facing(factors)
    diagonal, pairs = np.triu_indices(len(old)), np.triu_indices(len(old), 1)
    matrices = {
        "v": (before[2][diagonal], after[2][diagonal]),
        "r": (old[pairs], new[pairs]),
        "rf": (factors.loadings.ravel(), masked.loadings.ravel()),
        "c": (factors.communalities, masked.communalities),
        "f": (factors.coefficients.ravel(), masked.coefficients.ravel()),
    }
    parts = {name: 100 * float(_apart(way, *both).mean()) for name, both in matrices.items() if len(both[0])}
    parts = {"x": 100 * data, **parts}
    return sum(parts.values()) / len(parts), parts


def _correlations(upper: np.ndarray) -> np.ndarray:
    """The whole matrix, of which the part above the diagonal is known; a constant is a factor of its own."""
    above = np.triu(np.nan_to_num(upper), 1)
    return np.asarray(above + above.T + np.eye(len(above)))


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
