"""Percolation: from a few known nodes of two graphs to all that are told by their known neighbours."""

import heapq
from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel


class Sides(NamedTuple):
    """Two graphs: where the neighbours of each node begin, and the neighbours."""

    ptr: np.ndarray
    ends: np.ndarray
    other_ptr: np.ndarray
    other_ends: np.ndarray


class Matches(NamedTuple):
    """The node of the other graph for each of this one, and the other way round; −1 where there is none."""

    found: np.ndarray
    taken: np.ndarray


@kernel
def percolated(sides: Sides, seeds: np.ndarray, least: int, most: int) -> np.ndarray:
    """For each node of a graph the node of the other that it is taken for; −1 where none is.

    Each pair that is matched gives a mark to every pair of a neighbour here and a neighbour there. The pair with most
    marks, at least so many, is matched next; of equals the one of which the degrees differ least, then the one
    of the lowest numbers. It ends where there is none, or after so many marks.
    """
    matches = Matches(
        np.full(len(sides.ptr) - 1, -1, np.int64), np.full(len(sides.other_ptr) - 1, -1, np.int64)
    )
    marks, waiting = {np.int64(0): np.int64(0)}, [(np.int64(0), np.int64(0), np.int64(0))]
    waiting.pop()  # it was there to tell the types
    given = 0
    for a, b in seeds:
        matches.found[a], matches.taken[b] = b, a
    for a, b in seeds:
        given += _marked(sides, (a, b), matches, marks, waiting, least)
    while len(waiting) and given < most:
        score, _, key = heapq.heappop(waiting)
        a, b = key // len(matches.taken), key % len(matches.taken)
        if matches.found[a] < 0 and matches.taken[b] < 0 and marks[key] == -score:
            matches.found[a], matches.taken[b] = b, a
            given += _marked(sides, (a, b), matches, marks, waiting, least)
    return matches.found


@kernel
def _marked(
    sides: Sides,
    pair: tuple[np.int64, np.int64],
    matches: Matches,
    marks: dict[np.int64, np.int64],
    waiting: list[tuple[np.int64, np.int64, np.int64]],
    least: int,
) -> int:
    """Give the marks of a matched pair; the answer is how many."""
    (a, b), given = pair, 0
    for p in range(sides.ptr[a], sides.ptr[a + 1]):
        i = sides.ends[p]
        if matches.found[i] >= 0:
            continue
        degree = sides.ptr[i + 1] - sides.ptr[i]
        for q in range(sides.other_ptr[b], sides.other_ptr[b + 1]):
            j = sides.other_ends[q]
            if matches.taken[j] < 0:
                key = np.int64(i * len(matches.taken) + j)
                count = np.int64(marks.get(key, np.int64(0)) + 1)
                marks[key] = count
                given += 1
                if count >= least:
                    off = np.int64(abs(degree - (sides.other_ptr[j + 1] - sides.other_ptr[j])))
                    heapq.heappush(waiting, (np.int64(-count), off, key))
    return given
