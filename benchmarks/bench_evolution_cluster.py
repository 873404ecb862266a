"""Evolution on a Dask cluster of this machine: two worker processes beside one, and what each process did.

What counts is seconds of the clock after the start was judged. On a machine that is busy otherwise they say little;
the speed-up that the work allows is therefore shown beside, from the processor time of each process: all of it
over that of the parent and its busiest worker.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psutil

from benchmarks.timing import Row
from sfumato import datasets
from sfumato.data import Table
from sfumato.parallel import crew
from sfumato.search.effort import Effort
from sfumato.search.file_evolution.presets import preset
from sfumato.search.file_evolution.starts import masked_start
from sfumato.search.fitness import Fitness
from sfumato.search.loop import run
from sfumato.search.problems.masked_files import MaskedFiles
from sfumato.search.run_record import Run
from sfumato.search.stop import Stop

LONG = True

SPEED_UP = 1.6
STARTS = 12  # files to begin with
GENERATIONS = {"census": 150, "household": 60, "business": 60}


@dataclass(frozen=True)
class Measured:
    """A run, its seconds, and the processor time of the parent and of each worker."""

    found: Run
    seconds: float
    parent: float
    workers: tuple[float, ...]

    @property
    def allowed(self) -> float:
        """The speed-up over one process that the shares of the work allow."""
        return (self.parent + sum(self.workers)) / (self.parent + max(self.workers))


def rows() -> Iterator[Row]:
    for name, table in tables().items():
        problem = problem_of(table)
        alone = measured(problem, name, workers=1, cluster="")
        one = measured(problem, name, workers=1, cluster="local")
        two = measured(problem, name, workers=2, cluster="local")
        assert files(problem, alone) == files(problem, one) == files(problem, two)
        yield Row(
            f"evolve {name}: 2 workers of a cluster beside 1",
            two.seconds,
            bar=one.seconds / SPEED_UP,
            twin=one.seconds,
            digits=2,
        )
        yield Row(f"evolve {name}: 2 workers beside no cluster", two.seconds, twin=alone.seconds, digits=2)
        yield Row(f"evolve {name}: speed-up that the work allows", two.allowed, "x", digits=2)


def tables() -> dict[str, Table]:
    found = {"census": datasets.load("census")} if datasets.available("census") else {}
    firms = datasets.business_survey(50_000, seed=1)
    return {
        **found,
        "household": datasets.household_survey(20_000, seed=1),
        "business": firms.select(firms.names[:6]),
    }


def problem_of(table: Table) -> MaskedFiles:
    keys = table.schema.with_role("key")
    maskings = preset("fast").start(table, keys)
    chosen = maskings[:: max(1, len(maskings) // STARTS)]
    return MaskedFiles(table, keys, Fitness(), masked_start(table, chosen, seed=1))


def measured(problem: MaskedFiles, name: str, **where: Any) -> Measured:
    at_start: dict[int, float] = {}

    def watch(*details: Any) -> None:
        at_start.update({} if at_start else used())

    effort = Effort(stop=Stop(generations=GENERATIONS[name]), seed=1)
    with crew(problem, **where) as judges:
        found = run(problem, preset("fast").optimizer, effort, crew=judges, watch=watch)
        spent = [now - at_start.get(process, 0.0) for process, now in used().items()]
    seconds = found.history[-1].seconds - found.history[0].seconds
    return Measured(found, seconds, spent[0], tuple(spent[1:]) or (0.0,))


def used() -> dict[int, float]:
    """Seconds of the processor by process: this one first, then its children."""
    this = psutil.Process()
    return {one.pid: sum(one.cpu_times()[:2]) for one in (this, *this.children(recursive=True))}


def files(problem: MaskedFiles, found: Measured) -> list[bytes]:
    return [individual.genome.key for individual in found.found.population]
