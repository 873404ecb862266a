"""How many different values a column of numbers has, and how many that only one record has; in bounded memory."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

MOST = 2**22  # numbers that are held at once
ODD = np.uint64(0x9E3779B97F4A7C15)


class ValueCounts(NamedTuple):
    """Different values, and those of them that occur once; missing ones are not counted."""

    distinct: int
    single: int


def value_counts(
    pieces: Callable[[], Iterable[np.ndarray]], records: int, *, most: int = MOST
) -> ValueCounts:
    """Count exactly, reading all pieces as often as it takes to hold only some of the values at a time.

    >>> value_counts(lambda: [np.array([1.0, 2.0, np.nan]), np.array([2.0, 3.0])], 5, most=2)
    ValueCounts(distinct=3, single=2)
    """
    turns = max(-(-records // most), 1)
    found = [_of_turn(pieces(), turn, turns) for turn in range(turns)]
    return ValueCounts(sum(one.distinct for one in found), sum(one.single for one in found))


def _of_turn(pieces: Iterable[np.ndarray], turn: int, turns: int) -> ValueCounts:
    values, counts = [], []
    for piece in pieces:
        present = piece[~np.isnan(piece)] + 0.0  # no negative zero
        mine = present[_turns(present, turns) == turn]
        once, times = np.unique(mine, return_counts=True)
        values.append(once)
        counts.append(times)
    together, places = np.unique(np.concatenate([*values, []]), return_inverse=True)
    times = np.bincount(places.ravel(), weights=np.concatenate([*counts, []]), minlength=len(together))
    return ValueCounts(len(together), int((times == 1).sum()))


def _turns(values: np.ndarray, turns: int) -> np.ndarray:
    """In which turn a value is counted: the same for all that are equal, and even over what is counted."""
    mixed = (values.view(np.uint64) * ODD) >> np.uint64(32)
    return (mixed * ODD >> np.uint64(32)) % np.uint64(turns)
