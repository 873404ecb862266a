"""Memetic search for swaps: evolution whose children are made better by a local search before they compete."""

import numpy as np

from sfumato.core import param
from sfumato.groups.swaps import SwapList
from sfumato.kernels.random_draws import seed_from, state_from
from sfumato.kernels.swap_improvement import improve, nearest_swaps, redirect
from sfumato.kernels.swap_lists import (
    GIVER,
    TAKER,
    exchange_pairs,
    joined,
    random_swaps,
    reset_records,
    resized,
)
from sfumato.search.contracts import Asking, Generation, Individual, Optimizer, Outcome, Trial
from sfumato.search.problems.group_swaps import GroupSwaps

ORIGIN = "start"
FEW_CHANGES = 2  # of each kind that a mutation makes in a long list, of which more would spoil any good one
STRETCH = 2.0  # how many times the mean the best is worth after linear scaling

Population = list[Individual[SwapList]]


class Memetic(Optimizer[SwapList, SwapList]):
    """Parents exchange the tails of their lists, children mutate, and a local search brings partners closer.

    Both parents are cut at points of their own, so that lists grow and shrink. Mutation lets pairs of a
    place and a record change rows (`swap`, in the first two and in the last two columns) and draws records
    anew (`reset`); beyond the source it sends records elsewhere (`redirect`: to that of some `tries` places
    with the nearest partner) and adds or drops a row (`resize`). The rates are chances of a row, that of `resize` of a list. When the fitness values of the
    population spread less than `narrow`, chances of mutation are `shake` times as high.

    With `start="nearest"` lists do not begin at random: so many records as stand out in each place, drawn by lot, trade
    places with near ones in places that take their share. Such lists are good already: both parents are then cut at one
    point, since tails of unlike lengths would hide too much or too little.

    The local search treats rows that have changed, and `thorough` of the others; 1 is the source's way, and
    slow. Survivors are drawn from parents and children together, by tournaments in which nobody wins twice;
    the best always survives.

    Parents win a tournament, or, with `selection="proportional"`, are drawn by their fitness after linear
    scaling (the best counts twice as much as the mean). The source names both; but scaling keeps the order,
    and changes nothing for tournaments. The rates of the source are lost in our copy: these are ours.

    Source: Tavrov & Chertov, *SpringerPlus* 5 (2016); Chertov & Tavrov (2014).
    """

    population: int = param(default=100, low=2, help="how many lists")
    tournament: int = param(default=5, low=1, help="how many compete to be a parent, or to survive")
    selection: str = param(
        default="tournament", choices=("tournament", "proportional"), help="how parents are drawn"
    )
    start: str = param(default="nearest", choices=("nearest", "random"), help="how the first lists are made")
    crossover: float = param(default=0.9, low=0, high=1, help="chance of parents to exchange tails")
    swap: float = param(default=0.005, low=0, high=1, help="chance of a pair to change rows")
    reset: float = param(default=0.005, low=0, high=1, help="chance of a record to be drawn anew")
    redirect: float = param(default=0.005, low=0, high=1, help="chance of a record to be sent elsewhere")
    tries: int = param(default=8, low=1, help="places looked at for a record that is sent elsewhere")
    resize: float = param(default=0.05, low=0, high=1, help="chance of a list to gain or lose a row")
    thorough: float = param(default=0.05, low=0, high=1, help="share of unchanged rows in the local search")
    narrow: float = param(default=0.03, low=0, help="spread of fitness below which mutation is stronger")
    shake: float = param(default=10.0, low=1, help="how many times stronger")

    def search(self, problem: GroupSwaps, rng: np.random.Generator) -> Asking[SwapList, SwapList, None]:
        breeding = _Breeding(self, problem, rng)
        lists = [breeding.first() for _ in range(self.population)]
        outcomes = yield Generation((), [Trial(swaps, ORIGIN) for swaps in lists])
        people = _judged(lists, outcomes)
        while True:
            fitness = _fitness(problem, people)
            strength = self.shake if fitness.std() < self.narrow else 1.0
            parents = [people[i] for i in self._parents(fitness, rng)]
            trials: list[Trial[SwapList]] = []
            for one, other in zip(parents[::2], parents[1::2], strict=True):
                better = min(problem.score(one.costs), problem.score(other.costs))
                crossed = rng.random() < self.crossover
                operator = "recombined" if crossed else "mutated"
                children = breeding.children(one.genome, other.genome, crossed, strength)
                trials += [Trial(child, operator, better) for child in children]
            outcomes = yield Generation(tuple(people), trials)
            people += _judged([trial.candidate for trial in trials], outcomes)
            people = [people[i] for i in self._survivors(_fitness(problem, people), rng)]

    def _parents(self, fitness: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        count = self.population + self.population % 2
        if self.selection == "proportional":
            scaled = linearly_scaled(fitness)
            return rng.choice(len(fitness), count, p=scaled / scaled.sum())
        rivals = rng.integers(len(fitness), size=(count, self.tournament))
        winners: np.ndarray = rivals[np.arange(count), np.argmax(fitness[rivals], axis=1)]
        return winners

    def _survivors(self, fitness: np.ndarray, rng: np.random.Generator) -> list[int]:
        """Who stays: the best, and the winners of tournaments, each of whom leaves the ring."""
        ring = np.arange(len(fitness))
        best = int(np.argmax(fitness))
        survivors = [best]
        ring[best], size = ring[-1], len(ring) - 1
        draws = rng.random((self.population - 1, self.tournament))
        for line in draws:
            at = (line * size).astype(np.int64)
            winner = at[np.argmax(fitness[ring[at]])]
            survivors.append(int(ring[winner]))
            size -= 1
            ring[winner] = ring[size]
        return survivors


class _Breeding:
    """Makes lists: at random, or from parents."""

    def __init__(self, rates: Memetic, problem: GroupSwaps, rng: np.random.Generator) -> None:
        self.rates, self.rng = rates, rng
        self.problem = problem
        self.ground, self.nearby, self.target = problem.ground, problem.nearby, problem.target
        self.taken = np.zeros(problem.files.n, bool)
        self.state = state_from(seed_from(rng))

    def first(self) -> SwapList:
        return self.nearest() if self.rates.start == "nearest" else self.drawn()

    def nearest(self) -> SwapList:
        """A list of those who stand out, drawn by lot, and near records."""
        movers, givers = self.problem.drawn_movers(self.rng)
        movers, givers = movers[: self.target.most], givers[: self.target.most]
        deck = self.problem.drawn_deck(len(movers), self.rng)
        U = nearest_swaps(movers, givers, deck, self.rates.tries, self.nearby, self.taken, self.state)
        return SwapList.of(U)

    def drawn(self) -> SwapList:
        """A list of random length, with near records."""
        count = int(self.rng.integers(1, self.target.most + 1))
        U = random_swaps(count, self.ground, self.taken, self.state)
        return self._improved(U, np.ones(len(U), bool))

    def children(
        self, one: SwapList, other: SwapList, crossed: bool, strength: float
    ) -> tuple[SwapList, SwapList]:
        a, b = one.rows, other.rows
        i, j = (int(self.rng.integers(len(rows) + 1)) if crossed else len(rows) for rows in (a, b))
        if crossed and self.rates.start == "nearest":
            i = j = min(i, j)
        first, second = joined(a, i, b, j, self.taken), joined(b, j, a, i, self.taken)
        return self._mutated(first, strength), self._mutated(second, strength)

    def _mutated(self, U: np.ndarray, strength: float) -> SwapList:
        rates, ground, taken, state = self.rates, self.ground, self.taken, self.state
        U = U[: self.target.most]
        if self.rng.random() < rates.resize * strength:
            U = resized(U, self.target.most, ground, taken, state)
        fresh, most = np.zeros(len(U), bool), FEW_CHANGES / max(len(U), 1)
        for column in (GIVER, TAKER):
            exchange_pairs(U, column, min(rates.swap * strength, most), fresh, state)
            reset_records(U, column, min(rates.reset * strength, most), ground, fresh, taken, state)
        redirect(U, min(rates.redirect * strength, most), rates.tries, ground, self.nearby, taken, state)
        return self._improved(U, fresh)

    def _improved(self, U: np.ndarray, fresh: np.ndarray) -> SwapList:
        improve(U, self.rates.thorough, self.nearby, fresh, self.taken, self.state)
        return SwapList.of(U)


def linearly_scaled(fitness: np.ndarray) -> np.ndarray:
    """a·f + b with the same mean, and the best worth twice the mean, unless the worst would be negative.

    Source: Goldberg, *Genetic Algorithms* (1989), p. 79.

    >>> linearly_scaled(np.array([1.0, 2.0, 3.0])).tolist(), linearly_scaled(np.array([0.0, 2.0, 7.0])).tolist()
    ([0.0, 2.0, 4.0], [0.75, 2.25, 6.0])
    """
    mean, best, worst = fitness.mean(), fitness.max(), fitness.min()
    if best == worst:
        return np.ones(len(fitness))
    slope = (STRETCH - 1) * mean / (best - mean)
    if mean - slope * (mean - worst) < 0:
        slope = mean / (mean - worst)
    scaled: np.ndarray = np.maximum(mean + slope * (fitness - mean), 0.0)
    return scaled


def _judged(lists: list[SwapList], outcomes: list[Outcome]) -> Population:
    return [Individual(swaps, outcome.costs, ORIGIN) for swaps, outcome in zip(lists, outcomes, strict=True)]


def _fitness(problem: GroupSwaps, people: Population) -> np.ndarray:
    return np.array([1 - problem.score(one.costs) / 100 for one in people])
