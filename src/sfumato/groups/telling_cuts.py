"""Telling cuts: where along an ordered column the share of a group changes, and whether it does among categories."""

from dataclasses import dataclass

import numpy as np

FREE = 2.0  # bits that a cut costs beside the choice of its place: the share on either side of it


@dataclass(frozen=True)
class _Split:
    """A cut before position `at`, and how many bits it saves beyond what it costs."""

    gain: float
    at: int


def telling_cuts(members: np.ndarray, records: np.ndarray, most: int) -> list[int]:
    """Positions between the values of a column, in their order, that tell a group from others; at most so many.

    `records` counts the records of each value, and `members` those of the group. Each cut is the one that saves most bits
    of telling who belongs, by two shares in place of one, in the stretch where that saves most. A cut that
    saves no more than it costs to name its place and the shares is chance, and is not made.

    Source: the criterion is that of Fayyad & Irani (1993), *Multi-interval discretization of continuous-valued attributes*,
    in a simple form.

    >>> telling_cuts(np.array([0, 0, 40, 40, 0, 0]), np.full(6, 50), most=4)
    [2, 4]
    >>> telling_cuts(np.array([9, 11, 10, 10]), np.full(4, 50), most=4)
    []
    """
    inside, everybody = (np.append(0.0, np.cumsum(counts)) for counts in (members, records))
    ends = [0, len(records)]
    found = {0: _best(inside, everybody, 0, len(records))}
    while len(ends) - 2 < most:
        begin, split = max(found.items(), key=lambda item: item[1].gain)
        if split.gain <= 0:
            break
        end = ends[ends.index(begin) + 1]
        ends = sorted([*ends, split.at])
        found[begin] = _best(inside, everybody, begin, split.at)
        found[split.at] = _best(inside, everybody, split.at, end)
    return ends[1:-1]


def tells(members: np.ndarray, records: np.ndarray) -> bool:
    """Whether the share of a group differs between categories by more than chance: judged as a cut is.

    >>> tells(np.array([40, 0]), np.array([100, 100])), tells(np.array([9, 11]), np.array([100, 100]))
    (True, False)
    """
    shares = np.count_nonzero(records)
    saved = _bits(members.sum(), records.sum()) - _bits(members, records).sum()
    return bool(saved > (shares - 1) * (FREE + 0.5 * np.log2(max(records.sum(), 1))))


def _best(inside: np.ndarray, everybody: np.ndarray, begin: int, end: int) -> _Split:
    places = np.arange(begin + 1, end)
    n = everybody[end] - everybody[begin]
    if not len(places) or n <= 0:
        return _Split(-np.inf, begin)
    parts = (
        _bits(inside[to] - inside[of], everybody[to] - everybody[of])
        for of, to in ((begin, places), (places, end), (begin, end))
    )
    left, right, whole = parts
    gains = whole - left - right - np.log2(len(places)) - FREE - 0.5 * np.log2(n)
    at = int(np.argmax(gains))
    return _Split(float(gains[at]), int(places[at]))


def _bits(members: np.ndarray, records: np.ndarray) -> np.ndarray:
    """How many bits it takes to say of each record whether it belongs, where the share is known."""
    others = records - members
    found: np.ndarray = _part(members, records) + _part(others, records)
    return found


def _part(some: np.ndarray, all_: np.ndarray) -> np.ndarray:
    share = np.where(some > 0, some / np.maximum(all_, 1), 1.0)
    return -some * np.log2(share)
