"""Genetic programming: equations exchange branches or grow new ones, and better ones take the place of worse."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sfumato.core import param
from sfumato.search.contracts import Asking, Costs, Generation, Individual, Optimizer, Trial
from sfumato.search.matrices.equations import Equation, crossed, half_and_half, mutated, simplified
from sfumato.search.problems.matrix_equations import MatrixEquations

DIGITS = 9  # decimals of costs; what agrees in all of them are the same matrices

Population = list[Individual[Equation]]
Known = dict[Equation, Costs]


class Child(NamedTuple):
    """A new equation, what made it, and the score of its parent."""

    operator: str
    equation: Equation
    parent: float | None


class GeneticProgramming(Optimizer[Equation, Equation]):
    """Algorithm 7, steady state: of a few equations the better half has children that replace the worse half.

    The start is half full and half grown trees. In each generation `subset` equations are drawn and split
    into winners and losers by their score. The winners are either crossed in pairs (with probability
    `crossover`; branches change places, within `depth` levels) or mutated (a branch grows anew). Then the best
    child takes the place of the worst loser if it is better, the second best that of the next, and so on: the
    best equation is never lost.

    An equation whose simplest form was judged before is not judged again. Beyond the source: with `distinct`
    a child that costs the same as one of the population only takes that one's place, and only if it is
    shorter, so that no equation crowds out the others under other names. `population=6, subset=4,
    distinct=False` is nearest to the source, which itself says that 6 are too few; how many it draws it does
    not say.

    Source: Marés, *thesis*, §4.2.

    >>> GeneticProgramming(population=6).spec()
    {'method': 'genetic_programming', 'population': 6}
    """

    population: int = param(default=100, low=2, help="number of equations")
    depth: int = param(default=5, low=1, high=10, help="levels that an equation may have")
    subset: int = param(default=8, low=2, help="equations drawn in a generation; half of them have children")
    crossover: float = param(default=0.5, low=0, high=1, help="share of generations that cross")
    distinct: bool = param(default=True, help="no two equations of the same costs")

    def search(self, problem: MatrixEquations, rng: np.random.Generator) -> Asking[Equation, Equation, Any]:
        known: Known = {}
        start = [Child(way, tree, None) for way, tree in half_and_half(self.population, self.depth, rng)]
        population = yield from _judged((), start, known)
        while True:
            drawn = rng.choice(self.population, min(self.subset, self.population), replace=False).tolist()
            drawn.sort(key=lambda slot: _rank(problem, population[slot]))
            half = len(drawn) // 2
            winners = [population[slot] for slot in drawn[:half]]
            children = self._children(winners, [problem.score(one.costs) for one in winners], rng)
            offspring = yield from _judged(population, children, known)
            self._replace(problem, population, drawn[half:], offspring)

    def _children(
        self, winners: Population, scores: Sequence[float], rng: np.random.Generator
    ) -> list[Child]:
        """Those of a crossover, or of a mutation of each; one alone is mutated."""
        if rng.random() >= self.crossover or len(winners) < 2:
            return [
                Child("mutation", mutated(winner.genome, self.depth, rng), score)
                for winner, score in zip(winners, scores, strict=True)
            ]
        order = rng.permutation(len(winners)).tolist()
        children = []
        for i, j in zip(order[::2], order[1::2], strict=False):
            one, other = crossed(winners[i].genome, winners[j].genome, self.depth, rng)
            children += [Child("crossover", one, scores[i]), Child("crossover", other, scores[j])]
        return children

    def _replace(
        self, problem: MatrixEquations, population: Population, losers: list[int], offspring: Population
    ) -> None:
        """The best child against the worst loser, the next against the next."""
        slots = losers[::-1]
        for child in sorted(offspring, key=lambda child: _rank(problem, child)):
            twins = [slot for slot, one in enumerate(population) if _rounded(one) == _rounded(child)]
            if self.distinct and twins:
                if child.genome.size < population[twins[0]].genome.size:
                    population[twins[0]] = child
            elif slots and _rank(problem, child) < _rank(problem, population[slots[0]]):
                population[slots.pop(0)] = child


def _judged(
    population: Population | tuple[()], children: Sequence[Child], known: Known
) -> Asking[Equation, Equation, Population]:
    """The children as individuals; those whose simplest form is new are judged first."""
    forms = [simplified(child.equation) for child in children]
    new = {
        form: Trial(form, child.operator, child.parent)
        for form, child in zip(forms, children, strict=True)
        if form not in known
    }
    outcomes = yield Generation(tuple(population), tuple(new.values()))
    known.update({form: outcome.costs for form, outcome in zip(new, outcomes, strict=True)})
    return [
        Individual(child.equation, known[form], child.operator)
        for form, child in zip(forms, children, strict=True)
    ]


def _rounded(individual: Individual[Equation]) -> Costs:
    return tuple(round(cost, DIGITS) for cost in individual.costs)


def _rank(problem: MatrixEquations, individual: Individual[Equation]) -> tuple[float, int]:
    """By score; of equals, the shorter equation is better."""
    return round(problem.score(individual.costs), DIGITS), individual.genome.size
