"""Table 3.2 with the loss that the published falls would need: both executions, from one start."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.core import Seed
from sfumato.data import Table
from sfumato.jobs import Line
from sfumato.masking import IndividualRanking, Masking, RankSwapping
from sfumato.measures import DisclosureRisk, Pil
from sfumato.reproductions._both_operators import BothOperators
from sfumato.reproductions._evolution_tables import EXECUTIONS, FILES, MEAN, START
from sfumato.reproductions._signed_pil import SignedPil
from sfumato.search.effort import Effort
from sfumato.search.file_evolution.presets import preset
from sfumato.search.file_evolution.starts import masked_start
from sfumato.search.fitness import Fitness
from sfumato.search.loop import run
from sfumato.search.optimizers.evolution import Evolution
from sfumato.search.problems.masked_files import MaskedFiles
from sfumato.search.run_record import Run
from sfumato.search.stop import Stop

FILES_OF = {"census": 50}  # in the start, as in the source; 16 for the others
FARTHEST = {50: 50, 16: 30}  # percent of the records that values are swapped over, by the number of files
LARGEST = 100  # records that are ranked together


@dataclass(frozen=True)
class Execution:
    """One of the two executions of a file; the first has the seed of the study, the second the next.

    Those of Figure 3.5 have a `test`, and else the settings of the first.
    """

    file: str
    number: int
    generations: int
    seed: int
    test: str = ""

    @property
    def optimizer(self) -> Evolution:
        return TESTS[self.test] if self.test else preset("mares2013").optimizer


ONE = "one operation a generation"
LOW = {"tarragona": 6.5, "census": 7, "diabetes": 9}  # that 1000 generations of the first execution reach
WHOLE = 1000
TESTED = "tarragona"  # the file of Figure 3.5
TESTS: dict[str, Evolution] = {
    "both operators, every value may mutate": BothOperators(selection="observed", every_value=True),
    "both operators, one value may mutate": BothOperators(selection="observed"),
}


@dataclass(frozen=True)
class SignedCourse:
    """A search, and what the file it ended with loses by PIL as it is defined."""

    run: Run
    pil: float


def signed_start(names: tuple[str, ...], count: int = 16) -> list[Masking]:
    """So many files, half of them rank swappings, half individual rankings. The source does not list its own."""
    swaps = np.linspace(2, FARTHEST[count], count // 2).round()
    sizes = np.linspace(3, LARGEST, count - count // 2).round()
    return [
        *(RankSwapping(p=float(p), attributes=names) for p in swaps),
        *(IndividualRanking(k=int(k), attributes=names) for k in sizes),
    ]


def signed_course(tables: Mapping[str, Table], execution: Execution) -> SignedCourse:
    """A function by name, so that worker processes can call it."""
    files = FILES_OF.get(execution.file, 16)
    problem = signed_problem(tables[execution.file], seed=execution.seed, files=files)
    effort = Effort(stop=Stop(generations=execution.generations), seed=execution.seed + execution.number - 1)
    label = f"{FILES[execution.file]}, signs cancel, {execution.test or f'execution {execution.number}'}"
    found = run(problem, execution.optimizer, effort, label=label)
    best = problem.decode(found.best.genome)
    return SignedCourse(found, Pil(attributes=problem.names).bind(problem.source).score(best).value)


def signed_problem(table: Table, *, seed: Seed, files: int = 16) -> MaskedFiles:
    names = table.schema.with_role("key")
    fitness = Fitness((SignedPil(attributes=names),), (DisclosureRisk(linkage="both"),), "mean")
    return MaskedFiles(table, names, fitness, masked_start(table, signed_start(names, files), seed=seed))


def executions(files: Sequence[str], generations: int, seed: int) -> list[Execution]:
    """Two of each file of numbers, and the two tests."""
    numeric = [file for file in files if file in EXECUTIONS]
    twice = [Execution(file, number, generations, seed) for file in numeric for number in (1, 2)]
    tests = [Execution(TESTED, 1, generations, seed, test) for test in TESTS]
    return [*twice, *tests] if TESTED in numeric else twice


def figure_lines(found: Mapping[Execution, SignedCourse]) -> list[Line]:
    """Figure 3.5 shows mean scores and prints none: how far they came, half way and at the end."""
    named = {
        execution.test or ONE: course.run.history
        for execution, course in found.items()
        if execution.file == TESTED and execution.number == 1
    }
    return [
        Line.of(f"Figure 3.5, {FILES[TESTED]}, signs cancel, {what}, {when}: mean score", ours=step.mean)
        for what, history in named.items()
        for when, step in (("half way", history[len(history) // 2]), ("end", history[-1]))
    ]


def signed_lines(execution: Execution, course: SignedCourse) -> list[Line]:
    """Best, mean and worst of the end beside what was printed, and the same file by PIL as it is defined."""
    here = f"Table 3.2, {FILES[execution.file]}, signs cancel, execution {execution.number}"
    start, end = course.run.history[0], course.run.history[-1]
    printed = EXECUTIONS[execution.file][execution.number - 1]
    first = execution.number == 1 and execution.generations >= WHOLE and execution.file in LOW
    bars = {"best": f"<= {LOW[execution.file]}"} if first else {}
    ends = {"best": end.best, "mean": end.mean, "worst": end.worst}
    return [
        Line.of(f"{here}, start: best score", ours=start.best, published=MEAN[execution.file][START].best),
        *(
            Line.of(f"{here}: {part} score", ours=ours, published=theirs, bar=bars.get(part, ""))
            for (part, ours), theirs in zip(ends.items(), printed, strict=True)
        ),
        Line.of(f"{here}: PIL of its best file as defined", ours=course.pil),
    ]
