"""An evolution: files from a start to the best that may go out, and what others say of it."""

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sfumato.core import DataError, GateError, Seed, progress
from sfumato.data import Table
from sfumato.jobs._evolved import Evolved
from sfumato.jobs._order import Order
from sfumato.jobs._rehearsal import Rehearsal, rehearsals
from sfumato.jobs._treatment import Treatments, treatments
from sfumato.jobs._verdict import People, Verdict, gate_scores, verdict
from sfumato.jobs._work import Work
from sfumato.jobs.evaluate import scored
from sfumato.masking import Masking
from sfumato.masking.calibrated_synthesis import CalibratedSynthesis
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.search.contracts import Costs, Individual, Optimizer
from sfumato.search.effort import Effort
from sfumato.search.file_evolution.starts import masked_start
from sfumato.search.fitness import Aim, Fitness, Nearness, Objectives
from sfumato.search.loop import run
from sfumato.search.maskings.gates import Gate, GateReading
from sfumato.search.problems.masked_files import MaskedFiles, Origin
from sfumato.search.problems.synthetic_files import SyntheticFiles
from sfumato.search.run_record import Run
from sfumato.search.stop import Ending, Stop

Start = Sequence[tuple[Origin, Table]]
SMALL = 50_000  # cells of all files, which are searched before other processes have begun


class Files(Protocol):
    """A problem whose genomes are files, and what the original of them all is."""

    source: Table

    def decode(self, genome: Any) -> Table: ...

    def score(self, costs: Costs) -> float: ...


Making = Callable[[Table, Seed], Any]
"""The same problem of other people, under a seed of its own."""


@dataclass(frozen=True, kw_only=True)
class Search:
    """How files are evolved: what is lowered, by whom, until when, and what may go out.

    `synthesis` is what makes their records, if these are those of nobody.
    """

    fitness: Aim
    optimizer: Optimizer[Any, Any]
    stop: Stop
    preset: str = ""
    seed: Seed = 0
    require: tuple[Gate, ...] = ()
    treated: Treatments | None = None
    rehearsals: int = 0
    with_verdict: bool = True
    synthesis: CalibratedSynthesis | None = None


@dataclass(frozen=True)
class _File:
    """A file of a run, with what the fitness, others and the gates say of it."""

    individual: Individual[Any]
    table: Table
    costs: Costs
    verdict: Verdict | None
    gates: tuple[GateReading, ...]

    @property
    def meets(self) -> bool:
        return all(one.holds for one in self.gates)


def evolved_from(
    table: Table, start: Start, search: Search, work: Work, *, folder: Path | None = None
) -> Evolved:
    """Evolve masked versions of a table, each with the name of what made it, and release the best."""
    fitness = search.fitness
    assert isinstance(fitness, Fitness | Objectives), "masked files are judged by measures"
    keys = table.schema.with_role("key")
    problem = MaskedFiles(table, keys, fitness, start)

    def again(inside: Table, seed: Seed) -> MaskedFiles:
        maskings = [origin for origin, _ in start if isinstance(origin, Masking)]
        if not maskings:
            raise DataError("the files it started from were given, and cannot be made of other people.")
        begun = masked_start(inside, maskings, seed=seed, workers=work.processes)
        return MaskedFiles(inside, keys, fitness, begun)

    treated = search.treated or treatments(table, masked=keys)
    return _released(
        table, problem, _Again(again, dataclasses.replace(search, treated=treated), work), folder
    )


def synthesised_from(table: Table, search: Search, work: Work, *, folder: Path | None = None) -> Evolved:
    """Evolve synthetic versions of the columns of a table that are released, and release the best."""
    assert search.treated is not None, "the columns that are released are known"

    def made(people: Table, seed: Seed) -> SyntheticFiles:
        return SyntheticFiles(people, seed=seed, synthesis=search.synthesis)

    problem = made(table.select(search.treated.released), search.seed)
    return _released(table, problem, _Again(made, search, work), folder)


