"""Records that lost cells are regrouped among their neighbours, block by block, until fewer cells are lost."""

import numpy as np

from sfumato.kernels.blank_exchange import ANY, BEST, CATEGORY, Demand, exchanged_blanks
from sfumato.kernels.compatible_records import EMPTY
from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.group_exchange import exchanged_groups
from sfumato.masking._enough_records import EnoughRecords
from sfumato.masking._suppression_demand import SuppressionDemand

READINGS = {"category": CATEGORY, "best": BEST, "any": ANY}
BLOCK = 32  # records that are regrouped at a time, and at least so many times k
TIMES_K = 4
STEPS = 1_200_000  # of one search of all blocks for other groups
BLANK_STEPS = 400_000  # the same for other cells, which cost more time
FEWEST_STEPS, MOST_STEPS = 3_000, 6_000  # in one block
MOST_TOGETHER = 1_000  # records of one group; a larger one that cannot be cut is left as it is
MOST_COLUMNS = 62  # that are compared as the bits of a number
ORDERS = 3  # in which neighbours are looked for


def regrouped(
    states: np.ndarray, after: np.ndarray, people: np.ndarray, demand: SuppressionDemand
) -> np.ndarray:
    """The states after suppression, with fewer cells gone: groups that are written alike exchange records.

    Groups that lost nothing take part if they are small; what is left of larger ones could lend no more than it has.
    """
    d = states.shape[1]
    if d > MOST_COLUMNS or not ((after == EMPTY) & (states != EMPTY)).any():
        return after
    found = after.copy()
    for first in range(min(ORDERS, d)):
        rows, ends, groups = _blocks(states, found, people, np.roll(np.arange(d), -first), demand.enough)
        rows, ends, groups, steps = _dearest(states, found, rows, ends, groups, STEPS)
        new = exchanged_groups(
            states[rows], demand.costs, groups, ends, people[rows], demand.enough.least, steps
        )
        found[rows] = _written(states[rows], new)
    return found


def _blocks(
    states: np.ndarray, after: np.ndarray, people: np.ndarray, order: np.ndarray, enough: EnoughRecords
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Records in blocks of whole groups that are near in the order of the columns; where blocks end; and their groups.

    A large group that lost cells is cut into several: that changes nothing, and leaves them free to part.
    """
    groups, fewest = distinct([*after.T]).labels, _fewest(enough, people)
    sizes = np.bincount(groups)
    lost = np.bincount(groups, ((after == EMPTY) & (states != EMPTY)).any(axis=1)) > 0
    small = np.minimum(sizes, 2 * fewest) < MOST_TOGETHER
    rows = np.flatnonzero((small & (lost | (sizes < 2 * fewest)))[groups])
    columns = states[rows][:, order[::-1]].T
    rows = rows[np.lexsort([*columns, groups[rows]])]
    place = np.arange(len(rows)) - np.searchsorted(groups[rows], groups[rows])
    piece = np.minimum(place // fewest, np.maximum(sizes[groups[rows]] // fewest, 1) - 1)
    parts = distinct([groups[rows], piece])
    rank = np.empty(len(parts.first), np.int64)
    rank[np.lexsort([*states[rows[parts.first]][:, order[::-1]].T])] = np.arange(len(parts.first))
    by_rank = np.argsort(rank[parts.labels], kind="stable")
    ends = _ends(np.bincount(rank[parts.labels]), max(BLOCK, TIMES_K * min(fewest, BLOCK)))
    return rows[by_rank], ends, parts.labels[by_rank]


def _fewest(enough: EnoughRecords, people: np.ndarray) -> int:
    """How many records are enough whichever they are; more than can be looked at where none are."""
    sizes = np.arange(1, MOST_TOGETHER + 1)
    safe = np.flatnonzero(enough.safe(sizes, sizes * people.min(initial=np.inf)))
    return int(sizes[safe[0]]) if len(safe) else MOST_TOGETHER + 1


def _dearest(
    states: np.ndarray,
    after: np.ndarray,
    rows: np.ndarray,
    ends: np.ndarray,
    groups: np.ndarray,
    total: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """The blocks that lost most cells, as many as there are steps for, and the steps for each."""
    gone = ((after[rows] == EMPTY) & (states[rows] != EMPTY)).sum(axis=1)
    lost = np.add.reduceat(gone, ends[:-1]) if len(rows) else np.zeros(0, np.int64)
    chosen = np.sort(np.argsort(-lost, kind="stable")[: min(total // FEWEST_STEPS, np.count_nonzero(lost))])
    number = np.repeat(np.arange(len(lost)), np.diff(ends))
    here = np.isin(number, chosen)
    steps = int(np.clip(total // max(len(chosen), 1), FEWEST_STEPS, MOST_STEPS))
    new_ends = np.r_[0, np.cumsum(np.diff(ends)[chosen])].astype(np.int64)
    return rows[here], new_ends, groups[here], steps


def _ends(sizes: np.ndarray, block: int) -> np.ndarray:
    """Where blocks of whole groups begin and end, each with at least so many records, but for the last."""
    upto = np.cumsum(sizes)
    number = (upto - sizes) // block
    last = np.flatnonzero(np.r_[number[1:] != number[:-1], True])
    ends: np.ndarray = np.r_[0, upto[last]].astype(np.int64)
    return ends


def _written(states: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """What records of a group show: what all have in common."""
    labels = np.unique(groups, return_inverse=True)[1].ravel()
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(labels.max(initial=-1) + 1))
    low = np.minimum.reduceat(states[order], starts, axis=0)
    high = np.maximum.reduceat(states[order], starts, axis=0)
    shown: np.ndarray = np.where(low == high, low, EMPTY)[labels]
    return shown


def reblanked(
    states: np.ndarray, after: np.ndarray, people: np.ndarray, demand: SuppressionDemand, missing: str
) -> np.ndarray:
    """The states with fewer cells gone, by exchanging single cells; groups that are written alike stay in one block.

    Those that are far from each other do not meet. Where records are alike in other ways than by being written alike, or
    in several sets of columns, all must be in one block: where they are too many, cells stay as they are.
    """
    n, d = states.shape
    gone = (after == EMPTY) & (states != EMPTY)
    if d > MOST_COLUMNS or not gone.any():
        return after
    rows, ends, groups = np.arange(n), np.array([0, n]), np.zeros(n, np.int64)
    if n > max(BLOCK, TIMES_K * demand.enough.k):
        if missing == "any" or not demand.is_single:
            return after
        rows, ends, groups = _blocks(states, after, people, np.arange(d), demand.enough)
    rows, ends, _, steps = _dearest(states, after, rows, ends, groups, BLANK_STEPS)
    bits = 1 << np.arange(d, dtype=np.int64)
    sets = np.array([bits[list(columns)].sum() for columns in demand.sets], np.int64)
    wanted = Demand(demand.costs, sets, demand.enough.least, READINGS[missing])
    blanks = exchanged_blanks(states[rows], (after[rows] == EMPTY) @ bits, people[rows], ends, wanted, steps)
    found = after.copy()
    found[rows] = np.where((blanks[:, None] & bits) != 0, EMPTY, states[rows])
    return found
