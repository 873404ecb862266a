"""Gray mutation: flip one bit of the perturbation of a number, or draw another category."""

import numpy as np

from sfumato.data import Attribute
from sfumato.measures import Change
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.operators._contract import Mutation, present_cell
from sfumato.search.problems.masked_files import MaskedFiles


class GrayMutation(Mutation):
    """One cell, drawn at random.

    A number is seen as the exclusive or of the Gray codes of the masked and the original value, so that 0
    means unperturbed and the highest bit that is set tells how strong the perturbation is. Values count in
    units of the declared decimals, from the smallest value of the file (0 where none is negative), and are
    as long as its largest. A bit is drawn and flipped; a value outside the bounds moves to the nearest legal
    one. A category is replaced by another of the original domain, all equally likely. What is missing stays
    so. The size of the step is always one cell.

    Source: Marés, *thesis*, §3.2 and §3.3.
    """

    def mutate(self, problem: MaskedFiles, genome: Genome, rng: np.random.Generator, *, size: int) -> Change:
        row, name = present_cell(problem, rng)
        attribute = problem.source.schema[name]
        if attribute.is_numeric:
            value = self.number(problem, genome, (row, name), rng)
        else:
            value = self.category(attribute, int(genome.columns[name][row]), rng)
        return Change.cell(row, name, value)

    def number(
        self, problem: MaskedFiles, genome: Genome, cell: tuple[int, str], rng: np.random.Generator
    ) -> float:
        row, name = cell
        return problem.grids[name].flipped(genome.columns[name][row], rng)

    def category(self, attribute: Attribute, code: int, rng: np.random.Generator) -> int:
        return another_category(attribute, code, rng)


def another_category(attribute: Attribute, code: int, rng: np.random.Generator) -> int:
    """Any other category of the domain; the same where there is no other, or the value is missing."""
    if attribute.domain_size < 2 or code < 0:
        return code
    drawn = int(rng.integers(attribute.domain_size - (code < attribute.domain_size)))
    return drawn + 1 if code <= drawn else drawn
