"""Rank swapping: who swaps with whom, in one walk over the ranks."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def swap_partners(draws: np.ndarray, w: int) -> np.ndarray:
    """The rank each rank swaps with (itself where nobody is left), given one uniform draw per rank.

    The unswapped ranks of the window (i, i + w] are kept in a pool without order: as i moves up one rank
    enters, and a chosen one leaves by giving its place to the last. Each step is O(1), whatever w is.
    """
    n = len(draws)
    partner = np.arange(n)
    pool = np.empty(min(n, w + 1), np.int64)
    place = np.full(n, -1, np.int64)  # where a rank stands in the pool; -1 outside
    size = 0
    for j in range(min(n, w)):
        pool[size], place[j] = j, size
        size += 1
    for i in range(n):
        if i + w < n:
            pool[size], place[i + w] = i + w, size
            size += 1
        if place[i] < 0:
            continue
        size = _leave(pool, place, size, i)
        if size > 0:
            j = pool[int(draws[i] * size)]
            size = _leave(pool, place, size, j)
            partner[i], partner[j] = j, i
    return partner


@kernel
def _leave(pool: np.ndarray, place: np.ndarray, size: int, rank: int) -> int:
    last = pool[size - 1]
    pool[place[rank]] = last
    place[last] = place[rank]
    place[rank] = -1
    return size - 1
