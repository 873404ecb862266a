"""PIL: how surely a user would notice that quantiles and moments have changed."""

from typing import ClassVar, Literal

import numpy as np

from sfumato.data import Scale, Table
from sfumato.kernels.pil import moment_losses, quantile_losses, quantiles
from sfumato.measures._contract import Bound, Measure
from sfumato.measures._moments import moments, units_of
from sfumato.measures._pil import LEVELS, PilTracker, sampling_errors, weighted_quantiles
from sfumato.measures._tracking import Tracker

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

    sense: ClassVar[Literal["loss", "risk"]] = "loss"
    scales: ClassVar[tuple[Scale, ...]] = ("numeric",)

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        """Compute the statistics of the original and their sampling errors."""
        return BoundPil(self, original, names)


class BoundPil(Bound):
    """The statistics of the original, in standardised units, with their sampling errors."""

    def __init__(self, measure: Measure, original: Table, names: tuple[str, ...]) -> None:
        super().__init__(measure, original, names)
        self.units = units_of(original, names)
        z = self.units.standardised(original.numbers(names))
        self.quantiles, self.moments = self._quantiles(z), moments(z, self.weights)
        self.quantile_errors, self.moment_errors = sampling_errors(
            z, self.weights, self.quantiles, self.moments
        )

    def judge(self, masked: Table) -> tuple[float, dict[str, float]]:
        """The mean of the families; each family and each attribute is a part."""
        z = self.units.standardised(masked.numbers(self.names))
        return self.compared(self._quantiles(z), moments(z, self.weights))

    def compared(self, quantiles: np.ndarray, moments: np.ndarray) -> tuple[float, dict[str, float]]:
        """The same from the statistics of the masked file."""
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
        """The loss of each quantile of one attribute."""
        return quantile_losses(found, self.quantiles[j], self.quantile_errors[j])

    def lost_moments(self, found: np.ndarray) -> np.ndarray:
        """The loss of means, variances, covariances and correlations, as square matrices."""
        return moment_losses(found, self.moments, self.moment_errors)

    def track(self, masked: Table) -> Tracker:
        """Keep sorted columns and pair sums; weighted files are judged anew at each change."""
        if self.weights is not None or not masked.n:
            return super().track(masked)
        self._check(masked)
        return PilTracker(self, masked)

    def _quantiles(self, z: np.ndarray) -> np.ndarray:
        if self.weights is not None:
            return np.array([weighted_quantiles(column, self.weights) for column in z.T])
        ordered = np.sort(z.T, axis=1)
        counts = np.count_nonzero(~np.isnan(ordered), axis=1)
        return np.array([quantiles(*pair, LEVELS) for pair in zip(ordered, counts, strict=True)])

    def _part(self, by_quantile: float, touching: np.ndarray, j: int) -> float:
        """The mean of the families over the statistics of one attribute; each diagonal was added twice."""
        others = len(self.names) - 1
        own = [by_quantile, touching[0, j] / 2, touching[1, j] / 2]
        shared = [touching[2].sum() / others, touching[3].sum() / others] if others else []
        return float(np.mean(own + shared))
