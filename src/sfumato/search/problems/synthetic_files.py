"""Synthetic files as a problem: records of nobody, brought to the tables and products of the original by swaps."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.core import DataError, Key, ParameterError, Seed, progress, stream
from sfumato.data import Table
from sfumato.masking.calibrated_synthesis import CalibratedSynthesis
from sfumato.masking.synthesis.calibrated_deal import CalibratedDeal
from sfumato.masking.synthesis.calibration import NEAR_PRODUCTS
from sfumato.masking.synthesis.dealing import Deals, Step, part_count
from sfumato.masking.tree_synthesis import TreeSynthesis
from sfumato.search.contracts import Costs, Leg, Outcome, Problem
from sfumato.search.fitness import Nearness
from sfumato.search.recent import Recent

MOST_CELLS = 12_000_000  # of all files of a population together: some 100 bytes each are kept of them
SWAPS = "swaps"  # the operator


@dataclass(frozen=True)
class Round:
    """Part of a file to judge after so many rounds, in each of which up to `size` swaps a value are tried.

    All that it takes to make it, anywhere: the start it came from is named by its number, and its random numbers with it.
    `before` are the rounds of the parts of earlier steps, whose records it adds to.
    """

    start: int
    part: int
    rounds: int
    size: int
    before: tuple[int, ...] = ()

    @property
    def key(self) -> bytes:
        return repr((self.start, self.part, self.size, self.before)).encode()


@dataclass(frozen=True)
class SyntheticFile:
    """A file by the number of its start and the rounds that each of its parts went through.

    `donors` are those of parts that are done, if they are at hand; what is not at hand is made again.
    """

    start: int
    rounds: tuple[int, ...]
    size: int
    donors: tuple[np.ndarray | None, ...] = field(default=(), compare=False, repr=False)

    @property
    def key(self) -> bytes:
        """What tells files apart."""
        return repr((self.start, self.rounds, self.size)).encode()


@dataclass(frozen=True)
class Part:
    """Part of a file: the step it is dealt out in, its number there, and how many parts earlier steps have."""

    step: int
    number: int
    before: int


class SyntheticFiles(Problem[SyntheticFile, Round]):
    """Files that a synthesis makes of every column it takes, each from a start of its own.

    A start is a tree synthesis; a round tries swaps of two records' values, and keeps those by which the gaps to the
    original's tables and products fall. A file is what the masking makes of the same random numbers, so that all that it
    promises holds: derived columns, single numbers, pairs of values that must not meet, coincidences, households. Its costs
    are those before records part from unique people, where they have to.

    Files of many records go in parts, each for itself; households in steps, each of which adds to what those before came to.
    A worker keeps the parts it works on; one that it lost is made again from its start.

    >>> from sfumato.datasets import household_survey
    >>> problem = SyntheticFiles(household_survey(120, seed=1), seed=1)
    >>> start, later = (problem.judge(Round(0, 0, rounds, 2)).costs for rounds in (0, 3))
    >>> later < start
    True
    """

    objectives = Nearness.objectives

    def __init__(self, source: Table, *, seed: Seed, synthesis: CalibratedSynthesis | None = None) -> None:
        self.synthesis = synthesis or CalibratedSynthesis()
        if not source.n:
            raise DataError("The table holds no record: there is nothing to evolve.")
        if self.synthesis.epsilon:
            raise ParameterError(
                "synthesis: a formal promise allows no search, which looks at the original again and again; "
                "use mask with calibrated_synthesis."
            )
        self.source, self.seed = source, seed
        self.names = self.synthesis.targets(source)
        self.plan = self.synthesis.plan(source, self.names)
        self.parts = _parts_of(self.plan.sizes)
        if not self.parts:
            raise DataError("Every column numbers households or their members: there is nothing to evolve.")
        told_twice = len(self.plan.sizes) > 1  # members beside what reference persons have
        self.most_starts = MOST_CELLS // (source.n * len(self.names) * (1 + told_twice))
        if not self.most_starts:
            raise DataError(
                f"{source.n:,} records of {len(self.names)} columns are more than a search of synthetic files holds in "
                "memory: use mask or protect with calibrated_synthesis, or a random sample of the records."
            )
        self.fitness = Nearness(self.synthesis.near, NEAR_PRODUCTS)
        self.origin = TreeSynthesis(leaf=self.synthesis.leaf, single=self.synthesis.single)
        self._remember_nothing()

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_courses", "_deals", "_steps", "_purpose")
        return {key: value for key, value in vars(self).items() if key not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._remember_nothing()

    def _remember_nothing(self) -> None:
        self._courses = Recent[_Course](self.most_starts * len(self.parts))
        self._deals = Recent[Deals](self.most_starts)
        self._steps = Recent[Step](self.most_starts * len(self.plan.sizes))

    @cached_property
    def _purpose(self) -> tuple[str, ...]:
        """Under a key, what is drawn hangs on the table too, as it does in a masking."""
        return ("synthesis", *([self.source.digest] if isinstance(self.seed, Key) else []))

    def score(self, costs: Costs) -> float:
        return self.fitness.score(costs)

    def is_done(self, rounds: int, tried: int, costs: Costs) -> bool:
        """Whether a part is near enough, or all its swaps were tried; values that must not meet part in any case."""
        near = costs[0] <= self.fitness.near and costs[1] <= self.fitness.near_products
        return rounds > 0 and (near or tried >= self.synthesis.proposals)

    def identity(self) -> dict[str, Any]:
        return {
            "file": self.source.fingerprint,
            "attributes": list(self.names),
            "synthesis": self.synthesis.spec(),
        }

    def judge(self, candidate: Round) -> Outcome:
        """Its gaps; how many swaps a value were tried is a fact, all where more bring little; donors are found if it is done."""
        course = self._taken(candidate, max(candidate.rounds - 1, 0))
        deal, tried, kept = course.deal, course.deal.tried, course.deal.kept
        if candidate.rounds:
            self._swapped(course, candidate.size)
        self._courses.keep(candidate.key, course)
        swaps = (deal.tried - tried) * deal.size
        legs = (Leg(SWAPS, 1, swaps, deal.kept - kept, swaps, deal.gaps),) if candidate.rounds else ()
        goes_on = deal.can_move and not deal.is_slow(self.synthesis.near)
        facts = deal.tried if goes_on else self.synthesis.proposals
        done = self.is_done(candidate.rounds, facts, deal.gaps)
        found = self.synthesis.ended(deal) if done else None
        return Outcome(deal.gaps, legs=legs, found=found, facts=facts)

    def decode(self, genome: SyntheticFile) -> Table:
        deals, new = self._dealt(genome.start), self.source
        for number in range(len(deals.sizes)):
            step = deals.step(number, new)
            new = step.filled(self._donors(step, genome, number))
        return deals.released(new)

    def before(self, part: int, rounds: Sequence[int]) -> tuple[int, ...]:
        """The rounds of the parts of earlier steps, of those of all parts."""
        return tuple(rounds[: self.parts[part].before])

    def _donors(self, step: Step, file: SyntheticFile, number: int) -> np.ndarray:
        """Donors of all records of a step, part after part: those at hand, else made again."""
        found = []
        for at, part in enumerate(self.parts):
            if part.step == number:
                held = file.donors[at] if file.donors else None
                wanted = Round(file.start, at, file.rounds[at], file.size, self.before(at, file.rounds))
                rows = step.dealing.parts[part.number]
                found.append(rows[self._made(wanted) if held is None else held])
        return np.concatenate(found)

    def _made(self, wanted: Round) -> np.ndarray:
        course = self._taken(wanted, wanted.rounds)
        if wanted.key not in self._courses:  # else one is there that is further
            self._courses.keep(wanted.key, course)
        return self.synthesis.ended(course.deal)

    def _taken(self, wanted: Round, rounds: int) -> "_Course":
        """The course of a part after so many rounds: the one kept ready, which goes on, or a new one.

        It is taken out: work that is cut off leaves none half-way.
        """
        course = self._courses.get(wanted.key)
        if course is None or course.rounds > rounds:
            part = self.parts[wanted.part]
            step = self._step(SyntheticFile(wanted.start, wanted.before, wanted.size), part.step)
            course = _Course(self.synthesis.begun(*step.dealing.part(part.number)))
        else:
            self._courses.pop(wanted.key)
        while course.rounds < rounds:
            self._swapped(course, wanted.size)
        return course

    def _swapped(self, course: "_Course", size: int) -> None:
        left = self.synthesis.proposals - course.deal.tried
        course.deal.advance(min(size, left), self.synthesis.near)
        course.rounds += 1

    def _step(self, file: SyntheticFile, number: int) -> Step:
        """A step of a file of which the steps before are known."""
        key = repr((file.key, number)).encode()
        step = self._steps.get(key)
        if step is None:
            new = self.source
            if number:
                rounds = file.rounds[: sum(part.step < number - 1 for part in self.parts)]
                before = self._step(replace(file, rounds=rounds), number - 1)
                with progress.without_notes():
                    new = before.filled(self._donors(before, file, number - 1))
            step = self._dealt(file.start).step(number, new)
            self._steps.keep(key, step)
        return step

    def _dealt(self, start: int) -> Deals:
        key = str(start).encode()
        deals = self._deals.get(key)
        if deals is None:
            deals = self.plan.drawn(stream(self.seed, *self._purpose, start))
            self._deals.keep(key, deals)
        return deals


def _parts_of(sizes: Sequence[int]) -> tuple[Part, ...]:
    """The parts of all steps, of so many records each."""
    found: list[Part] = []
    for step, size in enumerate(sizes):
        before = len(found)
        found += [Part(step, number, before) for number in range(part_count(size))]
    return tuple(found)


@dataclass
class _Course:
    """A deal, and how many rounds it went through."""

    deal: CalibratedDeal
    rounds: int = 0
