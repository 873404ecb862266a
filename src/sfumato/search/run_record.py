"""What a search leaves behind: its generations in numbers, what its operators did, and what it found."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from sfumato.core import Result
from sfumato.search.contracts import Costs, Individual
from sfumato.search.pareto import front
from sfumato.search.stop import Ending
from sfumato.search.stop_rules import StopRule


@dataclass
class Operator:
    """How often an operator was tried, how often its child was kept, and how much the score fell by it."""

    tried: int = 0
    kept: int = 0
    gain: float = 0.0


class Step(Result):
    """One generation of a run, in numbers; generation 0 is the start.

    Where a front is sought, `hypervolume` is the percent of the box between 0 and the reference point that
    the population dominates.
    """

    generation: int
    evaluations: int
    seconds: float
    best: float
    mean: float
    worst: float
    hypervolume: float | None = None


class Run(Result):
    """What a search found, and how it came to it. Where a rule ended it, it is named.

    `course` has the costs of the best of each population, for pictures; records do without it.
    """

    drawn_by: ClassVar[str] = "score_evolution"

    objectives: tuple[str, ...]
    reference: Costs | None
    start: tuple[Individual[Any], ...] = field(repr=False)
    population: tuple[Individual[Any], ...] = field(repr=False)
    best: Individual[Any] = field(repr=False)
    score: float
    history: tuple[Step, ...]
    operators: dict[str, Operator]
    ended: Ending
    evaluations: int
    seconds: float
    resumed: int
    seed: int | str
    optimizer: dict[str, Any]
    problem: dict[str, Any]
    rule: StopRule | None = field(default=None, repr=False)
    course: tuple[Costs, ...] = field(default=(), repr=False)

    @property
    def reason(self) -> str:
        """Why it ended, in the words that follow "since"."""
        return self.ended.value if self.rule is None else self.rule.reason()

    @property
    def front(self) -> list[Individual[Any]]:
        """The individuals of the last population that no other one beats, by growing first cost."""
        return front(self.population)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the genomes; how it ended as people read it."""
        people = {"start": self.start, "population": self.population, "best": (self.best,)}
        costs = {k: [{"origin": str(i.origin), "costs": list(i.costs)} for i in v] for k, v in people.items()}
        found = {key: value for key, value in super().to_dict().items() if key != "course"}
        return {**found, "ended": self.reason, **costs}

    def _rows(self) -> list[dict[str, Any]]:
        return [step.to_dict() for step in self.history]
