"""Partners: who trades with whom, where both must be alike and of different regions."""

import numpy as np

from sfumato.kernels.distinct_records import distinct


def pairs_between(cells: np.ndarray, regions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Pair positions of the same cell and different regions at random, as many as can be; two rows.

    In a cell ordered by region, positions half a cell apart are of the same region only if it holds more
    than half of the cell; and then all others have a partner in it.

    >>> pairs_between(np.array([0, 0, 0, 1, 1]), np.array([5, 5, 6, 5, 5]), np.random.default_rng(1)).tolist()
    [[0], [2]]
    """
    order = rng.permutation(len(cells))
    turn = rng.permutation(int(regions.max(initial=-1)) + 1)  # no region is always beside the same one
    order = order[np.lexsort((turn[regions[order]], cells[order]))]
    starts = np.flatnonzero(np.diff(cells[order], prepend=-1))
    counts = np.diff(np.append(starts, len(order)))
    half = np.repeat((counts + 1) // 2, counts)
    place = np.arange(len(order)) - np.repeat(starts, counts)
    at = np.flatnonzero(place + half < np.repeat(counts, counts))
    pairs = np.stack([order[at], order[at + half[at]]])
    return pairs[:, regions[pairs[0]] != regions[pairs[1]]]


def without_partner(
    cells: np.ndarray, regions: np.ndarray, urgent: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Positions to leave out so that `pairs_between` pairs all others, and as many urgent ones as can be.

    Where one region holds more than half of a cell, what it holds beyond the number of all others is left
    out; of any other cell, one if its number is odd. The urgent are left out last, the rest at random.

    >>> cells, regions = np.array([0, 0, 0, 1]), np.array([5, 5, 6, 5])
    >>> without_partner(cells, regions, np.array([1, 0, 0, 1], bool), np.random.default_rng(1)).tolist()
    [1, 3]
    """
    groups, totals = distinct([cells, regions]), np.bincount(cells)
    most = np.zeros(len(totals), np.int64)
    np.maximum.at(most, cells[groups.first], groups.counts)
    ruled = 2 * most > totals
    may_go = ~ruled[cells] | (2 * groups.counts[groups.labels] > totals[cells])
    surplus = np.where(ruled, 2 * most - totals, totals % 2)
    order = rng.permutation(len(cells))
    order = order[np.lexsort((urgent[order], ~may_go[order], cells[order]))]
    place = np.arange(len(order)) - np.repeat(np.cumsum(totals) - totals, totals)
    left_out: np.ndarray = np.sort(order[place < np.repeat(surplus, totals)])
    return left_out
