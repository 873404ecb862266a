"""How many different values a column of numbers has, and how many that only one record has; in bounded memory."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

MOST = 2**23  # different numbers that are held at once
ODD = np.uint64(0x9E3779B97F4A7C15)
MORE = 4  # times as many turns where too many numbers would be held


class ValueCounts(NamedTuple):
    """Different values, and those of them that occur once; missing ones are not counted."""

    distinct: int
    single: int


def value_counts(pieces: Callable[[], Iterable[np.ndarray]], *, most: int = MOST) -> ValueCounts:
    """Count exactly, reading all pieces as often as it takes to hold only some of the values at a time.

    >>> value_counts(lambda: [np.array([1.0, 2.0, np.nan]), np.array([2.0, 3.0])], most=2)
    ValueCounts(distinct=3, single=2)
    """
    turns = 1
    while (found := _in_turns(pieces, turns, most)) is None:
        turns *= MORE
    return found


def _in_turns(pieces: Callable[[], Iterable[np.ndarray]], turns: int, most: int) -> ValueCounts | None:
    distinct = single = 0
    for turn in range(turns):
        times = _times((_mine(piece, turn, turns) for piece in pieces()), most)
        if times is None:
            return None
        distinct += len(times)
        single += int((times == 1).sum())
    return ValueCounts(distinct, single)


def _times(pieces: Iterable[np.ndarray], most: int) -> np.ndarray | None:
    """How often each different value occurs; nothing as soon as there are more than may be held."""
    values, times, waiting = np.empty(0), np.empty(0), [(np.empty(0), np.empty(0))]
    for piece in pieces:
        waiting.append(np.unique(piece, return_counts=True))
        if sum(len(found) for found, _ in waiting) > most:
            values, times = _merged([(values, times), *waiting])
            waiting = []
            if len(values) > most:
                return None
    values, times = _merged([(values, times), *waiting])
    return times if len(values) <= most else None


def _merged(found: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    values, places = np.unique(np.concatenate([values for values, _ in found]), return_inverse=True)
    times = np.concatenate([times for _, times in found])
    return values, np.bincount(places.ravel(), weights=times, minlength=len(values))


def _mine(piece: np.ndarray, turn: int, turns: int) -> np.ndarray:
    present = piece[~np.isnan(piece)] + 0.0  # no negative zero
    return present if turns == 1 else present[_turns(present, turns) == turn]


def _turns(values: np.ndarray, turns: int) -> np.ndarray:
    """In which turn a value is counted: the same for all that are equal, and even over what is counted."""
    mixed = (values.view(np.uint64) * ODD) >> np.uint64(32)
    return (mixed * ODD >> np.uint64(32)) % np.uint64(turns)
