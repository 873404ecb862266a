"""Which three columns are related beyond what their pairs say, and the cells of their tables."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from sfumato.kernels.calibrating_swaps import Threes
from sfumato.kernels.grid_cuts import cut_grid
from sfumato.masking.synthesis.cells import Cells
from sfumato.masking.synthesis.columns import Column

ENOUGH_RECORDS = (
    4_000  # in smaller files three columns together tell more of the people in them than of their relations
)
MOST_COMPARED = 10_000  # records by which triples are chosen
COARSE = 6  # groups of a column by which three are compared
FITTINGS = 12  # rounds in which a table is fitted to its pairs
ENOUGH = 5.0  # people that a cell would hold if pairs said all
BEYOND_CHANCE = 4.0  # standard deviations above what chance gives

Triple = tuple[int, int, int]


def related_triples(columns: Sequence[Column], most: int, allowed: np.ndarray) -> list[Triple]:
    """Those whose table is farthest from what its three tables of pairs say, at most so many; none that chance explains.

    `allowed[j, k]` says which columns may stand beside each other.
    """
    n = len(columns[0].bins)
    if most == 0 or n < ENOUGH_RECORDS:
        return []
    coarse = [coarsened(column.bins[:: max(1, n // MOST_COMPARED)]) for column in columns]
    every = [
        triple
        for triple in combinations(range(len(columns)), 3)
        if all(allowed[pair] for pair in combinations(triple, 2))
    ]
    beyond = np.array([beyond_pairs([coarse[j] for j in triple]) for triple in every])
    best = np.argsort(-beyond, kind="stable")[:most]
    return sorted(every[i] for i in best if beyond[i] > BEYOND_CHANCE)


def coarsened(bins: np.ndarray) -> np.ndarray:
    """Neighbouring bins taken together into a few groups of about as many people each."""
    counts = np.bincount(bins)
    middle = np.cumsum(counts) - counts / 2
    groups = np.minimum((middle * COARSE / max(len(bins), 1)).astype(np.int64), COARSE - 1)
    return np.unique(groups[bins], return_inverse=True)[1].ravel()


def beyond_pairs(groups: Sequence[np.ndarray]) -> float:
    """How far a table of three columns is from one with the same pairs and nothing more, in standard deviations of chance.

    The sum over cells of (count − expected)² / expected has as many degrees of freedom as the table leaves to three
    columns at once, and varies by the root of twice as many.
    """
    shape = tuple(int(group.max()) + 1 for group in groups)
    counts = np.bincount(np.ravel_multi_index(tuple(groups), shape), minlength=int(np.prod(shape))).reshape(
        shape
    )
    expected = fitted_to_pairs(counts)
    told = expected >= ENOUGH
    freedom = told.mean() * np.prod([size - 1 for size in shape])
    if freedom < 1:
        return 0.0
    away = ((counts - expected)[told] ** 2 / expected[told]).sum()
    return float((away - freedom) / np.sqrt(2 * freedom))


def fitted_to_pairs(counts: np.ndarray) -> np.ndarray:
    """The table of three columns that has the pairs of this one and no relation beyond them, by proportional fitting."""
    fitted = np.ones(counts.shape)
    for _ in range(FITTINGS):
        for axis in range(3):
            wanted, found = counts.sum(axis=axis, keepdims=True), fitted.sum(axis=axis, keepdims=True)
            fitted *= np.divide(wanted, found, out=np.zeros(found.shape), where=found > 0)
    return fitted


def tables_of_three(columns: Sequence[Column], triples: Sequence[Triple], least: int, cells: Cells) -> Threes:
    """Lay down the tables of triples beside others, each of whose cells holds at least so many people."""
    start, step = np.zeros(len(triples), np.int64), np.zeros((len(triples), 3), np.int64)
    for t, triple in enumerate(triples):
        labels, counts = triple_cells([columns[j] for j in triple], least)
        start[t] = cells.add(labels, counts)
        step[t] = labels.shape[1] * labels.shape[2], labels.shape[2], 1
    own = [[t for t, triple in enumerate(triples) if j in triple] for j in range(len(columns))]
    of = np.full((len(columns), max(map(len, own)) + 1), -1)
    for j, tables in enumerate(own):
        of[j, : len(tables)] = tables
    return Threes(np.array(triples, np.int64).reshape(-1, 3), start, step, of)


def triple_cells(columns: Sequence[Column], least: int) -> tuple[np.ndarray, np.ndarray]:
    """The cell of each combination of bins of three columns, and how many people are in each.

    The first two are cut into boxes as a table of two is; these boxes, in the order in which they were cut off, and the
    third column are a table of two again. So every cell holds at least so many people.
    """
    x, y, z = columns
    boxes = np.empty((x.groups, y.groups), np.int32)
    pairs = np.bincount(x.bins.astype(np.int64) * y.groups + y.bins, minlength=boxes.size)
    number = cut_grid(pairs.reshape(boxes.shape), least, boxes, 0)
    of_people = boxes[x.bins, y.bins].astype(np.int64)
    counts = np.bincount(of_people * z.groups + z.bins, minlength=number * z.groups).reshape(number, z.groups)
    cells = np.empty(counts.shape, np.int32)
    total = cut_grid(counts, least, cells, 0)
    return cells[boxes], np.bincount(cells.ravel(), counts.ravel(), total)
