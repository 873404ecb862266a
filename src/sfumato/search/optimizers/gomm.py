"""GOMM: a genetic search for the best grouping of attributes, which may leave out operators that idle."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.core import Aliases, ParameterError, param
from sfumato.search.contracts import Asking, Costs, Generation, Individual, Optimizer, Trial
from sfumato.search.grouping.grouping_operators import (
    CROSSOVER,
    MUTATIONS,
    OPERATORS,
    crossover,
    random_grouping,
)
from sfumato.search.grouping.groupings import Grouping
from sfumato.search.pareto import crowding_distances, front_ranks
from sfumato.search.problems.attribute_grouping import AttributeGrouping

START = "start"


@dataclass(frozen=True)
class Birth:
    """A child before it is judged: its number, what made it, and the numbers and mean score of its parents."""

    number: int
    grouping: Grouping
    operator: str
    parents: tuple[int, ...] = ()
    before: float | None = None


@dataclass(frozen=True)
class Member(Individual[Grouping]):
    """A grouping in the population, with the number it was born with."""

    number: int = 0


@dataclass(frozen=True)
class Brood(Generation[Grouping, Grouping]):
    """All children of a generation; only those whose grouping is new are trials."""

    births: Sequence[Birth] = ()


Members = list[Member]


class Gomm(Optimizer[Grouping, Grouping]):
    """Each generation crosses and mutates groupings drawn at random, and the best of all survive.

    It starts from random groupings. A generation makes two children by each of `crossovers` exchanges of
    groups, and `mutations` children by the mutation operators in equal shares; the best of parents and
    children are the next population, old ones before equal new ones. Groupings that were judged before are
    never judged again.

    With `dynamic` it is D-GOMM: an operator all of whose children were discarded for `patience` generations
    in a row is used no more; when none is left the search ends.

    Beyond the source: a child equal to a grouping of the population, a clone, is discarded, since clones crowd
    out others; and a parent is the best of a `tournament`. The source keeps clones and draws parents
    uniformly: `clones="keep", tournament=1`, or the name GOMM-printed. With `selection="front"` those survive that no other grouping
    beats in both loss and risk, and that lie apart.

    Source: Balasch, *thesis*, ch. 3.

    >>> Gomm(operators=("crossover", "element_move"), mutations=10)
    Gomm(mutations=10, operators=('crossover', 'element_move'))
    """

    aliases: ClassVar[Aliases] = {
        "D-GOMM": {"dynamic": True},
        "GOMM-printed": {"tournament": 1, "clones": "keep"},
        "D-GOMM-printed": {"tournament": 1, "clones": "keep", "dynamic": True},
    }

    population: int = param(default=200, low=2, help="groupings that survive a generation")
    crossovers: int = param(default=25, low=0, help="crossovers in a generation, two children each")
    mutations: int = param(default=50, low=0, help="mutations in a generation, shared by their operators")
    operators: tuple[str, ...] = param(default=OPERATORS, choices=OPERATORS, help="operators to use")
    dynamic: bool = param(default=False, help="use an operator no more when it idles (D-GOMM)")
    patience: int = param(default=5, low=1, help="generations without a surviving child until it idles")
    clones: str = param(default="drop", choices=("drop", "keep"), help="what becomes of equal groupings")
    tournament: int = param(default=3, low=1, help="a parent is the best of so many drawn at random")
    selection: str = param(default="score", choices=("score", "front"), help="by what groupings survive")

    def check(self) -> None:
        if not self.operators:
            raise ParameterError(f"{self.name}: operators must name at least one operator. Got none.")

    def search(
        self, problem: AttributeGrouping, rng: np.random.Generator
    ) -> Asking[Grouping, Grouping, None]:
        """Yield generations until no operator is left."""
        size = len(problem.names)
        births = [Birth(i, random_grouping(size, rng), START) for i in range(self.population)]
        known: dict[Grouping, Costs] = {}
        population = self._survivors(problem, [], (yield from _judged(births, [], known)))
        numbers = self.population
        shares = self._shares()
        idle: Counter[str] = Counter()
        while shares:
            births = self._born(problem, population, shares, numbers, rng)
            numbers += len(births)
            children = yield from _judged(births, population, known)
            population = self._survivors(problem, population, children)
            if self.dynamic:
                working = _working(children, population)
                for operator in shares:
                    idle[operator] = 0 if operator in working else idle[operator] + 1
                shares = {name: share for name, share in shares.items() if idle[name] < self.patience}
        yield Brood(tuple(population), ())

    def _shares(self) -> dict[str, int]:
        mutations = [name for name in self.operators if name != CROSSOVER]
        shares = {CROSSOVER: self.crossovers} if CROSSOVER in self.operators else {}
        for place, name in enumerate(mutations):
            shares[name] = (self.mutations + place) // len(mutations)
        return {name: share for name, share in shares.items() if share}

    def _born(
        self,
        problem: AttributeGrouping,
        population: Members,
        shares: dict[str, int],
        first: int,
        rng: np.random.Generator,
    ) -> list[Birth]:
        """The children of a generation. The population is sorted, so the best of those drawn is the first."""
        births: list[Birth] = []
        for operator, share in shares.items():
            for _ in range(share):
                couple = 2 if operator == CROSSOVER else 1
                drawn = rng.integers(len(population), size=(couple, self.tournament)).min(axis=1)
                parents = [population[i] for i in drawn.tolist()]
                numbers = tuple(parent.number for parent in parents)
                before = sum(problem.score(parent.costs) for parent in parents) / couple
                for child in _children(operator, [parent.genome for parent in parents], rng):
                    births.append(Birth(first + len(births), child, operator, numbers, before))
        return births

    def _survivors(self, problem: AttributeGrouping, old: Members, children: Members) -> Members:
        pool = [*old, *children]
        if self.clones == "drop":
            first = {member.genome: member for member in reversed(pool)}
            pool = [member for member in pool if first[member.genome] is member]
        if self.selection == "front":
            costs = np.array([member.costs for member in pool])
            order = _by_front(costs)
            return [pool[i] for i in order[: self.population]]
        return sorted(pool, key=lambda member: problem.score(member.costs))[: self.population]


def _judged(
    births: Sequence[Birth], population: Members, known: dict[Grouping, Costs]
) -> Asking[Grouping, Grouping, Members]:
    """The children with their costs; what is known is not asked again."""
    new = {birth.grouping: birth for birth in reversed(births) if birth.grouping not in known}
    asked = list(reversed(new.values()))
    trials = [Trial(birth.grouping, birth.operator, birth.before) for birth in asked]
    outcomes = yield Brood(tuple(population), trials, births)
    known |= {birth.grouping: outcome.costs for birth, outcome in zip(asked, outcomes, strict=True)}
    return [Member(one.grouping, known[one.grouping], one.operator, one.number) for one in births]


def _children(operator: str, parents: list[Grouping], rng: np.random.Generator) -> tuple[Grouping, ...]:
    if operator == CROSSOVER:
        return crossover(parents[0], parents[1], rng)
    return (MUTATIONS[operator](parents[0], rng),)


def _working(children: Members, population: Members) -> Collection[str]:
    alive = {member.number for member in population}
    return {child.origin for child in children if child.number in alive}


def _by_front(costs: np.ndarray) -> list[int]:
    """Those no other beats first; on the same front, those that lie farthest apart."""
    ranks = front_ranks(costs)
    crowding = np.zeros(len(costs))
    for rank in np.unique(ranks):
        crowding[ranks == rank] = crowding_distances(costs[ranks == rank])
    order: list[int] = np.lexsort((-crowding, ranks)).tolist()
    return order
