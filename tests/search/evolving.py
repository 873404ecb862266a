"""Small problems of evolving files, and a child process that evolves one: what the tests of the engine share.

    python evolving.py FOLDER GENERATIONS [WORKERS]

evolves the small file with a journal in FOLDER, prints a line a generation, and at last the fingerprint of
what it ends with and the number of generations it found in the journal.
"""

import sys
from pathlib import Path

import numpy as np

from sfumato.core import progress
from sfumato.data import Attribute, Schema, Table
from sfumato.measures import Change
from sfumato.search.effort import Effort
from sfumato.search.loop import run
from sfumato.search.optimizers.evolution import Evolution
from sfumato.search.problems.masked_files import Fitness, MaskedFiles
from sfumato.search.run_record import Run
from sfumato.search.stop import Stop

NAMES = ("size", "trade", "wage", "age")
OPTIMIZER = Evolution(walk=3, batch=3)


def small_table(n: int = 40, seed: int = 0) -> Table:
    """Numbers, ordinal and nominal categories, survey weights; some values are missing."""
    rng = np.random.default_rng(seed)
    attributes = [
        Attribute(name="size", scale="ordinal", role="key", categories=("S", "M", "L", "XL")),
        Attribute(name="trade", scale="nominal", role="key", categories=("farm", "shop", "mill")),
        Attribute(name="wage", scale="numeric", role="key", decimals=1, low=0.0),
        Attribute(name="age", scale="numeric", role="key", decimals=0, missing=("-9",)),
        Attribute(name="weight", scale="numeric", role="weight"),
    ]
    wage = rng.exponential(20, n).round(1)
    wage[rng.random(n) < 0.1] = np.nan
    columns = {
        "size": rng.integers(-1, 4, n),
        "trade": rng.integers(0, 3, n),
        "wage": wage,
        "age": rng.integers(16, 80, n),
        "weight": rng.uniform(0.5, 3, n),
    }
    return Table(Schema(attributes), columns)


def shuffled(table: Table, seed: int) -> Table:
    """A masked version: some values of each attribute change places."""
    rng = np.random.default_rng(seed)
    columns = {}
    for name in NAMES:
        column = table[name].copy()
        rows = rng.choice(table.n, table.n // 2, replace=False)
        column[rows] = column[rng.permutation(rows)]
        columns[name] = column
    return table.replace(columns)


def small_problem(*, fitness=None, n: int = 40, files: int = 6, seed: int = 0) -> MaskedFiles:
    table = small_table(n, seed)
    start = [(f"shuffle {i}", shuffled(table, i)) for i in range(files)]
    return MaskedFiles(table, NAMES, fitness or Fitness(how="mean"), start)


def random_change(table: Table, rng: np.random.Generator) -> Change:
    """Values of other records, for a cell, a record, a few or many."""
    rows = rng.choice(table.n, min(table.n, int(rng.choice([1, 1, 3, table.n - 1]))), replace=False)
    names = rng.choice(NAMES, int(rng.integers(1, len(NAMES) + 1)), replace=False)
    return Change(rows, {name: table[name][rng.integers(table.n, size=len(rows))] for name in names})


def evolved(
    problem: MaskedFiles, generations: int = 30, *, optimizer=OPTIMIZER, workers: int = 1, **options
) -> Run:
    options = {"seed": 1, "stop": Stop(generations=generations), "workers": workers, **options}
    return run(problem, optimizer, Effort(**options))


def what_matters(problem: MaskedFiles, found: Run) -> tuple:
    """All that must not depend on interruptions, workers or the clock."""
    steps = [{**step.to_dict(), "seconds": 0} for step in found.history]
    people = [(i.origin, i.costs, i.genome.key) for i in (*found.start, *found.population, found.best)]
    return problem.decode(found.best.genome).fingerprint, steps, found.operators, found.evaluations, people


class Printing:
    """Prints how it stands, so that another process knows."""

    def started(self, task):
        pass

    def advanced(self, task):
        print(task.status, flush=True)

    def finished(self, task):
        pass

    def found(self, what, values): ...
    def noted(self, message):
        pass

    def honoured(self):
        pass


if __name__ == "__main__":
    folder, generations, *more = sys.argv[1:]
    problem = small_problem()
    with progress.listening(Printing()):
        found = evolved(problem, int(generations), folder=Path(folder), workers=int(more[0]) if more else 1)
    print(problem.decode(found.best.genome).fingerprint, found.resumed)
