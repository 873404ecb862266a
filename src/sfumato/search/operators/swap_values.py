"""Swap values: pairs of records trade the value of one attribute."""

import numpy as np

from sfumato.measures import Change
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.operators._contract import Mutation, some_attribute, some_present
from sfumato.search.problems.masked_files import MaskedFiles


class SwapValues(Mutation):
    """An attribute and `size` disjoint pairs of records are drawn, and each pair trades its masked values.

    Every frequency, mean, variance and quantile of an attribute stays exactly what it is; only the relations
    between attributes, and between the file and its original, move.
    """

    def mutate(self, problem: MaskedFiles, genome: Genome, rng: np.random.Generator, *, size: int) -> Change:
        name = some_attribute(problem, rng)
        rows = some_present(genome, name, 2 * size, rng)
        rows = rows[: len(rows) // 2 * 2]
        partner = np.empty(len(rows), np.int64)
        order = rng.permutation(len(rows))
        partner[order[0::2]], partner[order[1::2]] = order[1::2], order[0::2]
        return Change(rows, {name: genome.columns[name][rows][partner]})
