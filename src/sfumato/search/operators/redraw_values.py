"""Redraw values: cells take a value that another record of the original has."""

import numpy as np

from sfumato.measures import Change
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.operators._contract import Mutation, some_attribute, some_present
from sfumato.search.problems.masked_files import MaskedFiles


class RedrawValues(Mutation):
    """`size` cells of one attribute are drawn anew from the values of the original.

    Frequent values are drawn often, so the distribution of the attribute is drawn to that of the original,
    also where a masking has merged or averaged its values.
    """

    def mutate(self, problem: MaskedFiles, genome: Genome, rng: np.random.Generator, *, size: int) -> Change:
        name = some_attribute(problem, rng)
        rows = some_present(genome, name, size, rng)
        masked = genome.columns[name][rows]
        drawn = problem.original[name][rng.integers(problem.original.n, size=len(rows))]
        missing = np.isnan(drawn) if drawn.dtype.kind == "f" else drawn < 0
        return Change(rows, {name: np.where(missing, masked, drawn)})
