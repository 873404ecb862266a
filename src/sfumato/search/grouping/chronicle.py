"""The chronicle of a search by GOMM: who was born of whom, how long each lived, and what no other one beat."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.search.contracts import Costs, Generation, Individual, Outcome, Problem
from sfumato.search.grouping.groupings import Grouping, count
from sfumato.search.grouping.operator_analytics import GenerationStep, OperatorAnalytics, OperatorStep, gain
from sfumato.search.optimizers.gomm import START, Birth, Brood, Member
from sfumato.search.pareto import front


@dataclass
class _Life:
    """A child, the score it was born with, and what became of it."""

    birth: Birth
    score: float
    clone: bool
    survived: bool = False
    used: bool = False
    years: int = 0


@dataclass
class Chronicle:
    """Watches a run (see `loop.run`), and tells afterwards what its operators did.

    `front` holds the groupings that no other grouping judged so far beats in all its costs.
    """

    problem: Problem[Grouping, Grouping]
    front: list[Individual[Grouping]] = field(default_factory=list)
    _costs: dict[Grouping, Costs] = field(default_factory=dict)
    _lives: list[list[_Life]] = field(default_factory=list)
    _alive: dict[int, _Life] = field(default_factory=dict)
    _held: list[GenerationStep] = field(default_factory=list)

    def __call__(
        self,
        asked: Generation[Any, Any],
        outcomes: Sequence[Outcome],
        population: Sequence[Individual[Any]],
    ) -> None:
        new = {t.candidate: outcome.costs for t, outcome in zip(asked.trials, outcomes, strict=True)}
        self.front = front([*self.front, *(Individual(g, costs, "") for g, costs in new.items())])
        self._write_lives(asked.births if isinstance(asked, Brood) else (), new)
        self._write_population(population)

    def _write_lives(self, births: Sequence[Birth], new: dict[Grouping, Costs]) -> None:
        for life in self._alive.values():
            life.years += 1
        lives = []
        for birth in births:
            clone = birth.grouping in self._costs
            costs = self._costs.setdefault(birth.grouping, new.get(birth.grouping, ()))
            lives.append(_Life(birth, self.problem.score(costs), clone))
            for parent in birth.parents:
                self._alive[parent].used = True
        self._lives.append(lives)

    def _write_population(self, population: Sequence[Individual[Any]]) -> None:
        known = self._alive | {life.birth.number: life for life in self._lives[-1]}
        numbers = [member.number for member in population if isinstance(member, Member)]
        self._alive = {number: known[number] for number in numbers}
        for life in self._alive.values():
            life.survived = True
        best = min(population, key=lambda one: self.problem.score(one.costs))
        groups = [count(individual.genome) for individual in population]
        self._held.append(
            GenerationStep(
                generation=len(self._held),
                best=self.problem.score(best.costs),
                mean_groups=sum(groups) / len(groups),
                best_groups=count(best.genome),
            )
        )

    def analytics(self) -> OperatorAnalytics:
        steps = []
        for generation, lives in enumerate(self._lives):
            by_operator: defaultdict[str, list[_Life]] = defaultdict(list)
            for life in lives:
                by_operator[life.birth.operator].append(life)
            steps += [_step(generation, name, made) for name, made in by_operator.items() if name != START]
        everyone = [life for lives in self._lives for life in lives]
        return OperatorAnalytics(
            steps=tuple(steps),
            generations=tuple(self._held),
            children=len(everyone),
            judged=sum(not life.clone for life in everyone),
        )


def _step(generation: int, operator: str, made: Sequence[_Life]) -> OperatorStep:
    gains = [gain(life.score, life.birth.before) for life in made if life.birth.before is not None]
    better, worse = [g for g in gains if g > 0], [g for g in gains if g < 0]
    return OperatorStep(
        generation=generation,
        operator=operator,
        children=len(made),
        clones=sum(life.clone for life in made),
        survived=sum(life.survived for life in made),
        unused=100 * sum(not life.used for life in made) / len(made),
        lifetime=sum(life.years for life in made) / len(made),
        improved=len(better),
        worsened=len(worse),
        mean_gain=_mean(better),
        best_gain=max(better, default=0.0),
        mean_loss=-_mean(worse),
        worst_loss=-min(worse, default=0.0),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
