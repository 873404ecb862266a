"""Evolution of masked files: mutation or crossover, and a child takes the place of its parent if it is better."""

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from sfumato.core import param, registry
from sfumato.search.contracts import Generation, Individual, Optimizer, Outcome, Trial
from sfumato.search.genomes import Genome
from sfumato.search.problems.masked_files import MaskedFiles, Walk

LEAST_SHARE = 0.2  # of the draws that go to all operators alike
MEMORY = 0.1  # weight of the newest gain
STEP = 50  # what judging costs beside the records that changed

Population = list[Individual[Genome]]
Asking = Generator[Generation[Genome, Walk], list[Outcome], Any]


class Evolution(Optimizer[Genome, Walk]):
    """Algorithm 5: each generation either mutates an individual or crosses two, never both.

    A mutated individual is drawn by its score; of two that are crossed, the first is one of the `leaders`
    and the second is drawn from all. Children compete with their own parent alone (elitism, deterministic
    crowding), which keeps the population diverse. `selection="inverted"` draws in proportion to how much an
    individual is better than the worst; `"printed"` is eq. 3.3 as it stands in the source, which favours
    large, that is bad, scores.

    Beyond the source: `walk` mutations are tried in a row on an individual before the next generation,
    `batch` individuals or pairs are treated at once, operators are drawn by what they gained so far
    (`adaptive`), and `drop_best` percent of the start can be left out, to see what the search does without.

    Source: Marés, *thesis*, ch. 3.
    """

    crossover: float = param(default=0.5, low=0, high=1, help="share of generations that cross")
    leaders: int = param(default=2, low=1, help="the first parent is one of so many best")
    selection: str = param(
        default="inverted", choices=("inverted", "printed"), help="how individuals are drawn by their score"
    )
    mutations: tuple[str, ...] = param(default=("gray_mutation",), help="mutation operators")
    crossovers: tuple[str, ...] = param(default=("two_point_crossover",), help="crossover operators")
    walk: int = param(default=1, low=1, help="mutations tried in a row")
    batch: int = param(default=1, low=1, help="individuals, or pairs, treated in one generation")
    adaptive: bool = param(default=False, help="draw operators by what they gained")
    drop_best: float = param(default=0.0, low=0, high=99, help="percent of the best of the start left out")

    def search(self, problem: MaskedFiles, rng: np.random.Generator) -> Asking:
        """Yield generations for ever."""
        population = yield from self.judged_start(problem)
        mutations = Choice(
            [registry.make("operators", name) for name in self.mutations], adaptive=self.adaptive
        )
        crossovers = Choice(
            [registry.make("operators", name) for name in self.crossovers], adaptive=self.adaptive
        )
        while True:
            if rng.random() < self.crossover and len(population) > 1:
                yield from self._crossed(problem, population, crossovers, rng)
            else:
                yield from self._mutated(problem, population, mutations, rng)

    def judged_start(
        self, problem: MaskedFiles
    ) -> Generator[Generation[Genome, Walk], list[Outcome], Population]:
        """Judge the start; what is left of it is the population."""
        trials = [Trial(Walk(genome), "start") for _, genome in problem.start]
        outcomes = yield Generation((), trials)
        population = [
            Individual(genome, outcome.costs, origin)
            for (origin, genome), outcome in zip(problem.start, outcomes, strict=True)
        ]
        dropped = int(len(population) * self.drop_best / 100)
        by_score = sorted(population, key=lambda individual: problem.score(individual.costs))
        out = {id(individual) for individual in by_score[:dropped]}
        return [individual for individual in population if id(individual) not in out]

    def _mutated(
        self, problem: MaskedFiles, population: Population, operators: "Choice", rng: np.random.Generator
    ) -> Asking:
        """Try a walk on a few individuals."""
        scores = scores_of(problem, population)
        chosen = self._drawn(scores, min(self.batch, len(population)), rng)
        drawn = [operators.draw(rng) for _ in chosen]
        walks = [
            Walk(genome, tuple(operator.mutate(problem, genome, rng) for _ in range(self.walk)))
            for genome, operator in zip([population[i].genome for i in chosen], drawn, strict=True)
        ]
        yield from _competed(problem, population, chosen, walks, [op.name for op in drawn], operators)

    def _crossed(
        self, problem: MaskedFiles, population: Population, operators: "Choice", rng: np.random.Generator
    ) -> Asking:
        """Try exchanges between pairs."""
        scores = scores_of(problem, population)
        pairs = self._pairs(scores, rng)
        slots, walks, names = [], [], []
        for i, j in pairs:
            operator = operators.draw(rng)
            changes = operator.cross(problem, population[i].genome, population[j].genome, rng)
            for slot, change in zip((i, j), changes, strict=True):
                slots.append(slot)
                walks.append(Walk(population[slot].genome, (change,)))
                names.append(operator.name)
        yield from _competed(problem, population, slots, walks, names, operators)

    def _pairs(self, scores: np.ndarray, rng: np.random.Generator) -> list[tuple[int, int]]:
        """A leader and another one, no individual twice."""
        order = np.argsort(scores, kind="stable").tolist()
        pairs: list[tuple[int, int]] = []
        free = np.ones(len(scores), bool)
        for _ in range(min(self.batch, len(scores) // 2)):
            leaders = [i for i in order if free[i]][: self.leaders]
            first = leaders[int(rng.integers(len(leaders)))]
            free[first] = False
            second = self._drawn(scores, 1, rng, free)[0]
            free[second] = False
            pairs.append((first, second))
        return pairs

    def _drawn(
        self, scores: np.ndarray, count: int, rng: np.random.Generator, free: np.ndarray | None = None
    ) -> list[int]:
        """Distinct individuals, by fitness-proportional selection."""
        weights = scores if self.selection == "printed" else scores.max() - scores
        weights = np.where(free, weights, 0.0) if free is not None else weights
        if np.count_nonzero(weights) < count:
            weights = weights + 1e-9 if free is None else np.where(free, weights + 1e-9, 0.0)
        drawn: list[int] = rng.choice(len(scores), count, replace=False, p=weights / weights.sum()).tolist()
        return drawn


def scores_of(problem: MaskedFiles, population: Population) -> np.ndarray:
    """The score of each individual."""
    return np.array([problem.score(individual.costs) for individual in population])


def _competed(
    problem: MaskedFiles,
    population: Population,
    slots: Sequence[int],
    walks: Sequence[Walk],
    names: Sequence[str],
    operators: "Choice",
) -> Asking:
    """Judge walks; where one led somewhere, its end takes the place of its beginning."""
    before = [problem.score(population[slot].costs) for slot in slots]
    trials = [
        Trial(walk, name, score, len(walk.changes))
        for walk, name, score in zip(walks, names, before, strict=True)
    ]
    outcomes = yield Generation(tuple(population), trials)
    for slot, walk, name, score, outcome in zip(slots, walks, names, before, outcomes, strict=True):
        operators.learn(name, walk, score - problem.score(outcome.costs))
        if outcome.kept:
            genome = problem.walked(walk, outcome)
            population[slot] = Individual(genome, outcome.costs, population[slot].origin)


class Choice:
    """Draws operators: all alike, or by what they gained for the work they were."""

    def __init__(self, operators: Sequence[Any], *, adaptive: bool) -> None:
        self.operators, self.adaptive = list(operators), adaptive
        self.place = {operator.name: i for i, operator in enumerate(self.operators)}
        self.reward = np.ones(len(self.operators))

    def draw(self, rng: np.random.Generator) -> Any:
        """An operator; one that gains nothing is still drawn now and then."""
        if len(self.operators) == 1:
            return self.operators[0]
        share = self.reward / self.reward.sum()
        least = LEAST_SHARE / len(self.operators)
        p = least + (1 - LEAST_SHARE) * share if self.adaptive else np.full(len(share), 1 / len(share))
        return self.operators[int(rng.choice(len(p), p=p / p.sum()))]

    def learn(self, name: str, walk: Walk, gain: float) -> None:
        """Remember what an operator gained; what lies long ago counts less."""
        work = sum(STEP + len(change.rows) for change in walk.changes)
        i = self.place[name]
        if np.all(self.reward == 1):
            self.reward[:] = max(gain, 0.0) / work or 1.0
        self.reward[i] += MEMORY * (max(gain, 0.0) / work - self.reward[i])
        self.reward = np.maximum(self.reward, 1e-12)
