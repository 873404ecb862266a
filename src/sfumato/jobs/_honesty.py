"""The honesty check: an evolved file is judged by attackers and losses that its search never saw."""

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from sfumato.attacks import Attack, rate_of
from sfumato.core import Result, Seed, SfumatoError, progress, registry, stream
from sfumato.data import Table
from sfumato.measures import Measure, title
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.search.fitness import Yardstick

LOSSES = ("subgroup_means", "regression", "record_distance", "propensity")
ATTACKS: dict[str, dict[str, Any]] = {
    "assignment_linkage": {"method": "assignment_linkage"},
    "mahalanobis_linkage": {"method": "distance_linkage", "distance": "mahalanobis"},
    "learned_linkage": {"method": "learned_linkage"},
}
MOST_APART = 5.0  # points
MOST_ATTACKED = 2000  # records; of larger files, attackers see a sample


class HeldOut(Result):
    """A loss or an attack that was not in the fitness, on the evolved file and on the best one of the start.

    `fitness` and `start_fitness` are what the fitness says of the same files (and records) in the same
    sense. `low` and `high` bound the rate of an attack with 95 % confidence.
    """

    name: str
    sense: str
    value: float
    fitness: float
    start: float
    start_fitness: float
    low: float | None = None
    high: float | None = None

    @property
    def gap(self) -> float:
        """How many points worse than the fitness says."""
        return self.value - self.fitness

    @property
    def start_gap(self) -> float:
        """The same for the best file of the start: what the measures differ by without any search."""
        return self.start - self.start_fitness

    @property
    def warning(self) -> str:
        """A sentence where the two part by more than 5 points, or the search made this worse by as much."""
        if max(self.gap, self.value - self.start) <= MOST_APART:
            return ""
        said = f"{title(self.name)} is {self.value:.1f} % where the fitness says {self.fitness:.1f} %"
        before = f"{self.start:.1f} % where the fitness said {self.start_fitness:.1f} %"
        if self.value - self.start > MOST_APART:
            return f"{said}, and the search made it worse: in the best file of the start it was {before}."
        if self.gap - self.start_gap > MOST_APART:
            return (
                f"{said}: the score fell more than this did. In the best file of the start it was {before}."
            )
        return (
            f"{said}; in the best file of the start it was {before}, so that the measures differ, "
            "and the search has not parted them further."
        )

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "gap": self.gap, "start_gap": self.start_gap}


class Honesty(Result):
    """What an evolved file is worth by yardsticks it was not made for.

    `attacked` is the number of records the attackers tried, a random sample of a large file; `left_out`
    says in a sentence each what could not be asked.
    """

    drawn_by: ClassVar[str] = "honesty"

    loss: float
    risk: float
    start_loss: float
    start_risk: float
    measures: tuple[HeldOut, ...]
    in_fitness: tuple[str, ...]
    records: int
    attacked: int
    left_out: tuple[str, ...] = field(default=())

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(one.warning for one in self.measures if one.warning)

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "warnings": list(self.warnings)}

    def _rows(self) -> list[dict[str, Any]]:
        return [one.to_dict() for one in self.measures]


