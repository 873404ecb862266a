"""Mending trades: pairs of records trade categories so that tables come back and originals stay hidden."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sfumato.core import param
from sfumato.kernels import mending_trades as kernels
from sfumato.measures import Change
from sfumato.search.file_evolution.genomes import Genome
from sfumato.search.operators._contract import Mutation, remembered
from sfumato.search.operators.swap_values import SwapValues
from sfumato.search.problems.masked_files import MaskedFiles

NEAR = 0.1  # share of the records between the ranks of categories that tell each other
CAUTION = (-1.0, 1.0)  # powers of ten between which it is drawn how much risk counts beside loss


class MendingTrades(Mutation):
    """`size` disjoint pairs of records trade their categories of an attribute, each the best of `tries` drawn.

    What a trade does is counted beforehand: by how many records the tables of two attributes come nearer to
    those of the original, how far the values move, how much less certain the original category is to who
    sees the masked one, and how much nearer to their originals the values come. The first three are loss, the
    last is risk; how much it counts beside them is drawn anew for each step. Trades that save nothing
    are left alone. Like all swaps, these keep the distribution of every attribute exactly.

    Recoded categories count in the tables only. Where a file has no categories, these are plain swaps.
    """

    tries: int = param(default=50, low=1, help="pairs looked at for each that trades")

    def fits(self, problem: MaskedFiles) -> bool:
        return bool(_known(problem).names)

    def mutate(self, problem: MaskedFiles, genome: Genome, rng: np.random.Generator, *, size: int) -> Change:
        known = _known(problem)
        if not known.names:
            return SwapValues().mutate(problem, genome, rng, size=size)
        j = int(rng.integers(len(known.names)))
        name = known.names[j]
        rows = np.flatnonzero(genome.columns[name] >= 0)
        if not len(rows):
            return Change(rows, {name: genome.columns[name][rows]})
        seen = _seen(problem, genome)
        caution = 10 ** rng.uniform(*CAUTION)
        pairs = rows[rng.integers(len(rows), size=(size, self.tries, 2))]
        chosen = kernels.mending_trades(
            seen.codes,
            j,
            seen.gaps[j],
            seen.joint[j],
            known.codes[:, j],
            known.moved[j] + caution * known.told[j],
            known.cell,
            known.bit,
            pairs,
        )
        return Change(chosen, {name: genome.columns[name][chosen[np.arange(len(chosen)) ^ 1]]})


class Known:
    """What the categories of the original were, and what it costs to leave them or to come near them.

    Codes count from 1, and 0 is missing. Costs are those of one record, in the units of CTBIL, DBIL, EBIL and
    interval disclosure: `cell` that it is one too many or too few in a table, `bit` that its original
    category is one bit less certain, `moved` and `told` (original by masked code) how far it is and how much
    it tells.
    """

    def __init__(self, problem: MaskedFiles) -> None:
        self.names = tuple(name for name in problem.names if name not in problem.grids)
        self.codes = _codes({name: problem.original[name] for name in self.names})
        self.sizes = [problem.original.schema[name].domain_size + 1 for name in self.names]
        self.tables = _tables(self.codes, self.sizes)
        domains = [problem.source.schema[name].domain_size for name in self.names]
        d = len(self.names)
        self.cell = 1 / max(d * (d + 1), 1)  # there are d (d + 1) / 2 tables, and who moves is counted twice
        self.bit = 1 / max(float(np.sum(np.log2(np.maximum(domains, 1)))), 1.0)
        self.moved, self.told = [], []
        for j, name in enumerate(self.names):
            ordinal = problem.source.schema[name].scale == "ordinal"
            moved, told = _distances(self.codes[:, j], domains[j], ordinal)
            self.moved.append(_padded(moved / d, self.sizes[j]))
            self.told.append(_padded(told / d, self.sizes[j]))


def _distances(codes: np.ndarray, known: int, ordinal: bool) -> tuple[np.ndarray, np.ndarray]:
    """Between the categories of the original: how far they are apart, and how much one tells of the other."""
    if not ordinal:
        return 1 - np.eye(known), np.eye(known)
    places = np.arange(known) / max(known - 1, 1)
    counts = np.bincount(codes, minlength=known + 1)[1:]
    ranks = (np.cumsum(counts) - counts / 2) / max(int(counts.sum()), 1)
    return np.abs(places[:, None] - places), np.maximum(0, 1 - np.abs(ranks[:, None] - ranks) / NEAR)


def _padded(matrix: np.ndarray, size: int) -> np.ndarray:
    """Nothing for missing before, nor for recoded categories behind."""
    return np.pad(matrix, (1, size - 1 - len(matrix)))


@dataclass(frozen=True)
class Seen:
    """What the categories of a genome are: codes, tables against those of the original, and joint counts."""

    codes: np.ndarray
    gaps: np.ndarray
    joint: list[np.ndarray]


_known = remembered(Known)


@remembered
def _seen(problem: MaskedFiles, genome: Genome) -> Seen:
    known = _known(problem)
    codes = _codes({name: genome.columns[name] for name in known.names})
    joint = [_table(known.codes[:, j], codes[:, j], size) for j, size in enumerate(known.sizes)]
    return Seen(codes, _tables(codes, known.sizes) - known.tables, joint)


def _codes(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """The columns side by side, counted from 1."""
    n = len(next(iter(columns.values()))) if columns else 0
    codes = np.empty((n, len(columns)), np.int64)
    for j, column in enumerate(columns.values()):
        codes[:, j] = column
    return codes + 1


def _tables(codes: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """The tables of all pairs of attributes, in one array as wide as the largest domain."""
    widest, d = max(sizes, default=0), len(sizes)
    tables = np.zeros((d, d, widest, widest), np.int64)
    for j, m in combinations(range(d), 2):
        tables[j, m] = _table(codes[:, j], codes[:, m], widest)
        tables[m, j] = tables[j, m].T
    return tables


def _table(rows: np.ndarray, columns: np.ndarray, size: int) -> np.ndarray:
    counts: np.ndarray = np.bincount(rows * size + columns, minlength=size * size)
    return counts.reshape(size, size)
