"""Population uniques: records that are alone of their kind in the population, by models of how kinds are spread."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln

from sfumato.core import param
from sfumato.measures._contract import Files, Judged
from sfumato.measures._population import PopulationMeasure
from sfumato.measures.statistics.contract import Statistic
from sfumato.measures.statistics.key_classes import Classes, KeyClasses

SMALL_FRACTION = 0.1


class PopulationUniques(PopulationMeasure):
    """Percent of people who are alone with their key values in the population, estimated from the masked file.

    It is also the percent of records that are expected to be population uniques. Of the J combinations of the file, s_j
    occur j times; n records are the share π of N = n / π people. The number U of population uniques is

    - zayatz: s₁ P / π, where P = (s₁ π / J) / Σ_j (s_j / J) h_j is the probability that a combination which occurs once
      in the file does so in the population, and h_j that of drawing exactly one of j people into it (hypergeometric);
    - pitman: the expected number of singletons of N people under the Ewens–Pitman model, N Γ(θ + 1) Γ(θ + α + N − 1) /
      (Γ(θ + α) Γ(θ + N)), with the θ and α that make the s_j most likely;
    - snb: K β^α, where a combination has 1 + X people with X negative binomial (α, β), K of them in the population, by
      the moments of N, J and s₁ where each person is drawn with probability π;
    - dankar: pitman where π is at most 0.1, else the smaller of zayatz and snb.

    π is the `fraction` if given, else the number of records per people the declared weights stand for; without either
    the file is the population, and U = s₁. 0 is nobody alone, 100 everybody. The parts are in percent the estimate of
    each model, `sample_uniques`, `fraction` (100 π), and the number `expected` of records that are population uniques. A
    missing value is a value like others, and so is each code declared for one. It does not see who is alone: every
    sample unique is as likely as others; and records masked with error look rarer than the people they came from.

    Source: Zayatz (1991); Hoshino (2001), *Applying Pitman's sampling formula to microdata disclosure risk assessment*;
    Chen & Keller-McNulty (1998), *Estimation of identification disclosure risk in microdata*; the choice: Dankar,
    El Emam, Neisa & Roffey (2012), *Estimating the re-identification risk of clinical data sets*.

    >>> from sfumato.data import Attribute, Schema, Table
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=tuple("abcde"))
    >>> file = Table(Schema([town]), {"town": np.array([0, 0, 0, 1, 1, 2, 3, 4])})
    >>> parts = PopulationUniques(fraction=0.5).bind(file).score(file).parts
    >>> {name: round(parts[name], 1) for name in ("sample_uniques", "zayatz")}
    {'sample_uniques': 37.5, 'zayatz': 23.1}
    """

    model: str = param(
        default="dankar",
        choices=("dankar", "zayatz", "pitman", "snb"),
        help="how combinations are spread over people",
    )
    fraction: float | None = param(
        default=None,
        low=0.000001,
        high=1,
        help="share of the population in the file (default: by the weights)",
    )

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        knows = self.fraction is None and self.knows_people(files.original)
        return (KeyClasses(files.names, people=knows),)

    def value(self, files: Files, *found: Classes) -> Judged:
        sizes = _sizes(found[0])
        people = max(float(sum(part.people @ _number(part) for part in found[0].chunks())), sizes.records)
        fraction = min(1.0, files.n / people if self.fraction is None else self.fraction)
        shares = {name: 100 * _share(model, sizes, fraction) for name, model in MODELS.items()}
        small = fraction <= SMALL_FRACTION
        shares["dankar"] = shares["pitman"] if small else min(shares["zayatz"], shares["snb"])
        parts = {
            **shares,
            "sample_uniques": 100 * sizes.uniques / files.n,
            "fraction": 100 * fraction,
            "expected": shares[self.model] / 100 * files.n,
        }
        return shares[self.model], parts


class ClassSizes(NamedTuple):
    """How many combinations occur how often."""

    size: np.ndarray
    number: np.ndarray

    @property
    def records(self) -> float:
        return float(self.size @ self.number)

    @property
    def classes(self) -> float:
        return float(self.number.sum())

    @property
    def uniques(self) -> float:
        return float(self.number[self.size == 1].sum())


def _number(classes: Classes) -> np.ndarray:
    """How many combinations each entry stands for."""
    number: np.ndarray = classes.records / classes.occurs
    return number


def _sizes(classes: Classes) -> ClassSizes:
    found: dict[int, float] = {}
    for part in classes.chunks():
        sizes, at = np.unique(part.occurs, return_inverse=True)
        for size, number in zip(sizes.tolist(), np.bincount(at, _number(part)).tolist(), strict=True):
            found[size] = found.get(size, 0.0) + number
    order = sorted(found)
    return ClassSizes(np.array(order, float), np.array([found[size] for size in order]))


def _share(model: Callable[[ClassSizes, float], float], sizes: ClassSizes, fraction: float) -> float:
    """The share of people who are alone; at most that of the file, where the file is the population."""
    if fraction == 1 or not sizes.uniques:
        return sizes.uniques / sizes.records
    return min(1.0, max(0.0, model(sizes, fraction) * fraction / sizes.records))


def zayatz(sizes: ClassSizes, fraction: float) -> float:
    """The number of population uniques, from the sizes of combinations in the file taken as those of the population."""
    n = sizes.records
    N = n / fraction
    j = sizes.size
    left = np.maximum(N - n - (j - 1), 0.0)  # people outside, but for those of the combination
    with np.errstate(divide="ignore"):
        logs = np.log(j) + _log_choose(N - j, n - 1, left) - _log_choose(N, n, N - n)
    drawn_once = np.where(N - n >= j - 1, np.exp(logs), 0.0)
    shares = sizes.number / sizes.classes
    alone = shares[j == 1].sum() * fraction / float(shares @ drawn_once)
    return float(sizes.uniques * alone / fraction)


def _log_choose(n: np.ndarray | float, k: float, rest: np.ndarray | float) -> np.ndarray:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(rest + 1))


def pitman(sizes: ClassSizes, fraction: float) -> float:
    """The expected number of singletons of the Ewens–Pitman model that is most likely."""
    N = sizes.records / fraction
    theta, alpha = pitman_parameters(sizes)
    logs = gammaln(theta + 1) - gammaln(theta + alpha) + gammaln(theta + alpha + N - 1) - gammaln(theta + N)
    return float(N * np.exp(logs))


def pitman_parameters(sizes: ClassSizes) -> tuple[float, float]:
    """The most likely θ and α, with 0 < α < 1 and θ > 0.

    log L = Σ_(i < J) log(θ + iα) − Σ_(i < n) log(θ + i) + Σ_j s_j Σ_(i < j) log(i − α).
    """
    n, J = sizes.records, sizes.classes

    def unlikely(at: np.ndarray) -> float:
        theta, alpha = math.exp(at[0]), 1 / (1 + math.exp(-at[1]))
        steps = (J - 1) * math.log(alpha) + gammaln(theta / alpha + J) - gammaln(theta / alpha + 1)
        within = float(sizes.number @ (gammaln(sizes.size - alpha) - gammaln(1 - alpha)))
        return -float(steps - gammaln(theta + n) + gammaln(theta + 1) + within)

    bounds = [(-12.0, 25.0), (-14.0, 14.0)]
    starts = [(math.log(J), -1.0), (0.0, 1.0)]
    found = [minimize(unlikely, start, method="L-BFGS-B", bounds=bounds) for start in starts]
    best = min(found, key=lambda one: float(one.fun))
    return math.exp(best.x[0]), 1 / (1 + math.exp(-best.x[1]))


def snb(sizes: ClassSizes, fraction: float) -> float:
    """K β^α of the slide negative binomial that has as many people, combinations and sample uniques."""
    N = sizes.records / fraction
    seen, alone = sizes.classes, sizes.uniques

    def moments(at: np.ndarray) -> tuple[float, float, float]:
        alpha, beta = math.exp(at[0]), 1 / (1 + math.exp(-at[1]))
        K = N / (1 + alpha * (1 - beta) / beta)
        rest = 1 - (1 - beta) * (1 - fraction)
        tail = (beta / rest) ** alpha
        present = K * (1 - (1 - fraction) * tail)
        once = K * fraction * tail * (1 + alpha * (1 - fraction) * (1 - beta) / rest)
        return present, once, K * beta**alpha

    def miss(at: np.ndarray) -> float:
        present, once, _ = moments(at)
        return (math.log(present / seen)) ** 2 + (math.log(max(once, 1e-300) / alone)) ** 2

    bounds = [(-12.0, 8.0), (-16.0, 10.0)]
    starts = [(-1.0, -4.0), (0.0, -1.0), (-1.0, 1.0)]
    found = [minimize(miss, start, method="L-BFGS-B", bounds=bounds) for start in starts]
    best = min(found, key=lambda one: float(one.fun))
    return moments(best.x)[2]


MODELS: dict[str, Callable[[ClassSizes, float], float]] = {"zayatz": zayatz, "pitman": pitman, "snb": snb}
