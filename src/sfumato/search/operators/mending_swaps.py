"""Mending swaps: pairs of records trade values so that covariances come back to what they were."""

from dataclasses import dataclass

import numpy as np

from sfumato.core import param
from sfumato.kernels import mending_swaps as kernels
from sfumato.measures import Change
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.operators._contract import Mutation, remembered, some_attribute
from sfumato.search.operators.swap_values import SwapValues
from sfumato.search.problems.masked_files import MaskedFiles

NEAR = 0.1  # share of the records between the ranks of values that an intruder may take for each other
CAUTION = (-3.0, 1.0)  # powers of ten between which it is drawn how much nearness counts


class MendingSwaps(Mutation):
    """`size` disjoint pairs of records trade their values of a number, each the best of `tries` drawn.

    A swap of attribute j between records a and b moves the covariance of j with every other attribute m by
    (z_bj − z_aj)(z_am − z_bm) / n. Maskings that keep the distribution of each attribute, as rank swapping
    does, have lost their covariances; of a few pairs, the one is swapped that brings them nearest to those
    of the original, each difference measured in its sampling error. Values that come near their own
    originals in rank count against a pair, more or less by chance, so that what is mended is not given
    away. Pairs that make nothing better are left alone. Like all swaps, these keep the distribution of every
    attribute exactly.

    On categories, these are plain swaps; `mending_trades` is what mends them.
    """

    tries: int = param(default=50, low=1, help="pairs looked at for each that is swapped")

    def fits(self, problem: MaskedFiles) -> bool:
        return len(problem.grids) > 1

    def mutate(self, problem: MaskedFiles, genome: Genome, rng: np.random.Generator, *, size: int) -> Change:
        name = some_attribute(problem, rng)
        if name not in problem.grids or len(problem.grids) < 2:
            return SwapValues().mutate(problem, genome, rng, size=size)
        rows = np.flatnonzero(~np.isnan(genome.columns[name]))
        if not len(rows):
            return Change(rows, {name: genome.columns[name][rows]})
        known, seen = _known(problem), _seen(problem, genome)
        j = known.names.index(name)
        caution = 10 ** rng.uniform(*CAUTION)
        pairs = rows[rng.integers(len(rows), size=(size, self.tries, 2))]
        chosen = kernels.mending_swaps(
            seen.Z, j, seen.gap[j], known.precision[j], known.ranks[j], seen.ranks[j], NEAR, caution, pairs
        )
        return Change(chosen, {name: genome.columns[name][chosen[np.arange(len(chosen)) ^ 1]]})


class Known:
    """What the numbers of the original were: units, ranks, and covariances with their sampling errors.

    A missing value counts as the mean.
    """

    def __init__(self, problem: MaskedFiles) -> None:
        self.names = tuple(problem.grids)
        X = problem.original.numbers(self.names)
        here = ~np.isnan(X)
        counts = np.maximum(here.sum(0), 1)
        self.centre = np.where(here, X, 0.0).sum(0) / counts
        self.spread = np.sqrt(np.where(here, (X - self.centre) ** 2, 0.0).sum(0) / counts)
        self.spread[self.spread == 0] = 1.0
        self.ordered = [np.sort(column[~np.isnan(column)]) for column in X.T]
        self.ranks = self.ranked(X)
        Z = self.standardised(X)
        self.covariances = _products(Z)
        variances = np.maximum(_products(Z * Z) - self.covariances**2, 0.0) / len(Z)
        self.precision = np.divide(1, np.sqrt(variances), where=variances > 0, out=np.zeros_like(variances))
        np.fill_diagonal(self.precision, 0.0)

    def standardised(self, X: np.ndarray) -> np.ndarray:
        """In standard deviations from the mean."""
        Z: np.ndarray = np.nan_to_num((X - self.centre) / self.spread)
        return Z

    def ranked(self, X: np.ndarray) -> np.ndarray:
        """Ranks among the values of the original, from 0 to 1; in the middle of equal ones. By column."""
        both = [
            (np.searchsorted(values, x) + np.searchsorted(values, x, "right")) / (2 * max(len(values), 1))
            for values, x in zip(self.ordered, X.T, strict=True)
        ]
        return np.array(both)


@dataclass(frozen=True)
class Seen:
    """What the numbers of a genome are."""

    Z: np.ndarray
    ranks: np.ndarray
    gap: np.ndarray


_known = remembered(Known)


@remembered
def _seen(problem: MaskedFiles, genome: Genome) -> Seen:
    known = _known(problem)
    X = np.column_stack([genome.columns[name] for name in known.names])
    Z = known.standardised(X)
    return Seen(Z, known.ranked(X), _products(Z - Z.mean(0)) - known.covariances)


def _products(Z: np.ndarray) -> np.ndarray:
    """Mean products of columns; without BLAS, whose threads may change the last digit."""
    found: np.ndarray = np.einsum("ij,ik->jk", Z, Z, optimize=False) / len(Z)
    return found
