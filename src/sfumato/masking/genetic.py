"""Genetic microaggregation: the groups of MDAV evolve, block by block."""

from typing import ClassVar

import numpy as np

from sfumato.core import Aliases, param
from sfumato.kernels.genetic import evolve
from sfumato.kernels.mdav import mdav_groups
from sfumato.masking._microaggregation import Microaggregation, group_means


class Genetic(Microaggregation):
    """A genetic algorithm improves the groups of MDAV inside blocks of groups near to each other.

    A chromosome gives each record of a block the number of its group; its cost is SSE. The first chromosome holds
    the groups of MDAV, the others start as mutants of it. A child of two parents, each the better of two drawn at
    random, takes the genes of records near to one random record from one parent and those near to another from the
    other; each gene mutates with a probability to the group of a random record. Groups that then hold 2k records or
    more are split, and groups of fewer than k filled up with the nearest records others can spare, or dissolved. The
    child takes the place of the worst chromosome if it is better. The best one is never lost: SSE is at most MDAV's.

    A genetic algorithm copes with some dozens of records only. So the file is cut in two steps: MDAV with k, then
    MDAV on the centroids of its groups, `block` of which are a block. Time is linear in the number of blocks. On the
    classic files it loses 3 to 19 % less than MDAV (k = 3, 5, 10).

    Groups hold k to 2k − 1 records; the result hangs on the random numbers.

    Source: Martínez-Ballesté, Solanas, Domingo-Ferrer & Mateo-Sanz (2007), hybrid with two-step partitioning, of
    the n-ary coding of Solanas et al. (2006), as in Fayyoumi, *thesis*, §2.6.3. There children come from one-point
    crossover and the first chromosomes are random; here the cut is geometric, and MDAV's groups are one of them.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [0.5, 2.0, 3.5, 9.0, 10.0, 30.0, 31.0]}))
    >>> masked = Genetic(k=2).apply(firms, np.random.default_rng(1))
    >>> masked["staff"].tolist()
    [2.0, 2.0, 2.0, 9.5, 9.5, 30.5, 30.5]
    """

    aliases: ClassVar[Aliases] = {"hybrid": {}}
    grows = 1.1  # blocks are linear; MDAV, which makes them, is not

    block: int = param(default=10, low=2, help="groups of MDAV that evolve together")
    population: int = param(default=20, low=2, help="chromosomes of a block")
    offspring: int = param(default=3000, low=0, help="children made for each block")
    mutation: float = param(default=0.02, low=0, high=1, help="probability that a gene mutates")

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        labels = mdav_groups(np.ascontiguousarray(X), self.k)
        evolved = np.empty_like(labels)
        groups = 0
        for rows in self._blocks(X, labels):
            start = np.unique(labels[rows], return_inverse=True)[1].reshape(-1)
            best = evolve(X[rows], start, self.k, self.population, self.offspring, self.mutation, rng)
            best = np.unique(best, return_inverse=True)[1].reshape(-1)
            evolved[rows] = best + groups
            groups += best.max() + 1
        return evolved

    def _blocks(self, X: np.ndarray, labels: np.ndarray) -> list[np.ndarray]:
        centroids = group_means(X, labels)
        if len(centroids) < 2 * self.block:
            return [np.arange(len(X))]
        block = mdav_groups(centroids, self.block)[labels]
        order = np.argsort(block, kind="stable")
        return np.split(order, np.cumsum(np.bincount(block))[:-1])
