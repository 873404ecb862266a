"""How the records of pairs differ, attribute by attribute and in all."""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel

LARGEST = 3  # gaps of ranks that are told by size, whichever attribute they are of


class Sides(NamedTuple):
    """Two files as matrices of numbers and codes, and what is needed to compare them.

    `first[j]` is −1 for a number; for a category, the place in `distances` and `covered` of its known code 0 with its
    released code 0, and `widths[j]` how many released codes there are. Ranks are given from … to, of the attributes
    in `ordered`.
    """

    known: np.ndarray
    released: np.ndarray
    spreads: np.ndarray
    first: np.ndarray
    widths: np.ndarray
    distances: np.ndarray
    covered: np.ndarray
    ordered: np.ndarray
    known_ranks: np.ndarray
    released_ranks: np.ndarray


@kernel
def pair_differences(sides: Sides, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """For pairs of known and released rows: differences and gaps of ranks, NaN where one value is missing; then
    mean squares and means of both, the largest gaps, and the numbers of contradictions and of blanks."""
    d, ordered = len(sides.spreads), len(sides.ordered)
    found = np.zeros((len(a), d + ordered + 4 + LARGEST + 2))
    for p in range(len(a)):
        row = found[p]
        for j in range(d):
            _compare(sides, a[p], b[p], j, row)
        _summarise(row, int(np.int64(0)), d, d + ordered)
        for o in range(ordered):
            row[d + o] = _gap(sides, a[p], b[p], o)
            _rise(row[d + ordered + 4 : d + ordered + 4 + LARGEST], row[d + o])
        _summarise(row, d, d + ordered, d + ordered + 2)
    return found


@kernel
def _compare(sides: Sides, i: int, r: int, j: int, row: np.ndarray) -> None:
    x, y = sides.known[i, j], sides.released[r, j]
    if np.isnan(x) and np.isnan(y):
        return
    if np.isnan(x) or np.isnan(y):
        row[j] = np.nan
        row[-1] += 1
    elif sides.first[j] < 0:
        row[j] = abs(x - y) / sides.spreads[j]
        row[-2] += x != y
    else:
        at = sides.first[j] + int(x) * sides.widths[j] + int(y)
        row[j] = sides.distances[at]
        row[-2] += not sides.covered[at]


@kernel
def _gap(sides: Sides, i: int, r: int, o: int) -> float:
    """Ranks between the two; 0 where they overlap, or both are missing."""
    x, y = sides.known_ranks[i, o], sides.released_ranks[r, o]
    if np.isnan(x[0]) and np.isnan(y[0]):
        return 0.0
    gap: float = np.nan if np.isnan(x[0]) or np.isnan(y[0]) else max(x[0] - y[1], y[0] - x[1], 0.0)
    return gap


@kernel
def _rise(largest: np.ndarray, value: float) -> None:
    """Put a value among the largest, greatest first."""
    for at in range(len(largest)):
        if value > largest[at]:
            largest[at], value = value, largest[at]


@kernel
def _summarise(row: np.ndarray, start: int, end: int, at: int) -> None:
    for j in range(start, end):
        if not np.isnan(row[j]):
            row[at] += row[j] * row[j] / (end - start)
            row[at + 1] += row[j] / (end - start)
