"""How many different values a column of numbers has, and how many that only one record has; in bounded memory."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

MOST = 2**23  # numbers that are held at once
ODD = np.uint64(0x9E3779B97F4A7C15)
MORE = 4  # times as many turns where too many numbers would be held


class ValueCounts(NamedTuple):
    """Different values, and those of them that occur once; missing ones are not counted."""

    distinct: int
    single: int


def value_counts(pieces: Callable[[], Iterable[np.ndarray]], *, most: int = MOST) -> ValueCounts:
    """Count exactly, reading all pieces as often as it takes to hold only some of the values at a time.

    >>> value_counts(lambda: [np.array([1.0, 2.0, np.nan]), np.array([2.0, 3.0])], most=3)
    ValueCounts(distinct=3, single=2)
    """
    turns = 1
    while (found := _in_turns(pieces, turns, most)) is None:
        turns *= MORE
    return found


def _in_turns(pieces: Callable[[], Iterable[np.ndarray]], turns: int, most: int) -> ValueCounts | None:
    distinct = single = 0
    for turn in range(turns):
        held = _held((_mine(piece, turn, turns) for piece in pieces()), most)
        if held is None:
            return None
        different = int(np.count_nonzero(np.diff(held))) + bool(len(held))
        distinct += different
        single += 2 * different - len(held)  # those that are not held twice
    return ValueCounts(distinct, single)


def _held(pieces: Iterable[np.ndarray], most: int) -> np.ndarray | None:
    """All values in order, at most two of a kind; nothing as soon as they are more than may be held."""
    held, waiting = np.empty(0), [np.empty(0)]
    for piece in pieces:
        waiting.append(_two_of_a_kind(piece))
        if len(held) + sum(map(len, waiting)) > 2 * most:
            held, waiting = _two_of_a_kind(np.concatenate([held, *waiting])), []
            if len(held) > most:
                return None
    held = _two_of_a_kind(np.concatenate([held, *waiting]))
    return held if len(held) <= most else None


def _two_of_a_kind(values: np.ndarray) -> np.ndarray:
    values = np.sort(values)
    first = np.ones(len(values), bool)
    first[2:] = values[2:] != values[:-2]
    kept: np.ndarray = values[first]
    return kept


def _mine(piece: np.ndarray, turn: int, turns: int) -> np.ndarray:
    present: np.ndarray = piece[~np.isnan(piece)] + 0.0  # no negative zero
    return present if turns == 1 else present[_turns(present, turns) == turn]


def _turns(values: np.ndarray, turns: int) -> np.ndarray:
    """In which turn a value is counted: the same for all that are equal, and even over what is counted."""
    mixed = (values.view(np.uint64) * ODD) >> np.uint64(32)
    return (mixed * ODD >> np.uint64(32)) % np.uint64(turns)
