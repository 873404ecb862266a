"""The one loop that drives every search: judge, journal, report, stop."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

from sfumato.core import Cancelled, FileError, Result, progress, stream
from sfumato.search.contracts import Costs, Generation, Individual, Optimizer, Outcome, Problem, Trial
from sfumato.search.journal import Journal
from sfumato.search.stopping import Progress, Stop
from sfumato.version import __version__

STEPS = 1000  # of the progress bar
JOURNAL = "journal.sqlite"


class Crew(Protocol):
    """Whoever judges candidates: this process, the cores of this machine, or a cluster."""

    def run(self, function: Callable[[Any, Any], Any], jobs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the position and outcome of each job."""


@dataclass
class Operator:
    """How often an operator was tried, how often its child was kept, and how much the score fell by it."""

    tried: int = 0
    kept: int = 0
    gain: float = 0.0


class Step(Result):
    """One generation of a run, in numbers."""

    generation: int
    evaluations: int
    seconds: float
    best: float
    mean: float
    worst: float


class Run(Result):
    """What a search found, and how it came to it."""

    drawn_by: ClassVar[str] = "score_evolution"

    objectives: tuple[str, ...]
    start: tuple[Individual[Any], ...] = field(repr=False)
    population: tuple[Individual[Any], ...] = field(repr=False)
    best: Individual[Any] = field(repr=False)
    score: float
    history: tuple[Step, ...]
    operators: dict[str, Operator]
    ended: str
    evaluations: int
    seconds: float
    resumed: int
    seed: int
    optimizer: dict[str, Any]
    problem: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the genomes."""
        people = {"start": self.start, "population": self.population, "best": (self.best,)}
        costs = {k: [{"origin": i.origin, "costs": list(i.costs)} for i in v] for k, v in people.items()}
        return {**super().to_dict(), **costs}

    def _rows(self) -> list[dict[str, Any]]:
        return [step.to_dict() for step in self.history]


def run(
    problem: Problem[Any, Any],
    optimizer: Optimizer[Any, Any],
    *,
    seed: int = 0,
    stop: Stop,
    crew: Crew,
    folder: Path | None = None,
    label: str = "Searching",
) -> Run:
    """Search until a rule says stop, the optimiser has no more to try, or the user interrupts.

    With a `folder` every generation is journaled there, and a run that was cut off goes on where it was; the
    outcome is the same as if it had never been. An interrupt keeps the best found so far.
    """
    identity = {
        "sfumato": __version__,
        "problem": problem.identity(),
        "optimizer": optimizer.spec(),
        "seed": seed,
    }
    search = optimizer.search(problem, stream(seed, "search"))
    state = _State(problem)
    with _journal(folder, identity) as journal, progress.task(label, STEPS) as bar:
        generation = next(search)
        if journal is not None:
            generation = _replay(journal, state, search, generation)
        state.resumed = state.number
        began = time.perf_counter() - state.seconds
        ended = ""
        try:
            while not (ended := state.reason(stop)):
                outcomes = _judged(crew, generation.trials)
                seconds = time.perf_counter() - began
                if journal is not None:
                    journal.append(state.number, seconds, outcomes)
                state.take(generation, outcomes, seconds)
                generation = search.send(outcomes)
                state.hold(generation)
                bar.advance(state.steps(stop) - bar.done, status=state.status())
        except StopIteration:
            ended = "there was nothing more to try"
        except (KeyboardInterrupt, Cancelled):
            if not state.population:
                raise
            ended = "the user stopped it"
            progress.honour()
    return state.result(ended, seed, identity)


def _journal(folder: Path | None, identity: dict[str, Any]) -> AbstractContextManager[Journal | None]:
    if folder is None:
        return nullcontext()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: the run folder cannot be made ({error.strerror}).") from None
    return Journal(folder / JOURNAL, identity)


def _replay(journal: Journal, state: "_State", search: Any, generation: Generation[Any, Any]) -> Any:
    """Tell the optimiser what it was told before."""
    for seconds, outcomes in journal.generations():
        if len(outcomes) != len(generation.trials):
            raise FileError(
                f"{journal.path}: generation {state.number} does not fit this run; start a new one."
            )
        state.take(generation, outcomes, seconds)
        generation = search.send(outcomes)
        state.hold(generation)
    return generation


def _judged(crew: Crew, trials: Sequence[Trial[Any]]) -> list[Outcome]:
    found: dict[int, Outcome] = dict(crew.run(judge, [trial.candidate for trial in trials]))
    return [found[position] for position in range(len(trials))]


def judge(problem: Problem[Any, Any], candidate: Any) -> Outcome:
    """Judge a candidate; a function by name, so that worker processes can call it."""
    return problem.judge(candidate)


class _State:
    """What the loop keeps count of."""

    def __init__(self, problem: Problem[Any, Any]) -> None:
        self.problem = problem
        self.number = self.evaluations = self.unchanged = self.resumed = 0
        self.seconds = 0.0
        self.start: tuple[Individual[Any], ...] = ()
        self.population: tuple[Individual[Any], ...] = ()
        self.best: Individual[Any] | None = None
        self.score = float("inf")
        self.history: list[Step] = []
        self.operators: defaultdict[str, Operator] = defaultdict(Operator)

    def take(self, generation: Generation[Any, Any], outcomes: list[Outcome], seconds: float) -> None:
        """Count the outcomes of a generation."""
        self.number, self.seconds = self.number + 1, seconds
        for trial, outcome in zip(generation.trials, outcomes, strict=True):
            self.evaluations += trial.evaluations
            if trial.parent is not None:
                operator = self.operators[trial.operator]
                gain = trial.parent - self.problem.score(outcome.costs)
                operator.tried += trial.evaluations
                operator.kept += len(outcome.kept) or int(gain > 0 and trial.evaluations == 1)
                operator.gain += max(gain, 0.0)

    def hold(self, generation: Generation[Any, Any]) -> None:
        """Look at the population that came of it."""
        self.population = tuple(generation.population)
        self.start = self.start or self.population
        scores = [self.problem.score(individual.costs) for individual in self.population]
        best = min(scores)
        self.unchanged = 0 if best < self.score else self.unchanged + 1
        if best < self.score:
            self.score, self.best = best, self.population[scores.index(best)]
        self.history.append(
            Step(
                generation=self.number,
                evaluations=self.evaluations,
                seconds=self.seconds,
                best=best,
                mean=sum(scores) / len(scores),
                worst=max(scores),
            )
        )

    def now(self) -> Progress:
        return Progress(self.number, self.seconds, self.score, self.unchanged)

    def reason(self, stop: Stop) -> str:
        return stop.reason(self.now()) if self.population else ""

    def steps(self, stop: Stop) -> int:
        return int(STEPS * stop.share(self.now()))

    def status(self) -> str:
        last = self.history[-1]
        speed = self.evaluations / max(self.seconds, 1e-9)
        return (
            f"generation {self.number}, score {last.best:.2f} (mean {last.mean:.2f}, worst {last.worst:.2f}), "
            f"{speed:.0f} evaluations a second"
        )

    def result(self, ended: str, seed: int, identity: dict[str, Any]) -> Run:
        if self.best is None:
            raise RuntimeError("the optimiser ended without a population")
        return Run(
            objectives=self.problem.objectives,
            start=self.start,
            population=self.population,
            best=self.best,
            score=self.score,
            history=tuple(self.history),
            operators=dict(self.operators),
            ended=ended,
            evaluations=self.evaluations,
            seconds=self.seconds,
            resumed=self.resumed,
            seed=seed,
            optimizer=identity["optimizer"],
            problem=identity["problem"],
        )


def front(population: Sequence[Individual[Any]]) -> list[Individual[Any]]:
    """The individuals that no other one beats, by growing first cost; of equals, the first."""
    seen: dict[Costs, Individual[Any]] = {}
    for individual in population:
        seen.setdefault(individual.costs, individual)
    unbeaten = [i for c, i in seen.items() if not any(_beats(other, c) for other in seen)]
    return sorted(unbeaten, key=lambda individual: individual.costs)


def _beats(a: Costs, b: Costs) -> bool:
    return a != b and all(x <= y for x, y in zip(a, b, strict=True))
