"""Evolving protected files: masked versions of a file are mixed and changed until none of them gets better."""

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sfumato.core import DataError, GateError, ParameterError, parameters, progress, registry
from sfumato.data import Table
from sfumato.measures import Measure, Score
from sfumato.search.contracts import Individual, Optimizer
from sfumato.search.effort import Effort
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.file_evolution.presets import preset as preset_of
from sfumato.search.file_evolution.starts import masked_start, portfolio_start
from sfumato.search.fitness import Yardstick
from sfumato.search.loop import run
from sfumato.search.maskings.gates import Gate, GateReading, check_gates
from sfumato.search.problems.masked_files import MaskedFiles, Origin
from sfumato.search.run_record import Run
from sfumato.search.stop import Ending, Stop
from sfumato.studies.evaluate import evaluate
from sfumato.studies.evolved import Evolved
from sfumato.studies.honesty import honesty
from sfumato.studies.released import released_names
from sfumato.studies.yardsticks import fitness_of, front_of

USUAL_SECONDS = 60.0

Start = Sequence[tuple[Origin, Table]]


def evolve(
    table: Table,
    *,
    preset: str = "fast",
    seed: int = 0,
    seconds: float | None = None,
    generations: int | None = None,
    target: float | None = None,
    stagnation: int | None = None,
    score: str | None = None,
    weight: float = 0.5,
    loss: Sequence[Any] = (),
    risk: Sequence[Any] = (),
    add: Sequence[Any] = (),
    front: bool = False,
    objectives: Sequence[Any] = (),
    drop_best: float = 0.0,
    selection: str | None = None,
    methods: Sequence[str] = (),
    require: Sequence[str] = (),
    keep: Sequence[str] = (),
    workers: int = 1,
    cluster: str = "",
    folder: str | Path | None = None,
) -> Evolved:
    """Evolve masked versions of the key attributes, and release the one with the best score.

    The search ends after `seconds`, after so many `generations`, at the `target` score, after so many
    generations of `stagnation`, or when it is interrupted; the first of them counts, and one minute is the
    limit where none is given. It lowers the measures of its preset, or those named in `loss` and `risk`,
    and in `add` beside them, as one `score`: "max", "mean" or "weighted" (by the `weight` of the loss).

    `require` lists what the release must meet, such as "k >= 5": the best file that does is taken, from the
    end or, if none there does, from the start. With a `folder` the run is kept there generation by
    generation, and goes on if it is already there. As many generations give the same file again.

    With `front` all compromises are sought at once (NSGA-II) instead of one score, between the same measures
    or those named in `objectives`; the one with the best score of them is released. `drop_best` leaves out
    so many percent of the best of the start, and `selection` says how individuals are drawn (see the
    optimiser `evolution`).

    >>> from sfumato.datasets import business_survey
    >>> found = evolve(business_survey(60, seed=1), generations=5, methods=["mdav", "rank_swapping"])
    >>> found.generations, found.run.score <= found.run.history[0].best
    (5, True)
    """
    if table.n == 0:
        raise DataError("The table holds no record: there is nothing to evolve.")
    keys = table.schema.with_role("key")
    if not keys:
        raise DataError("No attribute has the role key: say in the schema what an intruder may know.")
    way = preset_of(preset)
    stop = stop_of(seconds=seconds, generations=generations, target=target, stagnation=stagnation)
    scalar = fitness_of(preset, score=score, weight=weight, loss=loss, risk=risk, add=add)
    fitness = front_of(scalar, objectives, score=score) if front or objectives else scalar
    for measure in fitness.measures:
        _check_fits(measure, table)
    check_gates([Gate.parse(text) for text in require], table)
    released_names(table, keep)
    optimizer = _tuned(
        registry.make("optimizers", "nsga2") if front or objectives else way.optimizer,
        drop_best=drop_best or None,
        selection=selection,
    )
    maskings = portfolio_start(table, keys, methods=methods) if methods else way.start(table, keys)
    return evolved_from(
        table,
        masked_start(table, maskings, seed=seed, workers=workers),
        fitness=fitness,
        optimizer=optimizer,
        stop=stop,
        preset=preset,
        seed=seed,
        methods=methods,
        require=require,
        keep=keep,
        workers=workers,
        cluster=cluster,
        folder=None if folder is None else Path(folder),
    )


def stop_of(
    *,
    seconds: float | None = None,
    generations: int | None = None,
    target: float | None = None,
    stagnation: int | None = None,
) -> Stop:
    """The rules that were given; one minute where none of them ends a search.

    >>> stop_of(target=5.0)
    Stop(target=5.0, seconds=60.0)
    """
    limits = {"seconds": seconds, "generations": generations, "target": target, "stagnation": stagnation}
    return Stop.given(limits, usual={"seconds": USUAL_SECONDS})


