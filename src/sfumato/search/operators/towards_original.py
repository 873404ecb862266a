"""Towards the original: cells move part of their way back."""

import numpy as np

from sfumato.measures import Change
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.operators._contract import Mutation, some_attribute, some_present
from sfumato.search.problems.masked_files import MaskedFiles


class TowardsOriginal(Mutation):
    """`size` cells of one attribute: a number moves a share of its way back to the original value, one share
    drawn for all of them; a category becomes the original one.

    Less is lost by it, and more given away. It pays where a file is protected more than it needs to be.
    """

    def mutate(self, problem: MaskedFiles, genome: Genome, rng: np.random.Generator, *, size: int) -> Change:
        name, share = some_attribute(problem, rng), rng.random()
        rows = some_present(genome, name, size, rng)
        original, masked = problem.original[name][rows], genome.columns[name][rows]
        attribute = problem.source.schema[name]
        if attribute.is_numeric:
            moved = attribute.conform(masked + (1 - share) * (original - masked))
            return Change(rows, {name: np.where(np.isnan(original), masked, moved)})
        return Change(rows, {name: np.where(original < 0, masked, original)})