def _released(table: Table, problem: Any, again: "_Again", folder: Path | None) -> Evolved:
    """Search, and release the best file of what was found.

    It is judged beside the best file of the start, by people and models that the search never used. Where it made a
    risk worse by more than the intervals allow, and that file meets the gates, the start is what is released.
    """
    began = time.perf_counter()
    search, treated = again.search, again.search.treated
    assert treated is not None, "what becomes of each column is known"
    effort = _fitting(again.work.effort(search.stop, search.seed, folder), problem, search.optimizer)
    found = run(problem, search.optimizer, effort, label="Evolving")
    if found.ended is Ending.BY_USER:
        progress.note("stopped; the best file so far is judged and kept. Another Ctrl-C stops at once.")
    best, first = _judged(problem, found, again)
    worse = best.verdict.worse_than(first.verdict) if best.verdict and first.verdict else ()
    released = _chosen(best, first, bool(worse))
    return Evolved(
        original=table,
        aligned=released.table.select(treated.released),
        treated=treated,
        order=Order.drawn(released.table.n, search.seed, released.table.fingerprint),
        run=found,
        chosen=released.individual,
        fitness=search.fitness,
        evaluation=scored(problem.source, released.table, again.work),
        costs=released.costs,
        start_costs=first.costs,
        verdict=released.verdict,
        start_verdict=first.verdict,
        worse=worse if released is first else (),
        gates=released.gates,
        preset=search.preset,
        synthesis=search.synthesis,
        seconds=time.perf_counter() - began,
    )


def _fitting(effort: Effort, problem: Any, optimizer: Optimizer[Any, Any]) -> Effort:
    """No other process for what is done before one would have begun."""
    if not isinstance(problem, SyntheticFiles) or effort.cluster:
        return effort
    cells = problem.source.n * len(problem.names) * getattr(optimizer, "starts", 1)
    return effort.alone() if cells <= SMALL else effort


def _chosen(best: _File, first: _File, is_worse: bool) -> _File:
    """The file that is released: the best one, or that of the start where the search made it easier to attack."""
    if not best.meets and not first.meets:
        raise GateError(_shortfall(2, {one.gate: one.reading for one in best.gates if not one.holds}))
    if not best.meets:
        progress.note("the evolved file does not meet what is required with people outside; its start does.")
        return first
    if is_worse and not first.meets:
        progress.note("the search made it easier to attack, but its start does not meet the requirements.")
        return best
    return first if is_worse else best


@dataclass(frozen=True)
class _Again:
    """A search that can be done once more on other people, and for as many generations."""

    made: Making
    search: Search
    work: Work

    def rehearsals(self, table: Table, found: Run) -> list[tuple[Rehearsal, Rehearsal]]:
        """Each with the best file, and with the best one of its start."""
        made: list[Table] = []

        def make(inside: Table, seed: Seed) -> Table:
            best, first = self._files(inside, seed, found)
            made.append(first)
            return best

        search = self.search
        is_asked = search.with_verdict or any(gate.with_people_outside for gate in search.require)
        again = list(rehearsals(table, make, seed=search.seed, count=search.rehearsals if is_asked else 0))
        return [(one, one._replace(released=first)) for one, first in zip(again, made, strict=True)]

    def _files(self, inside: Table, seed: Seed, found: Run) -> tuple[Table, Table]:
        problem, optimizer = self.made(inside, seed), self.search.optimizer
        effort = _fitting(self.work.effort(_as_long(found), seed), problem, optimizer)
        again = run(problem, optimizer, effort, label="Rehearsing")
        try:
            best = _best_that_meets(problem, again, _on_the_file(self.search.require))
        except GateError:  # which the release does meet; what it is judged by must not hang on that
            best = _best_that_meets(problem, again, ())
        return problem.decode(best.genome), problem.decode(_best_start(problem, again).genome)


def _as_long(found: Run) -> Stop:
    """To the end where a search came to its own; else for as many generations."""
    if found.ended is Ending.NOTHING_LEFT:
        return Stop.when_done()
    return Stop(generations=max(found.history[-1].generation, 1))


