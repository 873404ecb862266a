"""Local search on lists of swaps: the two records of a swap become as near as they can be."""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.influential_metric import Forest, influential_distance, nearest_free
from sfumato.kernels.random_draws import below, draw, uniform
from sfumato.kernels.swap_lists import GIVER, PARTNER, RECORD, TAKER, Ground, mark, which

UNKNOWN = -2


class Nearby(NamedTuple):
    """Where near records are looked for, and what was found before.

    `near_others[slot[r], p]` holds the nearest records outside the group in place p to member r, once asked;
    `nobody` takes no record.
    """

    X: np.ndarray
    metric: np.ndarray
    members: Forest
    others: Forest
    slot: np.ndarray
    near_others: np.ndarray
    nobody: np.ndarray


@kernel
def improve(
    U: np.ndarray, share: float, nearby: Nearby, fresh: np.ndarray, taken: np.ndarray, state: np.ndarray
) -> None:
    """Local search: in fresh rows, and in a share of the others, one record becomes the nearest to the other.

    Which of the two is changed is drawn.
    """
    mark(U, taken, True)
    X, metric = nearby.X, nearby.metric
    for i in range(len(U)):
        if not fresh[i] and uniform(state) >= share:
            continue
        now = influential_distance(X, U[i, RECORD], X, U[i, PARTNER], metric, np.inf)
        if uniform(state) < 0.5:
            row = _near_other(U[i, RECORD], U[i, TAKER], now, nearby, taken)
            column = PARTNER
        else:
            row = _nearest(U[i, PARTNER], U[i, GIVER], now, nearby.members, nearby, taken)
            column = RECORD
        if row >= 0:
            taken[U[i, column]] = False
            U[i, column] = row
            taken[row] = True
    mark(U, taken, False)


@kernel
def redirect(
    U: np.ndarray,
    rate: float,
    tries: int,
    ground: Ground,
    nearby: Nearby,
    taken: np.ndarray,
    state: np.ndarray,
) -> None:
    """Another place takes the record: of a few drawn ones, that with the nearest partner; beyond the source."""
    mark(U, taken, True)
    X, metric = nearby.X, nearby.metric
    for i in range(len(U)):
        if uniform(state) >= rate:
            continue
        best, partner, reach = -1, -1, np.inf
        for _ in range(tries):
            place = ground.takers[which(ground.take_up_to, uniform(state))]
            row = _near_other(U[i, RECORD], place, reach, nearby, taken)
            if row >= 0:
                best, partner = place, row
                reach = influential_distance(X, U[i, RECORD], X, row, metric, np.inf)
        if partner >= 0:
            taken[U[i, PARTNER]] = False
            U[i, TAKER], U[i, PARTNER] = best, partner
            taken[partner] = True
    mark(U, taken, False)


@kernel
def nearest_swaps(
    movers: np.ndarray,
    givers: np.ndarray,
    deck: np.ndarray,
    tries: int,
    nearby: Nearby,
    taken: np.ndarray,
    state: np.ndarray,
) -> np.ndarray:
    """One swap for each mover, as near as it gets: of a few places drawn from the deck, that with the nearest partner.

    The deck has a place as often as it is to take a record; it is changed.
    """
    U = np.empty((len(movers), 4), np.int64)
    X, metric = nearby.X, nearby.metric
    made = 0
    for i in range(len(movers)):
        reach, partner, at = np.inf, -1, i
        for _ in range(min(tries, len(deck) - i)):
            other = i + below(len(deck) - i, draw(state) >> np.uint64(32))
            row = _near_other(movers[i], deck[other], reach, nearby, taken)
            if row >= 0:
                partner, at = row, other
                reach = influential_distance(X, movers[i], X, row, metric, np.inf)
        deck[i], deck[at] = deck[at], deck[i]
        if partner >= 0:
            U[made, GIVER], U[made, RECORD] = givers[i], movers[i]
            U[made, TAKER], U[made, PARTNER] = deck[i], partner
            taken[partner] = True
            made += 1
    mark(U[:made], taken, False)
    return U[:made].copy()


@kernel
def _near_other(row: int, place: int, reach: float, nearby: Nearby, taken: np.ndarray) -> int:
    """The nearest free record outside the group and within reach: among those found before, or looked for."""
    few = nearby.near_others[nearby.slot[row], place]
    if few[0] == UNKNOWN:
        nearest_free(nearby.X, row, place, nearby.others, nearby.metric, nearby.nobody, np.inf, few)
    near: int
    for near in few:
        if near < 0:  # there are no more in this place
            return -1
        if influential_distance(nearby.X, row, nearby.X, near, nearby.metric, reach) >= reach:
            return -1
        if not taken[near]:
            return near
    return _nearest(row, place, reach, nearby.others, nearby, taken)


@kernel
def _nearest(row: int, place: int, reach: float, forest: Forest, nearby: Nearby, taken: np.ndarray) -> int:
    found = np.empty(1, np.int64)
    nearest_free(nearby.X, row, place, forest, nearby.metric, taken, reach, found)
    row_found: int = found[0]
    return row_found
