"""Walks and descents: the steps that lead from one genome to the next."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.measures import Change
from sfumato.search.contracts import Costs, Leg, Outcome
from sfumato.search.file_evolution.genomes import Genome, Light
from sfumato.search.file_evolution.operator_choice import Choice, Way

if TYPE_CHECKING:
    from sfumato.search.problems.masked_files import MaskedFiles


@dataclass
class Place:
    """Where whoever takes the steps is: the genome as it is, and the score that it had when a leg ended."""

    genome: Genome
    score: float


class Log:
    """What happened on the way."""

    def __init__(self) -> None:
        self.tried = 0
        self.kept: dict[int, Change] = {}
        self.legs: list[Leg] = []
        self._work = self._tried = self._kept = 0  # since the last leg ended

    def took(self, change: Change, work: int, *, kept: bool) -> None:
        if kept:
            self.kept[self.tried] = change
        self.tried += 1
        self._tried, self._kept, self._work = self._tried + 1, self._kept + kept, self._work + work

    def ended(self, way: Way, costs: Costs) -> None:
        self.legs.append(Leg(way.operator.name, way.size, self._tried, self._kept, self._work, costs))
        self._work = self._tried = self._kept = 0


@dataclass(frozen=True)
class Walk:
    """Changes to try on a genome one after the other, each kept only if the score falls.

    With `aim` the score is the sum of the costs in these weights. The first `forced` changes are kept
    whatever they cost: so a child is judged that need not be better than its parent.
    """

    genome: Genome | Light
    changes: tuple[Change, ...] = ()
    forced: int = 0
    aim: Costs = ()
    score: ClassVar[float] = 0.0  # nothing is learnt on the way

    def steps(self, problem: "MaskedFiles", place: Place) -> Iterator[Change | Way]:
        return iter(self.changes)

    def outcome(self, costs: Costs, log: Log) -> Outcome:
        """What came of it: whoever made the changes has them."""
        return Outcome(costs, tuple(log.kept))


@dataclass(frozen=True)
class Descent:
    """Steps of several operators and sizes in turn, each kept only if the score falls.

    Whoever judges a descent makes its steps, from the `seed`: only those that are kept travel. It goes so
    many `legs`, each by an operator and a size that are drawn by what the earlier legs, here and before,
    have gained. A leg ends when its steps have changed `budget` records, whether they were kept or not (see
    `MaskedFiles.work`), so that legs take about as long whatever the size is. Steps are made in rounds of
    `walk` on the genome as it is when the round begins, and no two of a round touch the same cell.
    """

    genome: Genome | Light
    score: float
    choice: "Choice"
    legs: int
    walk: int
    budget: int
    seed: int
    forced: ClassVar[int] = 0
    aim: ClassVar[Costs] = ()

    def steps(self, problem: "MaskedFiles", place: Place) -> Iterator[Change | Way]:
        rng, choice = np.random.default_rng(self.seed), self.choice.copy()
        for _ in range(self.legs):
            way, before = choice.draw(rng), place.score
            work = 0
            for change in self._leg(problem, place, way, rng):
                work += problem.work(change)
                yield change
            yield way
            choice.learn(way, work, before - place.score)

    def outcome(self, costs: Costs, log: Log) -> Outcome:
        """What came of it, with the changes that were made on the way and kept."""
        return Outcome(costs, tuple(log.kept), tuple(log.legs), tuple(log.kept.values()))

    def _leg(
        self, problem: "MaskedFiles", place: Place, way: Way, rng: np.random.Generator
    ) -> Iterator[Change]:
        done = 0
        while True:
            before = done
            for change in apart(problem, place.genome, way, self.walk, rng):
                work = problem.work(change)
                if done and done + work > self.budget:
                    return
                done += work
                yield change
            if done == before:  # there is nothing that could be changed
                return


def apart(
    problem: "MaskedFiles", genome: Genome, way: Way, tries: int, rng: np.random.Generator
) -> Iterator[Change]:
    """Mutations of a genome that touch no cell twice, since each speaks of the genome as it is now."""
    touched = {name: np.zeros(problem.original.n, bool) for name in problem.names}
    for _ in range(tries):
        change = way.operator.mutate(problem, genome, rng, size=way.size)
        if len(change.rows) and not any(touched[name][change.rows].any() for name in change.columns):
            for name in change.columns:
                touched[name][change.rows] = True
            yield change