def _judged(problem: Files, found: Run, again: _Again) -> tuple[_File, _File]:
    """The best file and the best one of the start; each rehearsal serves both."""
    source, search = problem.source, again.search
    individuals = _best_that_meets(problem, found, _on_the_file(search.require)), _best_start(problem, found)
    tables = [problem.decode(one.genome) for one in individuals]
    costs = _costs(search.fitness, source, individuals, tables)
    made, belongs = again.rehearsals(source, found), search.synthesis is None
    files = []
    for place, (individual, table) in enumerate(zip(individuals, tables, strict=True)):
        people = People(tuple(pair[place] for pair in made), is_rehearsed=True)
        scores = gate_scores(search.require, source, table, people)
        files.append(
            _File(
                individual,
                table,
                costs[place],
                verdict(source, table, people=people, belongs=belongs) if search.with_verdict else None,
                tuple(gate.read(scores) for gate in search.require),
            )
        )
    return files[0], files[1]


def _on_the_file(gates: Sequence[Gate]) -> list[Gate]:
    """The gates that need nobody outside."""
    return [gate for gate in gates if not gate.with_people_outside]


def _costs(
    fitness: Aim, original: Table, individuals: Sequence[Individual[Any]], files: Sequence[Table]
) -> list[Costs]:
    """Loss and risk of files: the means of the measures of each sense; of a usual one where there is none.

    Synthetic files have their gaps for costs, and no others.
    """
    if isinstance(fitness, Nearness):
        return [one.costs for one in individuals]
    senses = [
        [measure.bind(original) for measure in fitness.measures if measure.sense == sense]
        or [usual.bind(original)]
        for sense, usual in (("loss", InformationLoss()), ("risk", DisclosureRisk()))
    ]
    return [
        tuple(float(np.mean([bound.score(file).value for bound in bounds])) for bounds in senses)
        for file in files
    ]


def _best_start(problem: Files, found: Run) -> Individual[Any]:
    return min(found.start, key=lambda individual: problem.score(individual.costs))


def _best_that_meets(problem: Files, found: Run, gates: Sequence[Gate]) -> Individual[Any]:
    """The best individual whose file meets every gate."""
    bounds = {gate.label: gate.measure.bind(problem.source) for gate in gates}
    pool = _ranked(problem, found)
    if not gates:
        return pool[0]
    best: dict[Gate, float] = {}
    with progress.task("Checking the requirements", len(pool)) as work:
        for individual in pool:
            masked = problem.decode(individual.genome)
            scores = {name: bound.score(masked) for name, bound in bounds.items()}
            readings = [gate.read(scores) for gate in gates]
            if all(one.holds for one in readings):
                _say_if_from_start(individual, found)
                return individual
            best |= {one.gate: _better(one.gate, best.get(one.gate), one.reading) for one in readings}
            work.advance()
    raise GateError(_shortfall(len(pool), best))


def _ranked(problem: Files, found: Run) -> list[Individual[Any]]:
    """All files of the end and of the start, each once, by their score; of equals, those of the end first."""
    distinct: dict[bytes, Individual[Any]] = {}
    for one in (found.best, *found.population, *found.start):
        distinct.setdefault(one.genome.key, one)
    return sorted(distinct.values(), key=lambda one: problem.score(one.costs))


def _say_if_from_start(individual: Individual[Any], found: Run) -> None:
    if individual is not found.best and individual.genome.key in {one.genome.key for one in found.start}:
        progress.note(
            f"no evolved file meets the requirements with a better score than {individual.origin}, "
            "which is released as it was at the start."
        )


def _better(gate: Gate, one: float | None, other: float) -> float:
    if one is None:
        return other
    return max(one, other) if gate.wants_more else min(one, other)


def _shortfall(count: int, best: dict[Gate, float]) -> str:
    reached = ", ".join(f"{gate} (the best reaches {value:g})" for gate, value in best.items())
    return (
        f"None of {count} evolved and unevolved files meets what is required: {reached}; nothing was written."
    )
