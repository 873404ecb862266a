"""Record crossover: exchange whole records at random places."""

import numpy as np

from sfumato.measures import Change
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.operators._contract import Crossover, taken
from sfumato.search.problems.masked_files import MaskedFiles

LARGEST = 0.5  # share of the records


class RecordCrossover(Crossover):
    """A number of records is drawn, from one to half of them with small numbers likely, and so many records
    at random places are exchanged.

    Records stay whole, so that what a masking did to the relations inside them stays, and they need not be
    neighbours in the file, whose order means nothing.
    """

    def cross(
        self, problem: MaskedFiles, first: Genome, second: Genome, rng: np.random.Generator
    ) -> tuple[Change, Change]:
        n = problem.original.n
        count = max(1, int((n * LARGEST) ** rng.random()))
        rows = np.sort(rng.choice(n, count, replace=False, shuffle=False))
        return taken(first, second, problem.names, rows)
