"""Evolution of masked files: mutation or crossover, and a child takes the place of its parent if it is better."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sfumato.core import param, registry
from sfumato.kernels.random_draws import seed_from
from sfumato.search.contracts import Asking, Generation, Individual, Optimizer, Outcome, Trial
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.file_evolution.operator_choice import Choice, Way
from sfumato.search.file_evolution.walks import Descent, Walk, apart
from sfumato.search.problems.masked_files import MaskedFiles

SELECTIONS = ("inverted", "reciprocal", "printed", "observed")
LEAST_SCORE = 1e-9  # so that one over it is a number
LARGEST_STEP = 1 / 4  # of the records

WEIGHTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "inverted": lambda scores: scores.max() - scores,
    "reciprocal": lambda scores: 1 / np.maximum(scores, LEAST_SCORE),
    "printed": lambda scores: scores,
}

Population = list[Individual[Genome]]
Asked = Asking[Genome, Walk | Descent, Any]


class Evolution(Optimizer[Genome, Walk | Descent]):
    """Algorithm 5: each generation either mutates an individual or crosses two, never both.

    A mutated individual is drawn by its score; of two that are crossed, the first is one of the `leaders`
    and the second is drawn from all. Children compete with their own parent alone (elitism, deterministic
    crowding), which keeps the population diverse. `selection="inverted"` draws in proportion to how much an
    individual is better than the worst, which is thus never drawn; `"reciprocal"` in proportion to 1 / score;
    `"printed"` is eq. 3.3 as it stands in the source, which favours large, that is bad, scores, also among the
    leaders, who else are drawn alike. `"observed"` is what
    the runs of the source show: reciprocal where there are categories, of which its worst file falls in every run, and
    inverted for numbers alone, where it stays.

    Beyond the source: `walk` mutations are tried in a row on an individual before the next generation, in
    steps of several `sizes`; or it descends by several operators in turn (`legs`), each until it has changed
    a `budget` of records, and workers make the mutations themselves; they go to the few best (`focus`);
    `batch` individuals or pairs are treated at once, which is how many workers can help; operators and sizes are drawn by what they gained so far for the work they were (`adaptive`), and
    those that are made for other kinds of attributes not at all; and `drop_best` percent of the start can be
    left out, to see what the search does without.

    Source: Marés, *thesis*, ch. 3.
    """

    crossover: float = param(default=0.5, low=0, high=1, help="share of generations that cross")
    leaders: int = param(default=2, low=1, help="the first parent is one of so many best")
    selection: str = param(
        default="inverted", choices=SELECTIONS, help="how individuals are drawn by their score"
    )
    mutations: tuple[str, ...] = param(default=("gray_mutation",), help="mutation operators")
    crossovers: tuple[str, ...] = param(default=("two_point_crossover",), help="crossover operators")
    walk: int = param(default=1, low=1, help="mutations tried in a row")
    legs: int = param(default=0, low=0, help="operators that an individual descends by (0: one walk)")
    budget: int = param(default=2500, low=1, help="records that a leg of a descent changes")
    sizes: tuple[int, ...] = param(
        default=(1,), low=1, help="cells, or pairs of them, that a mutation changes"
    )
    focus: int = param(default=0, low=0, help="only so many best are mutated (0: all)")
    batch: int = param(default=1, low=1, help="individuals, or pairs, treated in one generation")
    adaptive: bool = param(default=False, help="draw operators by what they gained")
    drop_best: float = param(default=0.0, low=0, high=99, help="percent of the best of the start left out")

    def search(self, problem: MaskedFiles, rng: np.random.Generator) -> Asked:
        yield from replace(self, selection=self._selection_for(problem))._searched(problem, rng)

    def _selection_for(self, problem: MaskedFiles) -> str:
        if self.selection != "observed":
            return self.selection
        numeric = all(problem.original.schema[name].is_numeric for name in problem.names)
        return "inverted" if numeric else "reciprocal"

    def _searched(self, problem: MaskedFiles, rng: np.random.Generator) -> Asked:
        population = yield from self.judged_start(problem)
        mutations = Choice(
            _made_for(problem, self.mutations), _fitting(self.sizes, problem), adaptive=self.adaptive
        )
        crossovers = Choice(self.crossovers, (1,), adaptive=self.adaptive)
        while True:
            if rng.random() < self.crossover and len(population) > 1:
                yield from self._crossed(problem, population, crossovers, rng)
            else:
                yield from self._mutated(problem, population, mutations, rng)

    def judged_start(self, problem: MaskedFiles) -> Asking[Genome, Walk | Descent, Population]:
        """Judge the start; what is left of it is the population."""
        trials: list[Trial[Any]] = [
            Trial(Walk(genome), "start", thing=i) for i, (_, genome) in enumerate(problem.start)
        ]
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
        self, problem: MaskedFiles, population: Population, operators: Choice, rng: np.random.Generator
    ) -> Asked:
        scores = scores_of(problem, population)
        if self.legs:
            chosen = self._islanders(scores, rng)
            yield from self._descended(problem, population, chosen, operators, rng)
            return
        free = np.zeros(len(scores), bool)
        free[np.argsort(scores, kind="stable")[: self.focus or None]] = True
        chosen = self._drawn(scores, min(self.batch, int(free.sum())), rng, free)
        ways = [operators.draw(rng) for _ in chosen]
        walks = [
            Walk(population[i].genome, tuple(apart(problem, population[i].genome, way, self.walk, rng)))
            for i, way in zip(chosen, ways, strict=True)
        ]
        yield from _walked(problem, population, chosen, walks, ways, operators)

    def _islanders(self, scores: np.ndarray, rng: np.random.Generator) -> list[int]:
        """One of the few best of each island."""
        most = -(-self.focus // self.batch) or None
        chosen = []
        for island in self._islands(len(scores)):
            places = np.flatnonzero(island)
            free = np.zeros(len(scores), bool)
            free[places[np.argsort(scores[places], kind="stable")][:most]] = True
            chosen += self._drawn(scores, 1, rng, free)
        return chosen

    def _islands(self, count: int) -> list[np.ndarray]:
        """The places of the population, dealt out to as many islands as are treated at once.

        Workers that share the islands out hold the trackers of their own; crossovers bring islands together.
        """
        places = np.arange(count)
        return [places % self.batch == island for island in range(min(self.batch, count))]

    def _descended(
        self,
        problem: MaskedFiles,
        population: Population,
        chosen: Sequence[int],
        operators: Choice,
        rng: np.random.Generator,
    ) -> Asked:
        before = scores_of(problem, population)
        trials = []
        for i in chosen:
            seed, score = seed_from(rng), float(before[i])
            descent = Descent(
                population[i].genome, score, operators.copy(), self.legs, self.walk, self.budget, seed
            )
            trials.append(Trial(descent, "descent", score, thing=i))
        outcomes = yield from _competed(problem, population, chosen, trials)
        for i, outcome in zip(chosen, outcomes, strict=True):
            _learnt(problem, operators, before[i], outcome)

    def _crossed(
        self, problem: MaskedFiles, population: Population, operators: Choice, rng: np.random.Generator
    ) -> Asked:
        scores = scores_of(problem, population)
        pairs = self._pairs(scores, rng)
        slots, walks, ways = list[int](), list[Walk](), list[Way]()
        for i, j in pairs:
            way = operators.draw(rng)
            changes = way.operator.cross(problem, population[i].genome, population[j].genome, rng)
            for slot, change in zip((i, j), changes, strict=True):
                slots.append(slot)
                walks.append(Walk(population[slot].genome, (change,)))
                ways.append(way)
        yield from _walked(problem, population, slots, walks, ways, operators)

    def _pairs(self, scores: np.ndarray, rng: np.random.Generator) -> list[tuple[int, int]]:
        """A leader and another one, of the next island where there are islands; no individual twice."""
        order = np.argsort(scores, kind="stable").tolist()
        everywhere = np.ones(len(scores), bool)
        islands = self._islands(len(scores)) if self.legs else [everywhere] * self.batch
        pairs: list[tuple[int, int]] = []
        free = everywhere.copy()
        for home, abroad in zip(islands[: len(scores) // 2], islands[1:] + islands[:1], strict=False):
            here = free & home if (free & home).any() else free
            leaders = [i for i in order if here[i]][: self.leaders]
            first = self._leader(scores, leaders, rng)
            free[first] = False
            second = self._drawn(scores, 1, rng, free & abroad if (free & abroad).any() else free)[0]
            free[second] = False
            pairs.append((first, second))
        return pairs

    def _leader(self, scores: np.ndarray, leaders: Sequence[int], rng: np.random.Generator) -> int:
        """One of the best: any of them alike, or as eq. 3.3 is printed."""
        if self.selection != "printed":
            return leaders[int(rng.integers(len(leaders)))]
        return self._drawn(scores, 1, rng, np.isin(np.arange(len(scores)), leaders))[0]

    def _drawn(self, scores: np.ndarray, count: int, rng: np.random.Generator, free: np.ndarray) -> list[int]:
        """Distinct individuals of those that are free, by fitness-proportional selection."""
        weights = np.where(free, WEIGHTS[self.selection](scores), 0.0)
        if np.count_nonzero(weights) < count:
            weights = np.where(free, weights + 1e-9, 0.0)
        drawn: list[int] = rng.choice(len(scores), count, replace=False, p=weights / weights.sum()).tolist()
        return drawn


def scores_of(problem: MaskedFiles, population: Population) -> np.ndarray:
    return np.array([problem.score(individual.costs) for individual in population])


def _made_for(problem: MaskedFiles, operators: tuple[str, ...]) -> tuple[str, ...]:
    """The operators that have something to do; all of them if none has."""
    useful = tuple(name for name in operators if registry.make("operators", name).fits(problem))
    return useful or operators


def _fitting(sizes: tuple[int, ...], problem: MaskedFiles) -> tuple[int, ...]:
    """The sizes that leave most of the file alone; the smallest in any case."""
    return tuple(size for size in sizes if size <= max(min(sizes), problem.original.n * LARGEST_STEP))


def _learnt(problem: MaskedFiles, operators: Choice, before: float, outcome: Outcome) -> None:
    for leg in outcome.legs:
        after = problem.score(leg.costs)
        operators.learn(operators.way(leg.operator, leg.size), leg.work, before - after)
        before = after


def _walked(
    problem: MaskedFiles,
    population: Population,
    slots: Sequence[int],
    walks: Sequence[Walk],
    ways: Sequence[Way],
    operators: Choice,
) -> Asked:
    """Judge walks of one operator each, and learn what it gained."""
    before = scores_of(problem, population)[list(slots)]
    trials = [
        Trial(walk, way.operator.name, float(score), len(walk.changes), slot)
        for walk, way, score, slot in zip(walks, ways, before, slots, strict=True)
    ]
    outcomes = yield from _competed(problem, population, slots, trials)
    for walk, way, score, outcome in zip(walks, ways, before, outcomes, strict=True):
        work = sum(map(problem.work, walk.changes))
        operators.learn(way, work, score - problem.score(outcome.costs))


def _competed(
    problem: MaskedFiles, population: Population, slots: Sequence[int], trials: Sequence[Trial[Any]]
) -> Asked:
    """Judge candidates; where one led somewhere, its end takes the place of its beginning."""
    outcomes = yield Generation(tuple(population), trials)
    for slot, trial, outcome in zip(slots, trials, outcomes, strict=True):
        if outcome.kept:
            genome = problem.walked(trial.candidate, outcome)
            population[slot] = Individual(genome, outcome.costs, population[slot].origin)
    return outcomes
