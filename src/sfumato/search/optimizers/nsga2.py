"""NSGA-II: a population spreads over the whole front of two or more measures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.core import DataError, param, registry
from sfumato.measures import Change
from sfumato.search.contracts import Asking, Generation, Individual, Optimizer, Trial
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.pareto import contributions, crowding_distances, front_ranks
from sfumato.search.problems.masked_files import MaskedFiles, Walk

Population = list[Individual[Genome]]


class Nsga2(Optimizer[Genome, Walk]):
    """Each generation makes children of good parents; those that nobody beats, and that lie apart, stay.

    Parents win a tournament of two by the rank of their front, then by how much room they have (crowding
    distance). A child is its parent, crossed with a second one now and then, after a short walk: each of its
    steps is kept if it lowers a weighted sum of the measures, with weights drawn for this child, so that
    children set out in all directions. A child whose costs are known already is dropped.

    Survivors are chosen as in the source, front by front. Where even the first front is too large, the
    individual that alone dominates the least volume leaves, not the most crowded one: so the volume that the
    front dominates, measured from the reference point of the problem, never shrinks.

    The problem must have several objectives (`Objectives`). Source: Deb, Pratap, Agarwal and Meyarivan
    (2002), *A fast and elitist multiobjective genetic algorithm: NSGA-II*; the last rule is that of Beume,
    Naujoks and Emmerich (2007), *SMS-EMOA*.

    >>> Nsga2(size=30)
    Nsga2(size=30)
    """

    size: int = param(default=60, low=2, help="files in the population")
    children: int = param(default=20, low=1, help="children a generation")
    crossover: float = param(default=0.3, low=0, high=1, help="share of children that are crossed")
    mutations: tuple[str, ...] = param(
        default=("gray_mutation", "redraw_values", "swap_values", "towards_original"),
        help="mutation operators",
    )
    crossovers: tuple[str, ...] = param(
        default=("record_crossover", "two_point_crossover"), help="crossover operators"
    )
    walk: int = param(default=20, low=1, help="mutations tried in a row on a child")
    sizes: tuple[int, ...] = param(default=(1, 8), low=1, help="cells that a mutation changes")

    def search(self, problem: MaskedFiles, rng: np.random.Generator) -> Asking[Genome, Walk, None]:
        if problem.reference is None:
            raise DataError(
                "nsga2: the problem seeks one score; give it two or more objectives, or choose evolution."
            )
        outcomes = yield Generation((), [Trial(Walk(genome), "start") for _, genome in problem.start])
        start = [
            Individual(genome, outcome.costs, origin)
            for (origin, genome), outcome in zip(problem.start, outcomes, strict=True)
        ]
        population = survivors([], start, self.size, problem.reference)
        while True:
            plans = self._plans(problem, population, rng)
            outcomes = yield Generation(tuple(population), [plan.trial(problem) for plan in plans])
            born = [
                Individual(problem.walked(plan.walk, outcome), outcome.costs, plan.parent.origin)
                for plan, outcome in zip(plans, outcomes, strict=True)
                if outcome.kept
            ]
            population = survivors(population, born, self.size, problem.reference)

    def _plans(self, problem: MaskedFiles, population: Population, rng: np.random.Generator) -> list["Plan"]:
        places = standings(np.array([individual.costs for individual in population]))
        return [
            self._plan(
                problem, population[_winner(places, rng)], population[_winner(places, rng)].genome, rng
            )
            for _ in range(self.children)
        ]

    def _plan(
        self, problem: MaskedFiles, parent: Individual[Genome], other: Genome, rng: np.random.Generator
    ) -> "Plan":
        aim = tuple(rng.dirichlet(np.ones(len(problem.objectives))).tolist())
        genome, changes, name = parent.genome, list[Change](), ""
        if rng.random() < self.crossover:
            operator = _one_of(self.crossovers, rng)
            changes, name = [operator.cross(problem, genome, other, rng)[0]], operator.name
            genome = genome.after(changes[0])
        forced = len(changes)
        operator = _one_of(self.mutations, rng)
        size = min(int(rng.choice(self.sizes)), problem.original.n)
        changes += steps(problem, genome, operator, self.walk, size, rng)
        walk = Walk(parent.genome, tuple(changes), forced=forced, aim=aim)
        return Plan(parent, walk, name or operator.name)


@dataclass(frozen=True)
class Plan:
    """A child to be: its parent, the walk to it, and the operator it is booked under."""

    parent: Individual[Genome]
    walk: Walk
    operator: str

    def trial(self, problem: MaskedFiles) -> Trial[Walk]:
        return Trial(self.walk, self.operator, problem.score(self.parent.costs), len(self.walk.changes))


def steps(
    problem: MaskedFiles, genome: Genome, operator: Any, count: int, size: int, rng: np.random.Generator
) -> list[Change]:
    """Up to so many mutations of a genome, none of which touches a record that another one does."""
    found: list[Change] = []
    touched = np.zeros(problem.original.n, bool)
    for _ in range(count):
        change = operator.mutate(problem, genome, rng, size=size)
        if len(change.rows) and not touched[change.rows].any():
            found.append(change)
            touched[change.rows] = True
    return found


def standings(costs: np.ndarray) -> list[tuple[int, float]]:
    """The number of the front of each row, and its crowding distance there, negative: small is good."""
    ranks = front_ranks(costs)
    distances = np.empty(len(costs))
    for rank in range(ranks.max() + 1):
        distances[ranks == rank] = crowding_distances(costs[ranks == rank])
    return list(zip(ranks.tolist(), (-distances).tolist(), strict=True))


def survivors(
    population: Sequence[Individual[Genome]],
    born: Sequence[Individual[Genome]],
    size: int,
    reference: tuple[float, ...],
) -> Population:
    """The population after children have come one by one, and for each that is too many another one went."""
    living, known = list(population), {individual.costs for individual in population}
    for child in born:
        if child.costs in known:
            continue
        living.append(child)
        known.add(child.costs)
        if len(living) > size:
            del living[_leaving(np.array([individual.costs for individual in living]), reference)]
    return living


def _leaving(costs: np.ndarray, reference: tuple[float, ...]) -> int:
    """Who leaves: of the last front the most crowded; of the only front the one with the least volume."""
    ranks = front_ranks(costs)
    last = np.flatnonzero(ranks == ranks.max())
    crowding = crowding_distances(costs[last])
    volume = contributions(costs[last], reference) if ranks.max() == 0 else np.zeros(len(last))
    return int(last[np.lexsort((crowding, volume))[0]])


def _winner(places: Sequence[tuple[int, float]], rng: np.random.Generator) -> int:
    first, second = (int(drawn) for drawn in rng.integers(len(places), size=2))
    return first if places[first] <= places[second] else second


def _one_of(names: Sequence[str], rng: np.random.Generator) -> Any:
    return registry.make("operators", names[int(rng.integers(len(names)))])
