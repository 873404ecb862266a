"""The one loop that drives every search: judge, journal, report, stop."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from sfumato.core import Cancelled, FileError, marked, progress, stream
from sfumato.core.private import private_folder
from sfumato.core.progress import Task
from sfumato.search.contracts import Asking, Generation, Individual, Optimizer, Outcome, Problem, Trial
from sfumato.search.effort import Effort
from sfumato.search.journal import Journal
from sfumato.search.run_record import Run
from sfumato.search.stop import Ending, Stop
from sfumato.search.stop_rules import StopRule
from sfumato.search.tally import Tally, Teller
from sfumato.version import __version__

STEPS = 1000  # of the progress bar
JOURNAL = "journal.sqlite"
AT_RISK = 1.0  # seconds for which the outcomes of a generation under way are in memory only

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
    effort: Effort,
    *,
    crew: Crew | None = None,
    label: str = "Searching",
    watch: Watch | None = None,
) -> Run:
    """Search until a rule says stop, the optimiser has no more to try, or the user interrupts.

    With a folder every generation is journaled there, and a run that was cut off goes on where it was; the
    outcome is the same as if it had never been. An interrupt keeps the best found so far. `watch` sees every
    generation, also those that come from the journal. A `crew` that is there already judges in place of one
    that is made for this search alone.
    """
    if crew is None:
        with effort.crew(problem) as judges:
            return run(problem, optimizer, effort, crew=judges, label=label, watch=watch)
    identity = {
        "sfumato": __version__,
        "problem": problem.identity(),
        "optimizer": optimizer.spec(),
        "seed": marked(effort.seed),
    }
    search = optimizer.search(problem, stream(effort.seed, "search"))
    tally, teller = Tally(problem), Teller(problem, label)
    with _journal(effort.folder, identity) as journal, progress.task(label, STEPS) as bar:
        answers = _Answers(problem, crew, journal, bar)
        ended, rule = _followed(search, answers, tally, effort.stop, teller, watch)
    teller.tell(tally, last=True)
    return tally.result(
        ended=ended,
        rule=rule,
        resumed=answers.recalled,
        seed=marked(effort.seed),
        optimizer=identity["optimizer"],
        problem=identity["problem"],
    )


def _followed(
    search: Asking[Any, Any, None],
    answers: "_Answers",
    tally: Tally,
    stop: Stop,
    teller: Teller,
    watch: Watch | None,
) -> tuple[Ending, StopRule | None]:
    """Answer an optimiser until the search ends; how it ended, and by which rule if by one."""
    try:
        generation = next(search)
        while (rule := tally.holding(stop)) is None:
            outcomes = answers.to(generation)
            tally.take(generation.trials, outcomes, answers.seconds)
            asked, generation = generation, search.send(outcomes)
            tally.hold(generation.population)
            if watch is not None:
                watch(asked, outcomes, generation.population)
            teller.tell(tally)
            share = max(stop.share(tally.now()), answers.share(generation))
            answers.bar.advance(int(STEPS * share) - answers.bar.done, status=tally.status())
    except StopIteration:
        return Ending.NOTHING_LEFT, None
    except (KeyboardInterrupt, Cancelled):
        if not tally.population:
            raise
        progress.honour()
        whole = generation.total and not generation.trials
        return Ending.NOTHING_LEFT if whole else Ending.BY_USER, None
    return Ending.BY_RULE, rule


def judge(problem: Problem[Any, Any], candidate: Any) -> Outcome | None:
    """Judge a candidate, unless it came without something that is not known here.

    A function by name, so that worker processes can call it.
    """
    return problem.judge(candidate) if problem.knows(candidate) else None


class _Answers:
    """The outcomes of each generation: first those in the journal, then new ones, which go there."""

    def __init__(self, problem: Problem[Any, Any], crew: Crew, journal: Journal | None, bar: Task) -> None:
        self.problem, self.crew, self.journal, self.bar = problem, crew, journal, bar
        self.stored = journal.generations() if journal is not None else iter(())
        self.number = self.recalled = self.tried = 0
        self.seconds = 0.0
        self.began: float | None = None

    def to(self, generation: Generation[Any, Any]) -> list[Outcome]:
        stored = next(self.stored, None) if self.began is None else None
        if stored is None:
            found = self._judged(generation)
        else:
            self.seconds, outcomes = stored
            found = dict(enumerate(outcomes))
            self.recalled += 1
            self._check(found, generation, whole=True)
            for position in found:
                self._show(generation, position, found[position])
        self.number += 1
        return [found[position] for position in range(len(generation.trials))]

    def share(self, generation: Generation[Any, Any]) -> float:
        """How much of all there is to try was tried, where the optimiser knows how much that is."""
        return min(1.0, self.tried / generation.total) if generation.total else 0.0

    def _judged(self, generation: Generation[Any, Any]) -> dict[int, Outcome]:
        found = self._parts(generation)
        new: dict[int, Outcome] = {}
        written = time.perf_counter()
        try:
            for position, outcome in self._arriving(generation.trials, found):
                found[position] = new[position] = outcome
                if time.perf_counter() - written > AT_RISK:
                    self._write(new)
                    written = time.perf_counter()
                self._show(generation, position, outcome)
        except BaseException:  # whatever ends the search here, what it knows is not lost
            self._write(new)
            raise
        self.seconds = self._clock()
        if self.journal is not None:
            self.journal.append(self.number, self.seconds, [found[i] for i in range(len(found))])
        return found

    def _parts(self, generation: Generation[Any, Any]) -> dict[int, Outcome]:
        """What is known of a generation that was cut off; the clock goes on from there."""
        found: dict[int, Outcome] = {}
        if self.began is None:
            if self.journal is not None:
                seconds, found = self.journal.parts(self.number)
                self.seconds = max(self.seconds, seconds)
                self._check(found, generation, whole=False)
            self.began = time.perf_counter() - self.seconds
            for position in sorted(found):
                self._show(generation, position, found[position])
        return found

    def _clock(self) -> float:
        """Seconds of the search, those before it was resumed among them."""
        return time.perf_counter() - (self.began or 0.0)

    def _write(self, new: dict[int, Outcome]) -> None:
        if new and self.journal is not None:
            self.journal.append_part(self.number, self._clock(), new)
        new.clear()

    def _check(self, found: dict[int, Outcome], generation: Generation[Any, Any], *, whole: bool) -> None:
        count = len(generation.trials)
        if len(found) != count if whole else any(position >= count for position in found):
            path = self.journal.path if self.journal is not None else ""
            raise FileError(f"{path}: generation {self.number} does not fit this run; start a new one.")

    def _show(self, generation: Generation[Any, Any], position: int, outcome: Outcome) -> None:
        """Tell the listener of a candidate that is shown by itself, and how far a known way is gone."""
        self.tried += 1
        point = self.problem.point(generation.trials[position].candidate, outcome)
        if point is not None:
            progress.found("candidate", point)
        if generation.total:
            done = int(STEPS * self.share(generation))
            self.bar.advance(done - self.bar.done, status=f"{self.tried} of {generation.total} tried")

    def _arriving(
        self, trials: Sequence[Trial[Any]], found: dict[int, Outcome]
    ) -> Iterator[tuple[int, Outcome]]:
        """Judge those that are not found yet: light first, then whole where something was not known."""
        unknown = []
        asked = {i: self.problem.light(t.candidate) for i, t in enumerate(trials) if i not in found}
        for position, outcome in self._sent(trials, asked):
            if outcome is None:
                unknown.append(position)
            else:
                yield position, outcome
        if unknown:
            yield from self._sent(trials, {i: trials[i].candidate for i in sorted(unknown)})

    def _sent(self, trials: Sequence[Trial[Any]], asked: dict[int, Any]) -> Iterator[tuple[int, Any]]:
        places = list(asked)
        things = [thing for i in places if (thing := trials[i].thing) is not None]
        jobs = list(asked.values())
        for number, outcome in self.crew.run(judge, jobs, things if len(things) == len(jobs) else None):
            yield places[number], outcome


def _journal(folder: Path | None, identity: dict[str, Any]) -> AbstractContextManager[Journal | None]:
    if folder is None:
        return nullcontext()
    return Journal(private_folder(folder) / JOURNAL, identity)
