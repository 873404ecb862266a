"""What a search is made of: a problem, an optimiser that asks, and the outcomes it is told.

An optimiser is a generator that reads like the paper it comes from: it yields a `Generation`, the trials it
wants judged beside the population it holds meanwhile, and is sent one `Outcome` per trial. It never judges,
stores, counts seconds or knows how many workers there are; `loop.run` does.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from sfumato.core import Method
from sfumato.search.trade_off import MEAN

Genome = TypeVar("Genome")
Candidate = TypeVar("Candidate")
Found = TypeVar("Found")

Costs = tuple[float, ...]


@dataclass(frozen=True)
class Leg:
    """A part of a candidate's way: the operator, the size of its steps, how many were tried, how many of them
    kept, the work they were, and the costs at the end."""

    operator: str
    size: int
    tried: int
    kept: int
    work: int
    costs: Costs


@dataclass(frozen=True)
class Outcome:
    """What judging a candidate gave: its costs, and which of its steps were kept.

    A candidate that makes its steps while it is judged tells by what `legs` it went. `facts` are plain values
    of which the problem makes more than costs. `found` is what the problem wants to have at hand when it goes
    on from there; a journal does not keep it.
    """

    costs: Costs
    kept: tuple[int, ...] = ()
    legs: tuple[Leg, ...] = ()
    found: Any = field(default=None, compare=False, repr=False)
    facts: Any = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Trial(Generic[Candidate]):
    """A candidate to judge, the operator that made it, the score it has to beat, and the work it is.

    Trials on the same `thing`, such as a place in the population, are judged quicker by the same worker.
    """

    candidate: Candidate
    operator: str
    parent: float | None = None
    evaluations: int = 1
    thing: int | None = None


@dataclass(frozen=True)
class Individual(Generic[Genome]):
    """A genome with its costs, and what it started as: a text, or a value such as a masking that says it."""

    genome: Genome
    costs: Costs
    origin: Any


@dataclass(frozen=True)
class Generation(Generic[Genome, Candidate]):
    """What an optimiser asks for, and the population it holds while it waits.

    `total` is how many trials there are from the first generation to the last, where the optimiser knows.
    """

    population: Sequence[Individual[Genome]]
    trials: Sequence[Trial[Candidate]]
    total: int = field(default=0, kw_only=True)


Asking = Generator[Generation[Genome, Candidate], list[Outcome], Found]
"""Yields generations, is sent their outcomes, and comes to something that is found."""


class Problem(ABC, Generic[Genome, Candidate]):
    """What is searched for. It travels to worker processes, where `judge` is called.

    `objectives` names the costs, all of which are to be small. Where a whole front is sought, `reference` is
    the corner from which the volume it dominates is measured. Judging must depend on nothing but the problem
    and the candidate, so that any number of workers gives the same outcomes. Where each candidate is worth
    showing by itself, `shows_candidates`, and the listener is told of them in place of generations.
    """

    objectives: tuple[str, ...]
    reference: Costs | None = None
    shows_candidates: ClassVar[bool] = False

    @abstractmethod
    def judge(self, candidate: Candidate) -> Outcome:
        """The costs of a candidate."""

    def point(self, candidate: Candidate, outcome: Outcome) -> dict[str, Any] | None:
        """A candidate as a point of the risk-utility map, where it is shown by itself; it may be none."""
        return None

    def light(self, candidate: Candidate) -> Candidate:
        """A candidate that travels without what the workers may know already."""
        return candidate

    def knows(self, candidate: Candidate) -> bool:
        """Whether what a candidate travelled without is known here."""
        return True

    def score(self, costs: Costs) -> float:
        """The costs in one number; their mean unless a problem says otherwise."""
        return MEAN.of(costs)

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """What must be the same for a stored run to be resumed: specs, and fingerprints of the data."""


class Optimizer(Method, ABC, Generic[Genome, Candidate]):
    """A way to search. A subclass writes `search` as a generator."""

    registered_in: ClassVar[str] = "optimizers"
    noun: ClassVar[str] = "an optimiser such as evolution(population=50)"

    @abstractmethod
    def search(self, problem: Any, rng: np.random.Generator) -> Asking[Genome, Candidate, None]:
        """Yield generations and take their outcomes, until there is nothing more to try."""
