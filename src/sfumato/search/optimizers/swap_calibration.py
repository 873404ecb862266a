"""Swap calibration: a few synthetic files swap values round by round until they show what the original shows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.core import param
from sfumato.search.contracts import Asking, Costs, Generation, Individual, Optimizer, Outcome, Trial
from sfumato.search.problems.synthetic_files import SWAPS, Round, SyntheticFile, SyntheticFiles

Population = tuple[Individual[SyntheticFile], ...]


class SwapCalibration(Optimizer[SyntheticFile, Round]):
    """Every generation gives each part of each file a round of swaps, unless it is near enough; it ends when all are.

    Households come in steps: what they share, reference persons, other members. A step begins when the one before is near
    enough; until then its part of the file is as it was at the start, and so is its part of the costs.

    Files begin as tree syntheses under random numbers of their own, and none learns of the others: that is what any
    number of workers can share. They differ by chance alone, and the nearest is the best; more of them is a wider choice
    where a release has to meet requirements. Of a large file there may be fewer, so that all fit into memory.

    >>> SwapCalibration(starts=4)
    SwapCalibration(starts=4)
    """

    starts: int = param(default=2, low=1, help="files in the population")
    size: int = param(default=5, low=1, help="swaps that are tried for each value in a generation")

    def search(self, problem: SyntheticFiles, rng: np.random.Generator) -> Asking[SyntheticFile, Round, None]:
        count = min(self.starts, problem.most_starts)
        files = [[_Part(start, part) for part in range(len(problem.parts))] for start in range(count)]
        population: Population = ()
        asked = [(start, part) for start in range(count) for part in range(len(problem.parts))]
        tried = 0
        while asked:
            trials = [files[start][part].trial(problem, self.size, files[start]) for start, part in asked]
            left = [part.left(problem, self.size) for file in files for part in file]
            outcomes = yield Generation(population, trials, total=tried + sum(left))
            tried += len(trials)
            for (start, part), trial, outcome in zip(asked, trials, outcomes, strict=True):
                files[start][part] = files[start][part].after(trial.candidate, outcome)
            population = tuple(_file(problem, parts, self.size) for parts in files)
            asked = [(start, part) for start, file in enumerate(files) for part in _next_parts(problem, file)]
        yield Generation(population, ())


@dataclass(frozen=True)
class _Part:
    """Part of a file: the rounds it went through, how many swaps a value that were, and its costs since."""

    start: int
    part: int
    rounds: int = -1  # the start itself is not judged yet
    tried: int = 0
    costs: Costs = ()
    donors: np.ndarray | None = None

    def trial(self, problem: SyntheticFiles, size: int, file: Sequence["_Part"]) -> Trial[Round]:
        """The next round; parts of one step are worked on side by side, steps by whoever knows the one before."""
        parent = problem.score(self.costs) if self.costs else None
        before = problem.before(self.part, [max(one.rounds, 0) for one in file])
        thing = self.start if problem.parts[-1].step else self.start * len(file) + self.part
        return Trial(Round(self.start, self.part, self.rounds + 1, size, before), SWAPS, parent, thing=thing)

    def after(self, judged: Round, outcome: Outcome) -> "_Part":
        return _Part(self.start, self.part, judged.rounds, int(outcome.facts), outcome.costs, outcome.found)

    def is_done(self, problem: SyntheticFiles) -> bool:
        return problem.is_done(self.rounds, self.tried, self.costs)

    def left(self, problem: SyntheticFiles, size: int) -> int:
        """How many rounds there are still at the most."""
        if self.costs and self.is_done(problem):
            return 0
        swaps = max(problem.synthesis.proposals - self.tried, 1)
        return -(-swaps // size) + (self.rounds < 0)


def _next_parts(problem: SyntheticFiles, file: Sequence[_Part]) -> list[int]:
    """The parts of the first step that is not done."""
    waiting = [one.part for one in file if not one.is_done(problem)]
    return [part for part in waiting if problem.parts[part].step == problem.parts[waiting[0]].step]


def _file(problem: SyntheticFiles, parts: Sequence[_Part], size: int) -> Individual[SyntheticFile]:
    """A file of its parts; its costs are their mean."""
    rounds, donors = tuple(one.rounds for one in parts), tuple(one.donors for one in parts)
    costs = tuple(float(np.mean(column)) for column in zip(*(one.costs for one in parts), strict=True))
    return Individual(SyntheticFile(parts[0].start, rounds, size, donors), costs, problem.origin)
