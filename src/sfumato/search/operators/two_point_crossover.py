"""Two-point crossover: exchange a range of the file, read record by record."""

import numpy as np

from sfumato.measures import Change
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.operators._contract import Crossover
from sfumato.search.problems.masked_files import MaskedFiles


class TwoPointCrossover(Crossover):
    """All values from a position s to a position r ≥ s are exchanged, both drawn at random.

    Positions count the cells record by record; s is uniform over the file, and r over what follows it.

    Source: Marés, *thesis*, §3.3.
    """

    def cross(
        self, problem: MaskedFiles, first: Genome, second: Genome, rng: np.random.Generator
    ) -> tuple[Change, Change]:
        d = len(problem.names)
        s = int(rng.integers(problem.original.n * d))
        r = int(rng.integers(s, problem.original.n * d))
        return exchanged(first, second, problem.names, s, r)


def exchanged(first: Genome, second: Genome, names: tuple[str, ...], s: int, r: int) -> tuple[Change, Change]:
    """The exchange of cells s to r, both included."""
    d = len(names)
    rows = np.arange(s // d, r // d + 1)
    changes: tuple[dict[str, np.ndarray], dict[str, np.ndarray]] = ({}, {})
    for j, name in enumerate(names):
        position = rows * d + j
        inside = (position >= s) & (position <= r)
        if not inside.any():
            continue
        one, other = first.columns[name][rows], second.columns[name][rows]
        changes[0][name] = np.where(inside, other, one)
        changes[1][name] = np.where(inside, one, other)
    return Change(rows, changes[0]), Change(rows, changes[1])
