"""Uniqueness: how likely records are to be unique, or found, in the population they were drawn from."""

import numpy as np
from scipy.special import hyp2f1

from sfumato.core import param
from sfumato.data import Table
from sfumato.measures._contract import Bound, Files, Judged, Measure, StatisticBound
from sfumato.measures._tracking import Tracker
from sfumato.measures.statistics.contract import Part, Statistic
from sfumato.measures.statistics.key_classes import Classes, ClassTracker, KeyClasses, raw_weights

LARGEST_EXACT = 10  # the series of larger frequencies converges fast


class Uniqueness(Measure):
    """100 · mean over records of the individual risk r_k: the expected share of records that are found.

    A record whose combination of key values occurs f_k times in the masked file and F_k times in the
    population is found with probability 1 / F_k. Without weights the file is the population, F_k = f_k.
    With weights, which say how many people a record stands for, F_k is not known but estimated: given f_k
    it is taken as negative binomial with success probability p_k = f_k / Σ weights of the combination (at
    most 1), and

        r_k = E(1 / F_k | f_k) = (p_k / f_k) · ₂F₁(1, 1; f_k + 1; 1 − p_k),

    which is p / (1 − p) · ln(1 / p) for a sample unique. It is a population unique with probability p_k. The
    weights are those of the original, as they stand. With `missing="category"` a missing value is a value
    like others, and so is each code declared for one; with `"any"` it matches every value. From 0 to 100. The
    parts are, in percent of the records, `sample_uniques` and the expected `population_uniques`; `largest`,
    the greatest individual risk in percent; and `expected`, the number of records expected to be found.

    Source: Benedetti & Franconi (1998), as in Hundepool et al. (2012), *Statistical Disclosure Control*, §3.3.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> weight = Attribute(name="weight", scale="numeric", role="weight")
    >>> file = Table(Schema([town, weight]), {"town": np.array([0, 0, 1]), "weight": np.array([5.0, 15.0, 10.0])})
    >>> Uniqueness().bind(file).score(file).parts["expected"]  # half of each a, and b
    2.0
    >>> bound = Uniqueness(weighted=True).bind(file)
    >>> bound.records(file).round(3).tolist(), round(bound.score(file).parts["population_uniques"], 2)
    ([0.083, 0.083, 0.256], 3.33)
    """

    sense = "risk"

    missing: str = param(default="category", choices=("category", "any"), help="what a missing value is like")

    def statistics(self, files: Files) -> tuple[Statistic, ...]:
        return (KeyClasses(files.names, self.missing == "any", people=self.weighted),)

    def value(self, files: Files, *found: Classes) -> Judged:
        expected = sample = population = largest = 0.0
        for classes in found[0].chunks():
            f, F = classes.occurs, classes.people
            risk, alone = individual_risk(f, F), np.where(f == 1, classes.records, 0)
            expected += float(classes.records @ risk)
            sample += float(alone.sum())
            population += float(alone @ sampled_share(f, F))
            largest = max(largest, float(risk.max()))
        parts = {
            "sample_uniques": 100 * sample / files.n,
            "population_uniques": 100 * population / files.n,
            "largest": 100 * largest,
            "expected": expected,
        }
        return 100 * expected / files.n, parts

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return BoundUniqueness(self, original, names)

    def tracker(self, bound: StatisticBound, masked: Table) -> Tracker | None:
        """Keeps the classes; where a missing value matches any, each change is judged from the start."""
        if self.missing == "any":
            return None
        if not self.weighted:
            return ClassTracker(bound, masked, np.ones(masked.n), lambda count, people: 1.0)
        return ClassTracker(bound, masked, raw_weights(Part(bound.original)), _expected)


class BoundUniqueness(StatisticBound):
    """The measure with the weights; it also tells frequencies and risk of each record."""

    def frequencies(self, masked: Table) -> tuple[np.ndarray, np.ndarray]:
        """f_k and the estimated F_k of each record: how often it occurs in the file and in the population."""
        found, labels = self._labelled(masked)
        return found.occurs[labels], found.people[labels].astype(float)

    def records(self, masked: Table) -> np.ndarray:
        """The individual risk of each record, from 0 to 1."""
        found, labels = self._labelled(masked)
        risk: np.ndarray = individual_risk(found.occurs, found.people)[labels]
        return risk

    def _labelled(self, masked: Table) -> tuple[Classes, np.ndarray]:
        self.check(masked)
        (classes,) = self.statistics
        assert isinstance(classes, KeyClasses)
        return classes.labelled(Part(self.original), masked)


def individual_risk(f: np.ndarray, F: np.ndarray) -> np.ndarray:
    """E(1 / F_k | f_k) from frequencies in the file and estimated ones in the population.

    >>> individual_risk(np.array([1, 2]), np.array([1.0, 2.0])).tolist()
    [1.0, 0.5]
    """
    p = sampled_share(f, F)
    risk: np.ndarray = (
        p
        / f
        * np.where(
            f < LARGEST_EXACT, hyp2f1(1.0, 1.0, np.minimum(f, LARGEST_EXACT) + 1.0, 1 - p), _series(f, 1 - p)
        )
    )
    return risk


def _expected(count: int, people: float) -> float:
    """How many records of a class are expected to be found."""
    return count * float(individual_risk(np.array([count]), np.array([people]))[0])


def _series(f: np.ndarray, q: np.ndarray) -> np.ndarray:
    """₂F₁(1, 1; f + 1; q) = Σ_n n! q^n / ((f + 1) … (f + n)) for large f, where scipy's function overflows."""
    f = np.maximum(f, LARGEST_EXACT)
    term = total = np.ones(len(f))
    for n in range(1, 400):
        term = term * n * q / (f + n)
        total = total + term
        if not np.any(term > 1e-17):
            break
    return total


def sampled_share(f: np.ndarray, F: np.ndarray) -> np.ndarray:
    """The estimated share p_k of a combination's people that are in the file."""
    sampled: np.ndarray = f / np.maximum(F, f)
    return sampled
