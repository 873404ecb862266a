"""Figure 3.5: generations that may cross and mutate, each by a rate of its own, beside one operation a generation."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from sfumato.core import param, registry
from sfumato.measures import Change
from sfumato.search.contracts import Generation, Individual, Trial
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.file_evolution.walks import Walk
from sfumato.search.optimizers.evolution import Asked, Evolution, scores_of
from sfumato.search.problems.masked_files import MaskedFiles

# the middle of what Schaffer, Caruana, Eshelman & Das (1989) recommend, 0.75 to 0.95 and 0.005 to 0.01; the thesis
# names them and prints no value
CROSSOVER, MUTATION = 0.85, 0.0075


class BothOperators(Evolution):
    """Each generation crosses two files with a rate, and mutates another with a rate; children compete with their parents.

    With `every_value` each value of the file that is drawn is mutated with that rate (test 1 of the source); else one
    value is (test 2). A generation may do neither.
    """

    name: ClassVar[str] = "both_operators"

    crossover: float = param(default=CROSSOVER, low=0, high=1, help="rate of crossovers")
    mutation: float = param(default=MUTATION, low=0, high=1, help="rate of mutations")
    every_value: bool = param(default=False, help="each value is mutated by the rate, or one of them")

    def _searched(self, problem: MaskedFiles, rng: np.random.Generator) -> Asked:
        population = yield from self.judged_start(problem)
        while True:
            drawn = self._children(problem, population, rng)
            trials: list[Trial[Any]] = [
                Trial(Walk(population[slot].genome, (change,)), operator, thing=slot)
                for slot, operator, change in drawn
            ]
            outcomes = yield Generation(tuple(population), trials)
            for (slot, *_), trial, outcome in zip(drawn, trials, outcomes, strict=True):
                if outcome.kept:
                    genome = problem.walked(trial.candidate, outcome)
                    population[slot] = Individual(genome, outcome.costs, population[slot].origin)

    def _children(
        self, problem: MaskedFiles, population: Sequence[Individual[Genome]], rng: np.random.Generator
    ) -> list[tuple[int, str, Change]]:
        """Which file is changed by what."""
        scores = scores_of(problem, list(population))
        free, found = np.ones(len(scores), bool), list[tuple[int, str, Change]]()
        if rng.random() < self.crossover:
            ((first, second),) = self._pairs(scores, rng)
            (name,) = self.crossovers
            cross = registry.make("operators", name).cross
            changes = cross(problem, population[first].genome, population[second].genome, rng)
            found += [(slot, name, change) for slot, change in zip((first, second), changes, strict=True)]
            free[[first, second]] = False
        count = self._mutated_values(problem, rng)
        if count:
            (slot,) = self._drawn(scores, 1, rng, free)
            (name,) = self.mutations
            found.append((slot, name, self._mutation(problem, population[slot].genome, count, rng)))
        return found

    def _mutated_values(self, problem: MaskedFiles, rng: np.random.Generator) -> int:
        return int(rng.binomial(problem.cells.size if self.every_value else 1, self.mutation))

    def _mutation(self, problem: MaskedFiles, genome: Genome, count: int, rng: np.random.Generator) -> Change:
        """So many values changed one by one; a value that is drawn twice is changed once."""
        mutate = registry.make("operators", self.mutations[0]).mutate
        cells: dict[tuple[int, str], Any] = {}
        for _ in range(count):
            change = mutate(problem, genome, rng, size=1)
            cells |= {(int(change.rows[0]), name): values[0] for name, values in change.columns.items()}
        rows = np.unique([row for row, _ in cells])
        columns = {name: genome.columns[name][rows].copy() for _, name in cells}
        for (row, name), value in cells.items():
            columns[name][np.searchsorted(rows, row)] = value
        return Change(rows, columns)
