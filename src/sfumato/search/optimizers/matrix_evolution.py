"""Evolution of PRAM matrices: one step on one matrix, and the child takes the place of its parent if better."""

import numpy as np

from sfumato.core import ParameterError, param
from sfumato.search.contracts import Asking, Generation, Individual, Optimizer, Trial
from sfumato.search.matrices.matrix_steps import KINDS, Step, drawn
from sfumato.search.problems.pram_matrices import Draft, Matrices, PramMatrices

ORIGIN = "start"


class MatrixEvolution(Optimizer[Matrices, Draft]):
    """Algorithm 6: a matrix is picked at random, then mutated or crossed with itself, half of the time each.

    The population is one set of matrices, one per attribute. Its score is that of a few protected files;
    every `refresh` generations it is judged anew, on files drawn by other random numbers, and children are
    compared on these from then on: a score that was only lucky does not freeze the search.

    `steps` lists the kinds of steps, drawn alike: "flip" (a bit of a Gray code) and "swap" (two ranges of the
    matrix) are those of the source, "crossover" is the second with both ends of its ranges, as its text counts them; "turn" moves a share of a row to one category and "exchange" swaps two
    rows, which are ours. `walk` steps are tried in a row before the next generation.

    Source: Marés & Torra, *Information Sciences* 278 (2014), Algorithm 1; Marés, *thesis*, §4.1.
    """

    steps: tuple[str, ...] = param(default=("flip", "swap"), choices=tuple(KINDS), help="kinds of steps")
    walk: int = param(default=1, low=1, help="steps tried in a row")
    refresh: int = param(default=50, low=0, help="generations until files are drawn anew (0: never)")

    def check(self) -> None:
        if not self.steps:
            raise ParameterError(f"{self.name}: steps must hold at least one kind. Got none.")

    def search(self, problem: PramMatrices, rng: np.random.Generator) -> Asking[Matrices, Draft, None]:
        round = made = 0
        (outcome,) = yield Generation((), [Trial(Draft(problem.start, (), round), ORIGIN)])
        best = Individual(problem.start, outcome.costs, ORIGIN)
        while True:
            made += 1
            if self.refresh and not problem.is_expected and made % self.refresh == 0:
                round += 1
                (outcome,) = yield Generation((best,), [Trial(Draft(best.genome, (), round), "refresh")])
                best = Individual(best.genome, outcome.costs, ORIGIN)
                continue
            steps = self._drawn(problem, rng)
            draft = Draft(best.genome, steps, round)
            trial = Trial(draft, steps[0].kind, problem.score(best.costs), len(steps))
            (outcome,) = yield Generation((best,), [trial])
            if outcome.kept:
                best = Individual(problem.walked(draft, outcome), outcome.costs, ORIGIN)

    def _drawn(self, problem: PramMatrices, rng: np.random.Generator) -> tuple[Step, ...]:
        """The steps of a generation: one matrix, one kind, so many places."""
        name = problem.names[int(rng.integers(len(problem.names)))]
        kind = self.steps[int(rng.integers(len(self.steps)))]
        return tuple(drawn(kind, name, problem.sizes[name], rng) for _ in range(self.walk))
