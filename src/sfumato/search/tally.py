"""What the loop of a search keeps count of, and tells the listener now and then: its best and its front."""

import math
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.core import progress
from sfumato.search.contracts import Costs, Individual, Leg, Outcome, Problem, Trial
from sfumato.search.pareto import front, hypervolume
from sfumato.search.run_record import Operator, Run, Step
from sfumato.search.stop import Progress, Stop
from sfumato.search.stop_rules import StopRule

SECONDS = 0.5  # between two tellings
LOSS_AND_RISK = ("information_loss", "disclosure_risk")


class Tally:
    """Counts outcomes, looks at populations, remembers the best."""

    def __init__(self, problem: Problem[Any, Any]) -> None:
        self.problem = problem
        self.number = -1  # the start is generation 0
        self.evaluations = self.unchanged = self.settled = 0
        self.seconds = 0.0
        self.start: tuple[Individual[Any], ...] = ()
        self.population: tuple[Individual[Any], ...] = ()
        self.best: Individual[Any] | None = None
        self.score, self.volume = float("inf"), 0.0
        self.history: list[Step] = []
        self.course: list[Costs] = []
        self.operators: defaultdict[str, Operator] = defaultdict(Operator)

    def take(self, trials: Sequence[Trial[Any]], outcomes: Sequence[Outcome], seconds: float) -> None:
        self.number, self.seconds = self.number + 1, seconds
        for trial, outcome in zip(trials, outcomes, strict=True):
            before = trial.parent
            for leg in outcome.legs or [_only_leg(trial, outcome)]:
                self.evaluations += leg.tried
                if before is not None:
                    before = self._credited(leg, before)

    def _credited(self, leg: Leg, before: float) -> float:
        """The score after a leg, for whose gain its operator gets the credit."""
        operator, after = self.operators[leg.operator], self.problem.score(leg.costs)
        operator.tried += leg.tried
        operator.kept += leg.kept or int(after < before and leg.tried == 1)
        operator.gain += max(before - after, 0.0)
        return after

    def hold(self, population: Sequence[Individual[Any]]) -> None:
        """Look at the population that came of it, if there is one yet."""
        if not population:
            return
        self.population = tuple(population)
        self.start = self.start or self.population
        scores = [self.problem.score(individual.costs) for individual in self.population]
        best, volume = min(scores), self._volume()
        self.unchanged = 0 if best < self.score or (volume or 0) > self.volume else self.unchanged + 1
        self.volume = max(self.volume, volume or 0)
        mean = sum(scores) / len(scores)
        self.settled = self.settled + 1 if self.history and self.history[-1].mean == mean else 0
        if best < self.score:
            self.score, self.best = best, self.population[scores.index(best)]
        self.course.append(self.population[scores.index(best)].costs)
        self.history.append(
            Step(
                generation=self.number,
                evaluations=self.evaluations,
                seconds=self.seconds,
                best=best,
                mean=mean,
                worst=max(scores),
                hypervolume=volume,
            )
        )

    def _volume(self) -> float | None:
        reference = self.problem.reference
        if reference is None:
            return None
        costs = np.array([individual.costs for individual in self.population])
        return 100 * hypervolume(costs, reference) / math.prod(reference)

    def now(self) -> Progress:
        return Progress(
            generation=self.number,
            seconds=self.seconds,
            best=self.score,
            unchanged=self.unchanged,
            settled=self.settled,
            evaluations=self.evaluations,
        )

    def holding(self, stop: Stop) -> StopRule | None:
        """The rule that ends the search now; never before there is a population."""
        return stop.holding(self.now()) if self.population else None

    def status(self) -> str:
        if not self.history:
            return f"{self.evaluations} tried"
        last = self.history[-1]
        speed = self.evaluations / max(self.seconds, 1e-9)
        volume = "" if last.hypervolume is None else f"hypervolume {last.hypervolume:.2f} %, "
        return (
            f"generation {self.number}, score {last.best:.2f} (mean {last.mean:.2f}, worst {last.worst:.2f}), "
            f"{volume}{speed:.0f} evaluations a second"
        )

    def result(self, **known: Any) -> Run:
        if self.best is None:
            raise RuntimeError("the optimiser ended without a population")
        return Run(
            objectives=self.problem.objectives,
            reference=self.problem.reference,
            start=self.start,
            population=self.population,
            best=self.best,
            score=self.score,
            history=tuple(self.history),
            operators=dict(self.operators),
            evaluations=self.evaluations,
            seconds=self.seconds,
            course=tuple(self.course),
            **known,
        )


def _only_leg(trial: Trial[Any], outcome: Outcome) -> Leg:
    tried, kept = trial.evaluations, len(outcome.kept)
    return Leg(trial.operator, size=1, tried=tried, kept=kept, work=tried, costs=outcome.costs)


class Teller:
    """Tells of a generation if somebody listens and the last telling is a while ago."""

    def __init__(self, problem: Problem[Any, Any], label: str) -> None:
        self.problem, self.label = problem, label
        self._next = float("-inf")
        self._told = -1

    def tell(self, tally: Tally, *, last: bool = False) -> None:
        now = time.monotonic()
        if self.problem.shows_candidates or progress.listener() is None:
            return
        if tally.best is None or tally.number == self._told:
            return
        if last or now >= self._next:
            self._next, self._told = now + SECONDS, tally.number
            progress.found("generation", self._point(tally, tally.best))

    def _point(self, tally: Tally, best: Individual[Any]) -> dict[str, Any]:
        loss, risk = self._loss_and_risk([best.costs])[0]
        unbeaten = self._loss_and_risk([one.costs for one in front(tally.population)])
        return {
            "label": f"{self.label}, generation {tally.number}",
            "generation": tally.number,
            "best": tally.score,
            "score": tally.score,
            "costs": dict(zip(self.problem.objectives, best.costs, strict=True)),
            "loss": loss,
            "risk": risk,
            "front": [pair for pair in unbeaten if None not in pair],
        }

    def _loss_and_risk(self, costs: Sequence[Costs]) -> list[list[float | None]]:
        """Of each; nothing where a search has other objectives."""
        names = self.problem.objectives
        places = [names.index(name) if name in names else None for name in LOSS_AND_RISK]
        return [[None if place is None else float(one[place]) for place in places] for one in costs]
