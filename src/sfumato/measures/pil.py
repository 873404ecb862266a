"""PIL: how surely a user would notice that quantiles and moments have changed."""

from typing import Any, NamedTuple

import numpy as np

from sfumato.data import Table
from sfumato.kernels.pil import moment_losses, quantile_losses, quantiles, replace_in_order
from sfumato.measures._contract import Files, Judged, Measure, StatisticBound
from sfumato.measures._tracking import Change, Tracker
from sfumato.measures.statistics.contract import Statistic
from sfumato.measures.statistics.pair_moments import MovedMoments, PairMoments, PairSums
from sfumato.measures.statistics.quantiles import LEVELS, Quantiles
from sfumato.measures.statistics.sampling_errors import Errors, SamplingErrors
from sfumato.measures.statistics.spreads import Spreads, Units

SORTED_ANEW = 24  # a column with more changes than this is sorted again

FAMILIES = ("quantiles", "means", "variances", "covariances", "correlations")


class Pil(Measure):
    """pil(θ) = 100 · 2 · P(0 ≤ N(0, 1) ≤ |θ' − θ| / sd(θ̂)), averaged over five families of statistics θ.

    Probabilistic information loss: θ is the statistic of the original, θ' that of the masked file, and
    sd(θ̂) the asymptotic sampling error of θ. PIL is the mean of five means, from 0 to 100: over the quantiles of
    5, 10, … 95 % of all attributes, their means, their variances, and the covariances and correlations of
    all pairs. Sampling variances are q(1 − q)/(n f²) for quantiles, s²/n for means, (μ4 − s⁴)/n for
    variances, (μ22 − μ11²)/n for covariances, and E(ab − r(a² + b²)/2)²/n for correlations, with a and b
    the standardised values: the general formula in fourth-order moments, in a form that does not divide by r.
    f is a Gaussian kernel density of the original with bandwidth 0.9 · min(s, IQR/1.349) · n^(−1/5).
    Quantiles are interpolated between order statistics; moments are divided by n.

    Where sd(θ̂) is 0, or the statistic exists in one of the files only, an unchanged θ loses 0 and a changed
    one 100. A single attribute has no pairs: the mean is then over three families. Each statistic uses the
    values that are present, and those of pairs the records where both are; missing values themselves cost
    nothing but what they change. With `weighted`, all moments, quantiles and densities are weighted, and n
    is Kish's effective number of records. The parts are the families, and for each attribute the mean of
    the families over the statistics it takes part in (unless it bears the name of a family).

    It does not see categories, relations that are not linear, or columns that are no keys.

    Source: Mateo-Sanz, Domingo-Ferrer & Sebé (2005), *Probabilistic information loss measures in
    confidentiality protection of continuous microdata*; Marés, *thesis*, §4.1.3.

    >>> from sfumato.data import Attribute, Schema
    >>> x = Attribute(name="x", scale="numeric", role="key")
    >>> original = Table(Schema([x]), {"x": np.arange(100.0)})
    >>> masked = original.replace({"x": original["x"][::-1]})  # one attribute: nothing to notice
    >>> Pil().bind(original).score(masked).value
    0.0
    >>> masked = original.replace({"x": original["x"] + 2.8866})  # one standard error of the mean
    >>> round(Pil().bind(original).score(masked).parts["means"], 1)
    68.3
    """

    sense = "loss"
    scales = ("numeric",)

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        before, after = (
            (Quantiles(files.names, self.weighted, masked), PairMoments(files.names, self.weighted, masked))
            for masked in (False, True)
        )
        return *before, SamplingErrors(files.names, self.weighted), *after

    def value(self, files: Files, *found: Any) -> Judged:
        old, sums, errors, new, masked_sums = found
        return Comparison(files.names, old, sums.moments(), errors).judged(new, masked_sums.moments())

    def tracker(self, bound: StatisticBound, masked: Table) -> Tracker | None:
        """Keeps sorted columns and pair sums; weighted files are judged anew at each change."""
        return None if self.weighted else _PilTracker(bound, masked)