def honesty(original: Table, evolved: Table, start: Table, *, fitness: Yardstick, seed: Seed = 0) -> Honesty:
    """Judge an evolved file, beside the best file its search started from, by what its fitness left out.

    Losses of different definition are not the same percent: a gap says little by itself, and more where the
    start had a smaller one. A measure that is in the fitness by name is not held out any more. Attackers see
    at most 2000 records, drawn at random; since it is easier to find one record of few, the fitness is taken
    on the same records. Where the fitness has no loss, or no risk, the usual one stands for it.

    >>> from sfumato.datasets import business_survey
    >>> from sfumato.search.fitness import Fitness
    >>> from sfumato import mask
    >>> firms = business_survey(80, seed=1)
    >>> one, other = (mask(firms, {"method": "mdav", "k": k}, seed=1) for k in (3, 10))
    >>> found = honesty(firms, one, other, fitness=Fitness())
    >>> found.measures[0].name, found.attacked
    ('subgroup_means', 80)
    """
    files = (evolved, start)
    (loss, risk), (start_loss, start_risk) = _costs(fitness, original, files)
    rows = _sampled(original.n, seed)
    few, sampled = original.take(rows), [file.take(rows) for file in files]
    on_sample = (risk, start_risk)
    if len(rows) < original.n:
        (_, now), (_, before) = _costs(fitness, few, sampled)
        on_sample = (now, before)
    asked = _Asked(in_fitness(fitness))
    with progress.task("Judging by what was not in the fitness", len(LOSSES) + len(ATTACKS)) as work:
        for name in LOSSES:
            asked.ask(name, "loss", (loss, start_loss), partial(_losses, name, original, files))
            work.advance()
        for name in ATTACKS:
            asked.ask(name, "risk", on_sample, partial(_rates, name, few, sampled, seed))
            work.advance()
    return Honesty(
        loss=loss,
        risk=risk,
        start_loss=start_loss,
        start_risk=start_risk,
        measures=tuple(asked.found),
        in_fitness=asked.known,
        records=original.n,
        attacked=len(rows),
        left_out=tuple(asked.left_out),
    )


def in_fitness(fitness: Yardstick) -> tuple[str, ...]:
    """The names of the measures of a fitness; a distance linkage by Mahalanobis has a name of its own."""
    return tuple(dict.fromkeys(_known_as(measure) for measure in fitness.measures))


def _known_as(measure: Measure) -> str:
    return next(
        (name for name, spec in ATTACKS.items() if len(spec) > 1 and spec.items() <= measure.spec().items()),
        measure.name,
    )


Found = tuple[float, float, float | None, float | None]  # evolved, start, and the interval of the evolved


class _Asked:
    """Collects answers, and why some could not be had."""

    def __init__(self, known: tuple[str, ...]) -> None:
        self.known = known
        self.found: list[HeldOut] = []
        self.left_out: list[str] = []

    def ask(self, name: str, sense: str, beside: Sequence[float], answer: Callable[[], Found]) -> None:
        if name in self.known:
            return
        try:
            value, start, low, high = answer()
        except SfumatoError as error:
            self.left_out.append(f"{title(name)} was left out: {error}")
            return
        self.found.append(
            HeldOut(
                name=name,
                sense=sense,
                value=value,
                fitness=beside[0],
                start=start,
                start_fitness=beside[1],
                low=low,
                high=high,
            )
        )


def _costs(fitness: Yardstick, original: Table, files: Sequence[Table]) -> list[list[float]]:
    """Loss and risk of files: the means of the measures of each sense; of a usual one where there is none."""
    senses = [
        [measure.bind(original) for measure in fitness.measures if measure.sense == sense]
        or [usual.bind(original)]
        for sense, usual in (("loss", InformationLoss()), ("risk", DisclosureRisk()))
    ]
    return [
        [float(np.mean([bound.score(file).value for bound in bounds])) for bounds in senses] for file in files
    ]


def _sampled(n: int, seed: Seed) -> np.ndarray:
    drawn: np.ndarray = np.sort(stream(seed, "honesty").permutation(n)[:MOST_ATTACKED])
    return drawn


def _losses(name: str, original: Table, files: Sequence[Table]) -> Found:
    measure: Measure = registry.make("measures", name)
    if original.n > measure.quick:
        raise SfumatoError(f"{original.n} records would take long.")
    bound = measure.bind(original)
    evolved, start = (bound.score(file).value for file in files)
    return evolved, start, None, None


def _rates(name: str, known: Table, files: Sequence[Table], seed: Seed) -> Found:
    attack: Attack = registry.make("attacks", ATTACKS[name])
    rates = [
        rate_of(attack.outcomes(file, known, attack.targets(file, known), stream(seed, "honesty", name)))
        for file in files
    ]
    return rates[0].value, rates[1].value, rates[0].low, rates[0].high
