"""The main job: find the protection with the best balance of risk and loss that meets the user's gates."""

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sfumato.core import DataError, GateError, ParameterError, progress
from sfumato.data import Table
from sfumato.masking import Masking, make_masking
from sfumato.search.effort import Effort
from sfumato.search.file_evolution.presets import preset
from sfumato.search.fitness import Fitness
from sfumato.search.maskings.candidates import Candidate, best_spread, judged, masked_with
from sfumato.search.maskings.gates import Gate, GateReading, check_gates
from sfumato.search.maskings.portfolio_search import search_portfolio
from sfumato.search.stop import Stop
from sfumato.studies.evaluate import evaluate
from sfumato.studies.evolve import evolved_from
from sfumato.studies.evolved import Evolved
from sfumato.studies.protection import Protection
from sfumato.studies.released import released_names

MOST_EVOLVED = 30  # candidates that an evolution starts from
EVOLUTION = "evolution"  # its folder in that of the run


def protect(
    table: Table,
    *,
    seed: int = 0,
    methods: Sequence[str] = (),
    require: Sequence[str] = (),
    score: str = "max",
    keep: Sequence[str] = (),
    workers: int = 1,
    evolve: Stop | None = None,
    grouped: Sequence[int] = (),
    masking: Any = None,
    folder: str | Path | None = None,
    cluster: str = "",
) -> Protection:
    """Try a portfolio of maskings of the key attributes and choose the best balanced one that may go out.

    `score` is "max" (the larger of loss and risk decides, which favours balance) or "mean". `require` lists
    gates such as "k >= 5". Identifiers are dropped from the release unless named in `keep`. With `evolve`,
    which says when to stop, the best candidates are then evolved, and the outcome is released if its score
    is better than theirs. For each k of `grouped` a search also finds which numeric keys to microaggregate
    together. Where a `masking` is given, or its spec, it is the only candidate and nothing is searched. With a
    `folder` what was judged is kept there, and a run that was cut off goes on. With a `cluster`, "local" or the
    address of a Dask scheduler, candidates are judged there.
    """
    if score not in ("max", "mean"):
        raise DataError(f"score must be one of max, mean. Got {score!r}.")
    if table.n == 0:
        raise DataError("The table holds no record: there is nothing to protect.")
    if masking is not None and (methods or grouped or evolve):
        raise ParameterError(
            "A masking was given: leave out methods, grouping and evolving, which search for one."
        )
    start = time.perf_counter()
    gates = [Gate.parse(text) for text in require]
    kept = released_names(table, keep)
    run = None if folder is None else Path(folder)
    if table.schema.with_role("key"):  # a table without is refused below
        check_gates(gates, table)
    measures = [gate.make_measure() for gate in gates]
    if masking is None:
        effort = Effort(stop=Stop.when_done(), seed=seed, workers=workers, cluster=cluster, folder=run)
        tried = search_portfolio(
            table, effort, methods=methods, measures=measures, grouped=grouped, whole=True
        )
        candidates = list(tried.candidates)
    else:
        candidates = [judged(table, make_masking(masking), seed=seed, measures=measures)]
    chosen = choose(candidates, gates, score)
    masked = masked_with(chosen.masking, table, seed=seed)
    found = Protection(
        original=table,
        release=masked.select(kept),
        candidates=tuple(candidates),
        chosen=chosen,
        evaluation=evaluate(table, masked),
        gates=tuple(
            GateReading(gate=gate, reading=gate.reading(chosen.scores), holds=True) for gate in gates
        ),
        methods=tuple(methods),
        grouped=tuple(grouped),
        searched=masking is None,
        score=score,
        seed=seed,
        seconds=time.perf_counter() - start,
    )
    if evolve is None:
        return found
    evolution = evolved_from(
        table,
        _start(found),
        fitness=Fitness(how="mean" if score == "mean" else "max"),
        optimizer=preset("fast").optimizer,
        stop=evolve,
        preset="fast",
        seed=seed,
        methods=methods,
        require=require,
        keep=keep,
        workers=workers,
        cluster=cluster,
        folder=None if run is None else run / EVOLUTION,
    )
    return _with(found, evolution)


def choose(candidates: Sequence[Candidate], gates: Sequence[Gate], score: str) -> Candidate:
    """The candidate with the best score among those that meet every gate; ties go to the earlier one."""
    if not candidates:
        raise DataError("No method of the portfolio could be applied to this table; see the notes.")
    allowed = [c for c in candidates if all(gate.holds(c.scores) for gate in gates)]
    if not allowed:
        raise GateError(_shortfall(candidates, gates))
    return min(allowed, key=lambda c: (c.score(score), c.score("mean")))


def _start(found: Protection) -> list[tuple[Masking, Table]]:
    """The masked files of the chosen candidate and of the best others."""
    others = [c for c in best_spread(list(found.candidates), MOST_EVOLVED) if c is not found.chosen]
    masked = [
        (c.masking, masked_with(c.masking, found.original, seed=found.seed)) for c in [found.chosen, *others]
    ]
    return [(origin, table) for origin, table in masked if table.n == found.original.n]


def _with(found: Protection, evolution: Evolved) -> Protection:
    """The protection with its evolution, whose file is released if its score is better."""
    seconds = found.seconds + evolution.seconds
    if evolution.score >= found.chosen.score(found.score):
        progress.note("evolving found nothing better than the best candidate, which is released.")
        return dataclasses.replace(found, evolution=evolution, seconds=seconds)
    return dataclasses.replace(
        found,
        evolution=evolution,
        release=evolution.release,
        evaluation=evolution.evaluation,
        gates=evolution.gates,
        seconds=seconds,
    )


def _shortfall(candidates: Sequence[Candidate], gates: Sequence[Gate]) -> str:
    if len(candidates) == 1:
        told = (f"{gate} (it reaches {gate.reading(candidates[0].scores):g})" for gate in gates)
        return f"The only candidate does not meet all of {', '.join(told)}; nothing was written."
    for gate in gates:
        readings = [gate.reading(c.scores) for c in candidates]
        best = max(readings) if gate.wants_more else min(readings)
        if not any(gate.holds(c.scores) for c in candidates):
            return f"None of {len(candidates)} candidates meets {gate}: the best reaches {best:g}; nothing was written."
    return f"None of {len(candidates)} candidates meets all of {', '.join(map(str, gates))}; nothing was written."
