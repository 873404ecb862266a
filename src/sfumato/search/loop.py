"""The one loop that drives every search: judge, journal, report, stop."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from sfumato.core import Cancelled, FileError, progress, stream
from sfumato.search.contracts import Generation, Individual, Optimizer, Outcome, Problem, Trial
from sfumato.search.journal import Journal
from sfumato.search.pareto import front
from sfumato.search.run_file import run_folder
from sfumato.search.run_record import Operator, Run, Step
from sfumato.search.stop import Stop
from sfumato.search.tally import Tally
from sfumato.search.teller import Teller
from sfumato.version import __version__

__all__ = ["JOURNAL", "Crew", "Operator", "Run", "Step", "front", "judge", "run"]

STEPS = 1000  # of the progress bar
JOURNAL = "journal.sqlite"


Watch = Callable[[Generation[Any, Any], Sequence[Outcome], Sequence[Individual[Any]]], None]
"""Told what an optimiser asked for, what it was told, and the population it then held."""


class Crew(Protocol):
    """Whoever judges candidates: this process, the cores of this machine, or a cluster."""

    def run(
        self,
        function: Callable[[Any, Any], Any],
        jobs: Sequence[Any],
        things: Sequence[int] | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """Yield the position and outcome of each job."""


def run(
    problem: Problem[Any, Any],
    optimizer: Optimizer[Any, Any],
    *,
    seed: int = 0,
    stop: Stop,
    crew: Crew,
    folder: Path | None = None,
    label: str = "Searching",
    watch: Watch | None = None,
) -> Run:
    """Search until a rule says stop, the optimiser has no more to try, or the user interrupts.

    With a `folder` every generation is journaled there, and a run that was cut off goes on where it was; the
    outcome is the same as if it had never been. An interrupt keeps the best found so far. `watch` sees every
    generation, also those that come from the journal.
    """
    identity = {
        "sfumato": __version__,
        "problem": problem.identity(),
        "optimizer": optimizer.spec(),
        "seed": seed,
    }
    search = optimizer.search(problem, stream(seed, "search"))
    tally, teller = Tally(problem), Teller(problem, label)
    with _journal(folder, identity) as journal, progress.task(label, STEPS) as bar:
        judges = _Judges(problem, crew, journal)
        try:
            generation = next(search)
            while not (ended := tally.reason(stop)):
                outcomes = judges.outcomes(generation.trials)
                tally.take(generation.trials, outcomes, judges.seconds)
                asked, generation = generation, search.send(outcomes)
                tally.hold(generation.population)
                if watch is not None:
                    watch(asked, outcomes, generation.population)
                teller.tell(tally)
                bar.advance(int(STEPS * stop.share(tally.now())) - bar.done, status=tally.status())
        except StopIteration:
            ended = "there was nothing more to try"
        except (KeyboardInterrupt, Cancelled):
            if not tally.population:
                raise
            ended = "the user stopped it"
            progress.honour()
    teller.tell(tally, last=True)
    return tally.result(
        ended=ended,
        resumed=judges.recalled,
        seed=seed,
        optimizer=identity["optimizer"],
        problem=identity["problem"],
    )


def judge(problem: Problem[Any, Any], candidate: Any) -> Outcome | None:
    """Judge a candidate, unless it came without something that is not known here.

    A function by name, so that worker processes can call it.
    """
    return problem.judge(candidate) if problem.knows(candidate) else None


class _Judges:
    """Gives the outcomes of each generation: first those in the journal, then new ones, which go there."""

    def __init__(self, problem: Problem[Any, Any], crew: Crew, journal: Journal | None) -> None:
        self.problem, self.crew, self.journal = problem, crew, journal
        self.stored = journal.generations() if journal is not None else iter(())
        self.number = self.recalled = 0
        self.seconds = 0.0
        self.began: float | None = None

    def outcomes(self, trials: Sequence[Trial[Any]]) -> list[Outcome]:
        """One for each trial."""
        recalled = next(self.stored, None) if self.began is None else None
        found = self._judged(trials) if recalled is None else self._fitting(*recalled, trials)
        self.number += 1
        return found

    def _fitting(self, seconds: float, found: list[Outcome], trials: Sequence[Trial[Any]]) -> list[Outcome]:
        if len(found) != len(trials):
            path = self.journal.path if self.journal is not None else ""
            raise FileError(f"{path}: generation {self.number} does not fit this run; start a new one.")
        self.seconds, self.recalled = seconds, self.recalled + 1
        return found

    def _judged(self, trials: Sequence[Trial[Any]]) -> list[Outcome]:
        if self.began is None:
            self.began = time.perf_counter() - self.seconds
        light = [replace(trial, candidate=self.problem.light(trial.candidate)) for trial in trials]
        outcomes = self._sent(light)
        if unknown := [position for position, outcome in enumerate(outcomes) if outcome is None]:
            for position, outcome in zip(unknown, self._sent([trials[i] for i in unknown]), strict=True):
                outcomes[position] = outcome
        self.seconds = time.perf_counter() - self.began
        if self.journal is not None:
            self.journal.append(self.number, self.seconds, outcomes)
        return outcomes

    def _sent(self, trials: Sequence[Trial[Any]]) -> list[Any]:
        """What the crew answers to each trial."""
        things = [trial.thing for trial in trials if trial.thing is not None]
        candidates = [trial.candidate for trial in trials]
        found = dict(self.crew.run(judge, candidates, things if len(things) == len(trials) else None))
        return [found[position] for position in range(len(trials))]


def _journal(folder: Path | None, identity: dict[str, Any]) -> AbstractContextManager[Journal | None]:
    if folder is None:
        return nullcontext()
    return Journal(run_folder(folder) / JOURNAL, identity)
