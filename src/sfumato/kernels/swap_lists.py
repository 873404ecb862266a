"""Operators on lists of swaps (the matrix U): whatever they do, no record is in a list twice.

A row of U holds the place that gives, its record, the place that takes, and its record. `taken` marks the
records of the list at hand; every operator leaves it as it found it, all false, so that one array serves
for all lists. Operators that change rows mark them in `fresh`, for the local search.
"""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.random_draws import below, draw, uniform

GIVER, RECORD, TAKER, PARTNER = range(4)
TRIES = 6


class Ground(NamedTuple):
    """What swaps are drawn from: records by place, and the places that give and take, with their chances.

    The records of the group in place p are `members[first_member[p] : first_member[p + 1]]`, the others
    likewise. `give_up_to` and `take_up_to` add up the chances of the places in `givers` and `takers`.
    """

    first_member: np.ndarray
    members: np.ndarray
    first_other: np.ndarray
    others: np.ndarray
    givers: np.ndarray
    give_up_to: np.ndarray
    takers: np.ndarray
    take_up_to: np.ndarray


@kernel
def random_swaps(count: int, ground: Ground, taken: np.ndarray, state: np.ndarray) -> np.ndarray:
    """So many swaps drawn at random, or fewer where the places run out of records."""
    U = np.empty((count, 4), np.int64)
    made = 0
    for _ in range(count):
        made += _draw_row(U[made], ground, taken, state)
    mark(U[:made], taken, False)
    return U[:made].copy()


@kernel
def joined(a: np.ndarray, i: int, b: np.ndarray, j: int, taken: np.ndarray) -> np.ndarray:
    """The first i rows of a and those of b from j on, without rows that name a record again."""
    U = np.empty((i + len(b) - j, 4), np.int64)
    U[:i] = a[:i]
    mark(a[:i], taken, True)
    made = i
    for k in range(j, len(b)):
        if not (taken[b[k, RECORD]] or taken[b[k, PARTNER]]):
            U[made] = b[k]
            made += 1
    mark(a[:i], taken, False)
    return U[:made].copy()


@kernel
def exchange_pairs(U: np.ndarray, first: int, rate: float, fresh: np.ndarray, state: np.ndarray) -> None:
    """Swap mutation: a place and its record (columns `first` and the next) change rows with another pair."""
    for i in range(len(U)):
        if uniform(state) < rate:
            k = below(len(U), draw(state) >> np.uint64(32))
            for c in range(first, first + 2):
                U[i, c], U[k, c] = U[k, c], U[i, c]
            fresh[i] = fresh[k] = True


@kernel
def reset_records(
    U: np.ndarray,
    first: int,
    rate: float,
    ground: Ground,
    fresh: np.ndarray,
    taken: np.ndarray,
    state: np.ndarray,
) -> None:
    """Random resetting: another record of the same place (column `first`), where one is free."""
    mark(U, taken, True)
    for i in range(len(U)):
        if uniform(state) < rate:
            row = _free(U[i, first], first == GIVER, ground, taken, state)
            if row >= 0:
                taken[U[i, first + 1]] = False
                U[i, first + 1] = row
                taken[row] = fresh[i] = True
    mark(U, taken, False)


@kernel
def resized(U: np.ndarray, most: int, ground: Ground, taken: np.ndarray, state: np.ndarray) -> np.ndarray:
    """One row less, or a new one at the end, where there are fewer than `most`; beyond the source."""
    if uniform(state) < 0.5 and len(U) > 1:
        shorter = U[:-1].copy()
        k = below(len(U), draw(state) >> np.uint64(32))
        if k < len(shorter):
            shorter[k] = U[-1]
        return shorter
    if len(U) >= most:
        return U
    longer = np.empty((len(U) + 1, 4), np.int64)
    longer[:-1] = U
    mark(U, taken, True)
    made = _draw_row(longer[-1], ground, taken, state)
    mark(longer[: len(U) + made], taken, False)
    return longer if made else U


@kernel
def _draw_row(row: np.ndarray, ground: Ground, taken: np.ndarray, state: np.ndarray) -> int:
    """Fill a row with a swap and mark its records; 1, or 0 where the drawn places have none left."""
    giver = ground.givers[which(ground.give_up_to, uniform(state))]
    taker = ground.takers[which(ground.take_up_to, uniform(state))]
    record = _free(giver, True, ground, taken, state)
    partner = _free(taker, False, ground, taken, state)
    if record < 0 or partner < 0:
        return 0
    row[GIVER], row[RECORD], row[TAKER], row[PARTNER] = giver, record, taker, partner
    taken[record] = taken[partner] = True
    return 1


@kernel
def _free(place: int, member: bool, ground: Ground, taken: np.ndarray, state: np.ndarray) -> int:
    """A record of a place that is not taken: a few draws, then the first after a random one; −1 if none."""
    rows = ground.members if member else ground.others
    first = ground.first_member if member else ground.first_other
    size = first[place + 1] - first[place]
    if size == 0:
        return -1
    at = below(size, draw(state) >> np.uint64(32))
    for _ in range(TRIES):
        row: int = rows[first[place] + at]
        if not taken[row]:
            return row
        at = below(size, draw(state) >> np.uint64(32))
    for step in range(size):
        row = rows[first[place] + (at + step) % size]
        if not taken[row]:
            return row
    return -1


@kernel
def which(up_to: np.ndarray, u: float) -> int:
    """One of several, by their chances added up and a uniform number."""
    at: int = min(np.searchsorted(up_to, u * up_to[-1], side="right"), len(up_to) - 1)
    return at


@kernel
def mark(U: np.ndarray, taken: np.ndarray, value: bool) -> None:
    for i in range(len(U)):
        taken[U[i, RECORD]] = taken[U[i, PARTNER]] = value