class Comparison(NamedTuple):
    """The statistics of the original, in standardised units, with their sampling errors."""

    names: tuple[str, ...]
    quantiles: np.ndarray
    moments: np.ndarray
    errors: Errors

    def judged(self, quantiles: np.ndarray, moments: np.ndarray) -> Judged:
        """The value and its parts, from the statistics of the masked file."""
        by_quantile = np.array([self.lost_quantiles(j, found) for j, found in enumerate(quantiles)])
        by_moment = self.lost_moments(moments)
        families = self.families(by_quantile.mean(1).sum(), by_moment.sum((1, 2)))
        parts = dict(zip(FAMILIES, families, strict=False))
        for j, name in enumerate(self.names):
            if name not in FAMILIES:
                parts[name] = self._part(by_quantile[j].mean(), by_moment[:, j] + by_moment[:, :, j], j)
        return sum(families) / len(families), parts

    def families(self, quantile_sum: float, moment_sums: np.ndarray) -> list[float]:
        """The mean loss of each family that exists, from sums over attributes and over pairs."""
        d = len(self.names)
        counts = (d, d, d * (d - 1) // 2, d * (d - 1) // 2)
        return [
            float(quantile_sum / d),
            *(float(s / n) for s, n in zip(moment_sums, counts, strict=True) if n),
        ]

    def lost_quantiles(self, j: int, found: np.ndarray) -> np.ndarray:
        return quantile_losses(found, self.quantiles[j], self.errors.quantiles[j])

    def lost_moments(self, found: np.ndarray) -> np.ndarray:
        """The loss of means, variances, covariances and correlations, as square matrices."""
        return moment_losses(found, self.moments, self.errors.moments)

    def _part(self, by_quantile: float, touching: np.ndarray, j: int) -> float:
        """The mean of the families over the statistics of one attribute; each diagonal was added twice."""
        others = len(self.names) - 1
        own = [by_quantile, touching[0, j] / 2, touching[1, j] / 2]
        shared = [touching[2].sum() / others, touching[3].sum() / others] if others else []
        return float(np.mean(own + shared))


class _PilTracker(Tracker):
    """Sorted columns and running sums: a cell costs its quantiles, and the moments of its pairs."""

    def __init__(self, bound: StatisticBound, masked: Table) -> None:
        old, sums, errors = (bound.known[one] for one in bound.statistics[:3])
        self.original = Comparison(bound.names, old, sums.moments(), errors)
        self.place = {name: j for j, name in enumerate(bound.names)}
        self.units: Units = bound.known[Spreads(bound.names)]
        self.running = MovedMoments(self.units, bound.names, masked)
        z = self.units.standardised(self.running.values)
        self.ordered = np.sort(z.T, axis=1)
        self.counts = [int(np.count_nonzero(~np.isnan(column))) for column in self.ordered]
        self.lost = np.zeros(len(bound.names))
        for j in self.place.values():
            self.lost[j] = self._lost(j, self.ordered[j], self.counts[j])
        self.columns: dict[int, tuple[np.ndarray, int, float]] = {}
        super().__init__(self._value(self.lost, self.running.now))

    def propose(self, change: Change) -> float:
        values = {self.place[n]: v for n, v in change.columns.items() if n in self.place}
        self.columns = {j: self._reordered(j, change.rows, new) for j, new in values.items()}
        found = self.running.propose(change)
        lost = self.lost.copy()
        for j, (_, _, loss) in self.columns.items():
            lost[j] = loss
        return self._value(lost, found)

    def commit(self) -> None:
        for j, (ordered, count, loss) in self.columns.items():
            self.ordered[j], self.counts[j], self.lost[j] = ordered, count, loss
        self.running.commit()

    def _reordered(self, j: int, rows: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, int, float]:
        units, values = self.units, self.running.values[:, j]
        if len(rows) > SORTED_ANEW:
            values = values.copy()
            values[rows] = new
            ordered = np.sort((values - units.centre[j]) / units.spread[j])
            count = int(np.count_nonzero(~np.isnan(ordered)))
        else:
            before, after = ((x - units.centre[j]) / units.spread[j] for x in (values[rows], np.asarray(new)))
            ordered = self.ordered[j].copy()
            count = replace_in_order(ordered, self.counts[j], before, after)
        return ordered, count, self._lost(j, ordered, count)

    def _lost(self, j: int, ordered: np.ndarray, count: int) -> float:
        return float(self.original.lost_quantiles(j, quantiles(ordered, count, LEVELS)).mean())

    def _value(self, lost: np.ndarray, found: PairSums) -> float:
        by_moment = self.original.lost_moments(found.moments())
        families = self.original.families(lost.sum(), by_moment.sum((1, 2)))
        return float(sum(families) / len(families))
