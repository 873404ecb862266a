"""Michigan approach: each individual is one rule, and the children of good rules replace the worst."""

from collections.abc import Sequence

import numpy as np

from sfumato.core import param
from sfumato.groups.fuzzy_model import Rule
from sfumato.search.contracts import Asking, Costs, Generation, Individual, Optimizer, Trial
from sfumato.search.problems.fuzzy_rules import FuzzyRules

START, CHILD = "start", "child"

Population = list[Individual[Rule]]
Known = dict[Rule, Costs]


class Michigan(Optimizer[Rule, Rule]):
    """Evolution at the level of single fuzzy rules.

    The start is drawn uniformly from all values of all variables, "any" among them. In each generation pairs
    of rules are chosen by tournament and recombined by uniform crossover, their children mutated by random
    resetting (each value is drawn anew with a small chance), and these take the places of the worst, a share
    of `replaced`. A rule that was judged before is not judged again.

    Beyond the source: with `distinct` a child that the population has already does not enter it, so that a
    good rule does not fill it with copies of itself. How many the source replaces, and how often it
    recombines and mutates, is lost in our copy; the defaults are ours.

    Source: Tavrov & Chertov, *SpringerPlus* 5 (2016), "Evolutionary algorithm for building the fuzzy model".

    >>> Michigan(tournament=5).spec()
    {'method': 'michigan', 'tournament': 5}
    """

    population: int = param(default=100, low=2, help="number of rules")
    tournament: int = param(default=10, low=1, help="rules that compete to be a parent")
    replaced: float = param(default=0.5, low=0, high=1, help="share of the rules that children replace")
    crossover: float = param(default=0.9, low=0, high=1, help="chance that two parents are recombined")
    mutation: float = param(default=0.05, low=0, high=1, help="chance that a value is drawn anew")
    distinct: bool = param(default=True, help="no two equal rules")

    def search(self, problem: FuzzyRules, rng: np.random.Generator) -> Asking[Rule, Rule, None]:
        sizes, known = np.array(problem.sizes), Known()
        start = rng.integers(0, sizes, (self.population, len(sizes)))
        population = yield from _judged((), start, START, known)
        while True:
            children = self._children(population, sizes, rng)
            offspring = yield from _judged(population, children, CHILD, known)
            population = self._replaced(population, offspring)

    def _children(self, population: Population, sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """As many as are replaced, and at least one; two from each pair of parents."""
        rules = np.array([one.genome for one in population])
        costs = np.array([one.costs[0] for one in population])
        count = max(1, round(self.replaced * self.population))
        pairs = (count + 1) // 2
        drawn = rng.integers(0, len(population), (2 * pairs, self.tournament))
        winners = np.take_along_axis(drawn, np.argmin(costs[drawn], axis=1)[:, None], axis=1)[:, 0]
        one, other = rules[winners[:pairs]], rules[winners[pairs:]]
        swapped = (rng.random(one.shape) < 0.5) & (rng.random(pairs) < self.crossover)[:, None]
        children = np.concatenate([np.where(swapped, other, one), np.where(swapped, one, other)])
        anew = rng.random(children.shape) < self.mutation
        return np.where(anew, rng.integers(0, sizes, children.shape), children)[:count]

    def _replaced(self, population: Population, offspring: Population) -> Population:
        """The worst give way to the children, of which copies are left out."""
        if self.distinct:
            there = {one.genome for one in population}
            new = {child.genome: child for child in offspring if child.genome not in there}
            offspring = list(new.values())
        best_first = sorted(population, key=lambda one: one.costs)
        return best_first[: len(population) - len(offspring)] + offspring


def _judged(
    population: Sequence[Individual[Rule]], rules: np.ndarray, origin: str, known: Known
) -> Asking[Rule, Rule, Population]:
    """The rules as individuals; those that are new are judged first."""
    listed = [tuple(rule) for rule in rules.tolist()]
    new = list(dict.fromkeys(rule for rule in listed if rule not in known))
    outcomes = yield Generation(population, [Trial(rule, origin) for rule in new])
    known.update((rule, outcome.costs) for rule, outcome in zip(new, outcomes, strict=True))
    return [Individual(rule, known[rule], origin) for rule in listed]
