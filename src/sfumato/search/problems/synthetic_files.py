"""Synthetic files as a problem: records of nobody, brought to the tables and products of the original by swaps."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.core import DataError, Key, ParameterError, Seed, stream
from sfumato.data import Table
from sfumato.masking.calibrated_synthesis import CalibratedSynthesis
from sfumato.masking.synthesis.calibrated_deal import CalibratedDeal
from sfumato.masking.synthesis.calibration import NEAR_PRODUCTS
from sfumato.masking.synthesis.dealing import Dealing, part_count
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
    """

    start: int
    part: int
    rounds: int
    size: int

    @property
    def key(self) -> bytes:
        return f"{self.start} {self.part} {self.size}".encode()


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

    def round(self, part: int) -> Round:
        return Round(self.start, part, self.rounds[part], self.size)


class SyntheticFiles(Problem[SyntheticFile, Round]):
    """Files that a synthesis makes of every column it takes, each from a start of its own.

    A start is a tree synthesis; a round tries swaps of two records' values, and keeps those by which the gaps to the
    original's tables and products fall. A file is what the masking makes of the same random numbers, so that all that it
    promises holds: derived columns, single numbers, pairs of values that must not meet, coincidences. Its costs are
    those before records part from unique people, where they have to.

    Files of many records go in parts, each for itself. A worker keeps the parts it works on; one that it lost is made
    again from its start.

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
        self.most_starts = MOST_CELLS // (source.n * len(self.names))
        if not self.most_starts:
            raise DataError(
                f"{source.n:,} records of {len(self.names)} columns are more than a search of synthetic files holds in "
                "memory: use mask or protect with calibrated_synthesis, or a random sample of the records."
            )
        self.parts = part_count(source.n)
        self.made = self.synthesis.made(source, self.names)
        self.fitness = Nearness(self.synthesis.near, NEAR_PRODUCTS)
        self.origin = TreeSynthesis(leaf=self.synthesis.leaf, single=self.synthesis.single)
        self._remember_nothing()

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_courses", "_dealings", "_purpose")
        return {key: value for key, value in vars(self).items() if key not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._remember_nothing()

    def _remember_nothing(self) -> None:
        self._courses = Recent[_Course](self.most_starts * self.parts)
        self._dealings = Recent[Dealing](self.most_starts)

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
        """Its gaps; how many swaps a value were tried so far is a fact, and its donors are found if it is done."""
        course = self._taken(candidate, max(candidate.rounds - 1, 0))
        deal, tried, kept = course.deal, course.deal.tried, course.deal.kept
        if candidate.rounds:
            self._step(course, candidate.size)
        self._courses.keep(candidate.key, course)
        swaps = (deal.tried - tried) * deal.size
        legs = (Leg(SWAPS, 1, swaps, deal.kept - kept, swaps, deal.gaps),) if candidate.rounds else ()
        done = self.is_done(candidate.rounds, deal.tried, deal.gaps)
        found = self.synthesis.ended(deal) if done else None
        return Outcome(deal.gaps, legs=legs, found=found, facts=deal.tried)

    def decode(self, genome: SyntheticFile) -> Table:
        dealing = self._dealing(genome.start)
        known = genome.donors or (None,) * self.parts
        donors = [
            self._donors(genome.round(part)) if held is None else held for part, held in enumerate(known)
        ]
        return dealing.table(np.concatenate([rows[d] for rows, d in zip(dealing.parts, donors, strict=True)]))

    def _donors(self, wanted: Round) -> np.ndarray:
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
            course = _Course(self.synthesis.begun(*self._dealing(wanted.start).part(wanted.part)))
        else:
            self._courses.pop(wanted.key)
        while course.rounds < rounds:
            self._step(course, wanted.size)
        return course

    def _step(self, course: "_Course", size: int) -> None:
        left = self.synthesis.proposals - course.deal.tried
        course.deal.advance(min(size, left), self.synthesis.near)
        course.rounds += 1

    def _dealing(self, start: int) -> Dealing:
        key = str(start).encode()
        dealing = self._dealings.get(key)
        if dealing is None:
            rng = stream(self.seed, *self._purpose, start)
            dealing = self.synthesis.dealing(self.source, self.names, self.made, rng)
            self._dealings.keep(key, dealing)
        return dealing


@dataclass
class _Course:
    """A deal, and how many rounds it went through."""

    deal: CalibratedDeal
    rounds: int = 0
