"""Evolving files: what an evaluation costs beside a full one, 1000 generations on Census, memory, workers."""

import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.timing import Row, best_of
from sfumato import datasets
from sfumato.core import FileError
from sfumato.data import Table
from sfumato.masking import Pram, RankSwapping
from sfumato.measures import Change, DisclosureRisk, InformationLoss
from sfumato.search.effort import Effort
from sfumato.search.file_evolution.follower import Follower
from sfumato.search.file_evolution.starts import mares_start, masked_start
from sfumato.search.loop import run
from sfumato.search.optimizers.evolution import Evolution
from sfumato.search.problems.masked_files import Fitness, MaskedFiles
from sfumato.search.run_record import Run
from sfumato.search.stop import Stop

LONG = True

FITNESS = Fitness((InformationLoss(numeric="pil"),), (DisclosureRisk(linkage="both"),), "mean")
FILES = ("census", "tarragona", "eia", "german", "adult")
TRIES = 50
POPULATION, RECORDS = 110, 48_842
SPEED_UP = 1.6  # of two workers; by the clock, so only on a machine without other work
PUBLISHED_SCORE = 6.12  # Census after 1000 generations; it took the authors 57 h 40 min


def rows() -> Iterator[Row]:
    for name in FILES:
        if datasets.available(name):
            yield from steps(name, datasets.load(name))
    if datasets.available("census"):
        yield from thousand_generations(datasets.load("census"))
        yield two_workers(datasets.load("census"))
    if datasets.available("adult"):
        yield memory()


def steps(name: str, table: Table) -> Iterator[Row]:
    """One change tried and rejected, in seconds of all cores; the twin judges the file from the start."""
    names = table.schema.with_role("key")
    ranked = all(table.schema[key].scale != "nominal" for key in names)
    masking = RankSwapping(p=10.0) if ranked else Pram()
    problem = MaskedFiles(table, names, FITNESS, [("start", masking.apply(table, np.random.default_rng(0)))])
    genome = problem.start[0][1]
    full = best_of(lambda: Follower(problem.bounds, problem.original, genome), 3, cpu=True)
    follower = Follower(problem.bounds, problem.original, genome)
    sizes = {"cell": (1, 1), "record": (1, len(names)), "2 % of the records": (table.n // 50, len(names))}
    for what, (count, width) in sizes.items():
        changes = drawn(table, names, count, width)
        seconds = best_of(lambda changes=changes: [follower.try_(change) for change in changes], 2, cpu=True)
        yield Row(f"evolve {name}: one {what}", seconds / len(changes), twin=full, digits=5)


def drawn(table: Table, names: Sequence[str], count: int, width: int) -> list[Change]:
    """Values of other records."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(TRIES if count == 1 else 5):
        start = int(rng.integers(table.n - count + 1))
        rows = np.arange(start, start + count)
        chosen = rng.permutation(list(names))[:width]
        found.append(Change(rows, {name: table[name][rng.integers(table.n, size=count)] for name in chosen}))
    return found


def census_problem(table: Table) -> MaskedFiles:
    names = table.schema.with_role("key")
    return MaskedFiles(table, names, FITNESS, masked_start(table, mares_start(table, names, numeric=50)))


def thousand_generations(census: Table) -> Iterator[Row]:
    """The published setting; the twin is the time that judging every child from the start would take."""
    problem = census_problem(census)
    genome = problem.start[0][1]
    full = best_of(lambda: Follower(problem.bounds, problem.original, genome), 3, cpu=True)
    found = evolved(problem, Evolution(), 1000)
    twin = full * found.evaluations  # seconds of all cores: no more than the clock would show
    yield Row("evolve census: 1000 generations (published: 57 h 40 min)", found.seconds, bar=30.0, twin=twin)
    yield Row("evolve census: best score, mares2013", found.score, "", bar=PUBLISHED_SCORE, digits=2)


def two_workers(census: Table) -> Row:
    """Walks on many files at once with two worker processes; the twin is one."""
    problem = census_problem(census)
    optimizer = Evolution(walk=50, batch=16)
    one, two = (evolved(problem, optimizer, 40, workers) for workers in (1, 2))
    assert [i.costs for i in one.population] == [i.costs for i in two.population]
    alone, together = (run.history[-1].seconds - run.history[0].seconds for run in (one, two))
    title = "evolve census: 40 generations of 16 files, 2 workers beside 1"
    return Row(title, together, bar=alone / SPEED_UP, twin=alone)


def evolved(problem: MaskedFiles, optimizer: Evolution, generations: int, workers: int = 1) -> Run:
    return run(problem, optimizer, Effort(stop=Stop(generations=generations), seed=1, workers=workers))


def memory() -> Row:
    """The most memory that a process holds while a large population of a large file evolves."""
    command = [sys.executable, "-m", "benchmarks.bench_evolution"]
    megabytes = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return Row(f"evolve adult: {POPULATION} files, memory", megabytes, "MB", bar=500.0, digits=0)


def peak_of_a_population() -> float:
    adult = datasets.load("adult")
    names, rng = adult.schema.with_role("key"), np.random.default_rng(0)
    if (adult.n, len(names)) != (RECORDS, 3):
        raise FileError(f"adult: {RECORDS} records with 3 keys were expected.")
    start = [(str(i), Pram().apply(adult, rng)) for i in range(POPULATION)]
    problem = MaskedFiles(adult, names, Fitness(), start)
    del start
    evolved(problem, Evolution(), 100)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    print(peak_of_a_population())
