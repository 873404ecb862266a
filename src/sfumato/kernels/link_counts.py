"""How many released records are nearer to each known one than its own, and as near; kept while some change.

Records are given by their columns: the distances of one record to all others are summed column by column, which
a processor does several at a time. Sums are those of `nearest`, to the last bit.
"""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.nearest import ABSENT, KIND, RATIO, SQUARED, TIE, WEIGHT, _distance


@kernel
def count_all(
    known: np.ndarray, released: np.ndarray, metric: np.ndarray, sets: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """Fill the counts (nearer, as near) of each known record, and return the distances to their own."""
    radii = np.empty(known.shape[1])
    for i in range(len(radii)):
        radii[i] = _count_own(known[:, i], i, released, metric, sets, counts[i])
    return radii


@kernel
def recount(
    known: np.ndarray,
    released: np.ndarray,
    rows: np.ndarray,
    old: np.ndarray,
    metric: np.ndarray,
    sets: np.ndarray,
    counts: np.ndarray,
    radii: np.ndarray,
) -> None:
    """Bring counts and distances up to date with released records of which some rows had old values before."""
    for a in range(len(rows)):
        _add(counts, -1, distances_to(known, old[a], metric, sets), radii)
        _add(counts, 1, distances_to(known, np.ascontiguousarray(released[:, rows[a]]), metric, sets), radii)
    for i in rows:
        radii[i] = _count_own(known[:, i], i, released, metric, sets, counts[i])


@kernel
def distances_to(columns: np.ndarray, y: np.ndarray, metric: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """The distance of each record, given by columns, to one."""
    n = columns.shape[1]
    whole, real = np.zeros(n), np.zeros(n)
    for j in range(len(columns)):
        kind, weight, absent, missing = metric[j, KIND], metric[j, WEIGHT], metric[j, ABSENT], np.isnan(y[j])
        column = columns[j]
        if kind in (SQUARED, RATIO):
            for i in range(n):
                difference = column[i] - y[j]
                apart = (
                    difference * difference * weight if kind == SQUARED else abs(difference) / weight * absent
                )
                real[i] += 0.0 if np.isnan(difference) else apart
                whole[i] += absent if np.isnan(column[i]) != missing else 0.0
        else:
            for i in range(n):
                whole[i] += _distance(column[i : i + 1], y[j : j + 1], metric[j : j + 1], sets, np.inf)
    return whole + real


@kernel
def _count_own(
    x: np.ndarray, i: int, released: np.ndarray, metric: np.ndarray, sets: np.ndarray, count: np.ndarray
) -> float:
    """Count from the start how many are nearer to a known record than its own; the distance of that."""
    apart = distances_to(released, np.ascontiguousarray(x), metric, sets)
    count[:] = 0
    inner, outer = apart[i] * (1 - TIE), apart[i] * (1 + TIE)
    for distance in apart:
        if distance < inner:
            count[0] += 1
        elif distance <= outer:
            count[1] += 1
    own: float = apart[i]
    return own


@kernel
def _add(counts: np.ndarray, times: int, apart: np.ndarray, radii: np.ndarray) -> None:
    for i in range(len(apart)):
        if apart[i] < radii[i] * (1 - TIE):
            counts[i, 0] += times
        elif apart[i] <= radii[i] * (1 + TIE):
            counts[i, 1] += times
