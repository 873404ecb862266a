"""Shown bit: Gray mutation as it was printed, which flips no bit above the highest one that a perturbation has set."""

import numpy as np

from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.operators.gray_mutation import GrayMutation
from sfumato.search.problems.masked_files import MaskedFiles


class ShownBit(GrayMutation):
    """As `gray_mutation`, but the bit of a number is drawn among those of its own perturbation, up to its highest.

    The source writes a perturbation as b_s … b_1, calls the place of its highest bit its length, and draws k from 1 to s.
    So no perturbation grows in length, and a value that is not perturbed stays: it has no bit to flip. By itself this
    operator only weakens what the maskings of the start did; the default draws among all bits that the column can have.

    Source: Marés, *thesis*, §3.2 and §3.3, to the letter.
    """

    def number(
        self, problem: MaskedFiles, genome: Genome, cell: tuple[int, str], rng: np.random.Generator
    ) -> float:
        row, name = cell
        original, value = float(problem.source[name][row]), float(genome.columns[name][row])
        return problem.grids[name].flipped_below(value, original, rng)
