"""Table 3.2 with the loss that the published falls would need: both executions, from one start."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sfumato.core import Seed
from sfumato.data import Table
from sfumato.jobs import Line
from sfumato.masking import IndividualRanking, Masking, RankSwapping
from sfumato.measures import DisclosureRisk, Pil
from sfumato.reproductions._evolution_tables import EXECUTIONS, FILES, MEAN, START
from sfumato.reproductions._signed_pil import SignedPil
from sfumato.search.effort import Effort
from sfumato.search.file_evolution.presets import preset
from sfumato.search.file_evolution.starts import masked_start
from sfumato.search.fitness import Fitness
from sfumato.search.loop import run
from sfumato.search.problems.masked_files import MaskedFiles
from sfumato.search.run_record import Run
from sfumato.search.stop import Stop

SWAPS = np.linspace(2, 30, 8).round()
SIZES = np.linspace(3, 100, 8).round()


@dataclass(frozen=True)
class Execution:
    """One of the two executions of a file; the first has the seed of the study, the second the next."""

    file: str
    number: int
    generations: int
    seed: int


@dataclass(frozen=True)
class SignedCourse:
    """A search, and what the file it ended with loses by PIL as it is defined."""

    run: Run
    pil: float


def signed_start(names: tuple[str, ...]) -> list[Masking]:
    """16 files: rank swappings and individual rankings. The source does not list its own."""
    swaps = [RankSwapping(p=float(p), attributes=names) for p in SWAPS]
    return [*swaps, *(IndividualRanking(k=int(k), attributes=names) for k in SIZES)]


def signed_course(tables: Mapping[str, Table], execution: Execution) -> SignedCourse:
    """A function by name, so that worker processes can call it."""
    problem = signed_problem(tables[execution.file], seed=execution.seed)
    effort = Effort(stop=Stop(generations=execution.generations), seed=execution.seed + execution.number - 1)
    label = f"{FILES[execution.file]}, signs cancel, execution {execution.number}"
    found = run(problem, preset("mares2013").optimizer, effort, label=label)
    best = problem.decode(found.best.genome)
    return SignedCourse(found, Pil(attributes=problem.names).bind(problem.source).score(best).value)


def signed_problem(table: Table, *, seed: Seed) -> MaskedFiles:
    names = table.schema.with_role("key")
    fitness = Fitness((SignedPil(attributes=names),), (DisclosureRisk(linkage="both"),), "mean")
    return MaskedFiles(table, names, fitness, masked_start(table, signed_start(names), seed=seed))


def signed_lines(execution: Execution, course: SignedCourse) -> list[Line]:
    """Best, mean and worst of the end beside what was printed, and the same file by PIL as it is defined."""
    here = f"Table 3.2, {FILES[execution.file]}, signs cancel, execution {execution.number}"
    start, end = course.run.history[0], course.run.history[-1]
    printed = EXECUTIONS[execution.file][execution.number - 1]
    ends = {"best": end.best, "mean": end.mean, "worst": end.worst}
    return [
        Line.of(f"{here}, start: best score", ours=start.best, published=MEAN[execution.file][START].best),
        *(
            Line.of(f"{here}: {part} score", ours=ours, published=theirs)
            for (part, ours), theirs in zip(ends.items(), printed, strict=True)
        ),
        Line.of(f"{here}: PIL of its best file as defined", ours=course.pil),
    ]
