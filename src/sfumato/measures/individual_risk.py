"""Individual risk: how likely records are to be found in the population they were drawn from."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from sfumato.core import param
from sfumato.core.method import Aliases
from sfumato.data import Table
from sfumato.kernels.population_risk import individual_risk, sampled_share
from sfumato.measures._contract import Bound, Files, Judged, StatisticBound
from sfumato.measures._population import MatchingMeasure, PopulationBound, people_of
from sfumato.measures._tracking import Tracker
from sfumato.measures.statistics.key_classes import TOGETHER, Classes, ClassTracker

STEPS = 100  # towards a threshold; a handful is enough
ROUNDING = 1e-12


class IndividualRisk(MatchingMeasure):
    """100 · mean over records of the individual risk r_k: the expected share of records that are found.

    A record whose combination of key values occurs f_k times in the masked file and F_k times in the
    population is found with probability 1 / F_k. Where a survey weight is declared, which says how many people a
    record stands for, F_k is not known but estimated: given f_k it is taken as negative binomial with success
    probability p_k = f_k / Σ weights of the combination (at most 1), and

        r_k = E(1 / F_k | f_k) = (p_k / f_k) · ₂F₁(1, 1; f_k + 1; 1 − p_k),

    which is p / (1 − p) · ln(1 / p) for a sample unique. It is a population unique with probability p_k. The
    weights are those of the original, as they stand. Without a declared weight, or with `weighted=false`, the file
    is the population, F_k = f_k. With `missing="category"` a missing value is a value like others, and so is each
    code declared for one; with `"any"` it matches every value.

    0 is nobody to be found, 100 everybody; a limit of 0.1 is one record in a thousand. The parts are, in percent
    of the records, `sample_uniques` and the expected `population_uniques`; `above`, the records whose risk is
    above the `threshold`; `unweighted`, the value if the file were the population; `largest`, the greatest
    individual risk in percent; `expected`, the number of records expected to be found; and `threshold`, the
    largest individual risk in percent that may be let stand for the value to be at most `wanted`, where all
    riskier records are brought down to it. It does not see wrong keys: masking that changes values without
    making them more common counts for nothing, nor what is learned of people who are not found.

    Source: Benedetti & Franconi (1998), as in Hundepool et al. (2012), *Statistical Disclosure Control*, §3.3.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("a", "b"))
    >>> weight = Attribute(name="weight", scale="numeric", role="weight")
    >>> file = Table(Schema([town, weight]), {"town": np.array([0, 0, 1]), "weight": np.array([5.0, 15.0, 10.0])})
    >>> IndividualRisk(weighted=False).bind(file).score(file).parts["expected"]  # half of each a, and b
    2.0
    >>> bound = IndividualRisk().bind(file)
    >>> bound.records(file).round(3).tolist(), round(bound.score(file).parts["population_uniques"], 2)
    ([0.083, 0.083, 0.256], 3.33)
    """

    aliases: ClassVar[Aliases] = {"uniqueness": {}, "Benedetti-Franconi": {}}

    threshold: float = param(
        default=10.0, low=0, high=100, help="risk in percent above which records are counted"
    )
    wanted: float = param(
        default=1.0, low=0, high=100, help="value in percent that a threshold is looked for, to reach it"
    )

    def value(self, files: Files, *found: Classes) -> Judged:
        risks = _Risks(found[0])
        expected = sample = population = largest = above = unweighted = 0.0
        for classes, risk in risks:
            alone = np.where(classes.occurs == 1, classes.records, 0)
            expected += float(classes.records @ risk)
            sample += float(alone.sum())
            population += float(alone @ sampled_share(classes.occurs, classes.people))
            largest = max(largest, float(risk.max()))
            above += float(classes.records @ (risk > self.threshold / 100 + ROUNDING))
            unweighted += float(classes.records @ (1 / classes.occurs))
        parts = {
            "sample_uniques": 100 * sample / files.n,
            "population_uniques": 100 * population / files.n,
            "above": 100 * above / files.n,
            "unweighted": 100 * unweighted / files.n,
            "largest": 100 * largest,
            "expected": expected,
            "threshold": 100 * _threshold(risks, self.wanted / 100 * files.n, largest),
        }
        return 100 * expected / files.n, parts

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return BoundIndividualRisk(self, original, names)

    def tracker(self, bound: StatisticBound, masked: Table) -> Tracker | None:
        """Keeps the classes; where a missing value matches any, each change is judged from the start."""
        if self.matches_any:
            return None
        if not self.knows_people(bound.original.schema):
            return ClassTracker(bound, masked, np.ones(masked.n), lambda count, people: 1.0)
        return ClassTracker(bound, masked, people_of(bound.original, self), _expected)


class BoundIndividualRisk(PopulationBound):
    """The measure with the weights; it also tells the risk of each record."""

    def records(self, masked: Table) -> np.ndarray:
        """The individual risk of each record, from 0 to 1."""
        found, labels = self.labelled(masked)
        risk: np.ndarray = individual_risk(found.occurs, found.people)[labels]
        return risk


class _Risks:
    """Classes in pieces that fit into memory, each with the risks of its records; found anew where there are many."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self.held = list(self._found()) if len(classes.occurs) <= TOGETHER else None

    def __iter__(self) -> Iterator[tuple[Classes, np.ndarray]]:
        return self._found() if self.held is None else iter(self.held)

    def _found(self) -> Iterator[tuple[Classes, np.ndarray]]:
        for piece in self.classes.chunks():
            yield piece, individual_risk(piece.occurs, piece.people)


def _threshold(risks: _Risks, wanted: float, largest: float) -> float:
    """The largest t with Σ over records of min(r, t) at most as wanted; the largest risk if all may stay.

    The sum is concave in t, so that Newton's steps from below never go too far.
    """
    t = 0.0
    for _ in range(STEPS):
        total, higher = 0.0, 0.0
        for piece, risk in risks:
            total += float(piece.records @ np.minimum(risk, t))
            higher += float(piece.records @ (risk > t))
        step = (wanted - total) / higher if higher else 0.0
        if not higher or step <= ROUNDING * t:
            break
        t = min(t + step, largest)
    return t


def _expected(count: int, people: float) -> float:
    """How many records of a class are expected to be found."""
    return count * float(individual_risk(np.array([count]), np.array([people]))[0])
