"""How the records of pairs differ, attribute by attribute and in all; column by column, which needs no compiling."""

from typing import NamedTuple

import numpy as np

LARGEST = 3  # gaps of ranks that are told by size, whichever attribute they are of
IN_CACHE = 1 << 12  # pairs that stay at hand


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


def pair_differences(sides: Sides, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """For pairs of known and released rows: differences and gaps of ranks, NaN where one value is missing; then
    mean squares and means of both, the largest gaps, and the numbers of contradictions and of blanks."""
    found = np.empty((len(a), len(sides.spreads) + len(sides.ordered) + 4 + LARGEST + 2))
    for top in range(0, len(a), IN_CACHE):
        pairs = slice(top, top + IN_CACHE)
        found[pairs] = _differences(sides, a[pairs], b[pairs]).T
    return found


def _differences(sides: Sides, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """One column a pair."""
    d, ordered = len(sides.spreads), len(sides.ordered)
    found = np.zeros((d + ordered + 4 + LARGEST + 2, len(a)))
    for j in range(d):
        _compare(sides, a, b, j, found)
    _summarise(found, 0, d, d + ordered)
    for o in range(ordered):
        found[d + o] = _gaps(sides, a, b, o)
        _rise(found[d + ordered + 4 : d + ordered + 4 + LARGEST], found[d + o])
    _summarise(found, d, d + ordered, d + ordered + 2)
    return found


def _compare(sides: Sides, a: np.ndarray, b: np.ndarray, j: int, found: np.ndarray) -> None:
    x, y = sides.known[a, j], sides.released[b, j]
    missing = np.isnan(x), np.isnan(y)
    both = ~missing[0] & ~missing[1]
    if sides.first[j] < 0:
        found[j, both] = np.abs(x - y)[both] / sides.spreads[j]
        found[-2] += both & (x != y)
    else:
        at = sides.first[j] + x[both].astype(np.int64) * sides.widths[j] + y[both].astype(np.int64)
        found[j, both] = sides.distances[at]
        found[-2, both] += ~sides.covered[at]
    blank = missing[0] ^ missing[1]
    found[j, blank] = np.nan
    found[-1] += blank


def _gaps(sides: Sides, a: np.ndarray, b: np.ndarray, o: int) -> np.ndarray:
    """Ranks between the two; 0 where they overlap, or both are missing."""
    x, y = sides.known_ranks[a, o], sides.released_ranks[b, o]
    gaps: np.ndarray = np.maximum(np.maximum(x[:, 0] - y[:, 1], y[:, 0] - x[:, 1]), 0.0)
    blank = np.isnan(x[:, 0]), np.isnan(y[:, 0])
    gaps[blank[0] | blank[1]] = np.nan
    gaps[blank[0] & blank[1]] = 0.0
    return gaps


def _rise(largest: np.ndarray, values: np.ndarray) -> None:
    """Put values among the largest of their pairs, greatest first."""
    values = np.where(np.isnan(values), 0.0, values)
    for place in largest:
        lower = np.minimum(place, values)
        np.maximum(place, values, out=place)
        values = lower


def _summarise(found: np.ndarray, start: int, end: int, at: int) -> None:
    for j in range(start, end):
        present = np.where(np.isnan(found[j]), 0.0, found[j])
        found[at] += present * present / (end - start)
        found[at + 1] += present / (end - start)