def evolved_from(
    table: Table,
    start: Start,
    *,
    fitness: Yardstick,
    optimizer: Optimizer[Any, Any],
    stop: Stop,
    preset: str = "",
    seed: int = 0,
    methods: Sequence[str] = (),
    require: Sequence[str] = (),
    keep: Sequence[str] = (),
    workers: int = 1,
    cluster: str = "",
    folder: Path | None = None,
) -> Evolved:
    """Evolve masked versions of a table, each with the name of what made it, and release the best."""
    began = time.perf_counter()
    gates = [Gate.parse(text) for text in require]
    kept = released_names(table, keep)
    problem = MaskedFiles(table, table.schema.with_role("key"), fitness, start)
    effort = Effort(stop=stop, seed=seed, workers=workers, cluster=cluster, folder=folder)
    found = run(problem, optimizer, effort, label="Evolving")
    if found.ended is Ending.BY_USER:
        progress.note("stopped; the best file so far is judged and kept. Another Ctrl-C stops at once.")
    chosen, masked, readings = _released(problem, found, gates)
    best_start = min(found.start, key=lambda individual: problem.score(individual.costs))
    return Evolved(
        original=table,
        release=masked.select(kept),
        run=found,
        chosen=chosen,
        fitness=fitness,
        evaluation=evaluate(table, masked),
        honesty=honesty(table, masked, problem.decode(best_start.genome), fitness=fitness, seed=seed),
        gates=readings,
        preset=preset,
        methods=tuple(methods),
        seed=seed,
        seconds=time.perf_counter() - began,
    )


def _tuned(optimizer: Optimizer[Any, Any], **given: Any) -> Optimizer[Any, Any]:
    """The optimiser with the parameters that were given in place of its own."""
    changed = {name: value for name, value in given.items() if value is not None}
    known = parameters(type(optimizer))
    for name in changed:
        if name not in known:
            raise ParameterError(f"{optimizer.name} has no parameter {name}: leave it out.")
    return dataclasses.replace(optimizer, **changed) if changed else optimizer


def _check_fits(measure: Measure, table: Table) -> None:
    """Refuse, before any search, a measure that can judge nothing of the table."""
    if not (measure.attributes or measure.fitting(table)):
        measure.bind(table)


def _released(
    problem: MaskedFiles, found: Run, gates: Sequence[Gate]
) -> tuple[Individual[Genome], Table, tuple[GateReading, ...]]:
    """The best individual that meets every gate, its file, and what the gates read of it."""
    bounds = {gate.measure: gate.make_measure().bind(problem.source) for gate in gates}
    pool = _ranked(problem, found)
    best: dict[Gate, float] = {}
    with progress.task("Checking the requirements", len(pool)) as work:
        for individual in pool:
            masked = problem.decode(individual.genome)
            scores = {name: bound.score(masked) for name, bound in bounds.items()}
            if all(gate.holds(scores) for gate in gates):
                _say_if_from_start(individual, found)
                return individual, masked, tuple(_reading(gate, scores) for gate in gates)
            best |= {gate: _better(gate, best.get(gate), gate.reading(scores)) for gate in gates}
            work.advance()
    raise GateError(_shortfall(len(pool), best))


def _ranked(problem: MaskedFiles, found: Run) -> list[Individual[Genome]]:
    """All files of the end and of the start, each once, by their score; of equals, those of the end first."""
    distinct: dict[bytes, Individual[Genome]] = {}
    for one in (found.best, *found.population, *found.start):
        distinct.setdefault(one.genome.key, one)
    return sorted(distinct.values(), key=lambda one: problem.score(one.costs))


def _say_if_from_start(individual: Individual[Genome], found: Run) -> None:
    if individual is not found.best and individual.genome.key in {one.genome.key for one in found.start}:
        progress.note(
            f"no evolved file meets the requirements with a better score than {individual.origin}, "
            "which is released as it was at the start."
        )


def _reading(gate: Gate, scores: dict[str, Score]) -> GateReading:
    return GateReading(gate=gate, reading=gate.reading(scores), holds=True)


def _better(gate: Gate, one: float | None, other: float) -> float:
    if one is None:
        return other
    return max(one, other) if gate.wants_more else min(one, other)


def _shortfall(count: int, best: dict[Gate, float]) -> str:
    reached = ", ".join(f"{gate} (the best reaches {value:g})" for gate, value in best.items())
    return (
        f"None of {count} evolved and unevolved files meets what is required: {reached}; nothing was written."
    )
