"""Local suppression where an empty cell is a value like others: small classes of equal records lose cells together."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sfumato.kernels.distinct_records import distinct

EMPTY = -1  # the state of a cell that is missing without a code, as a suppressed one is


class Classes(NamedTuple):
    """Records that are equal: a row of states, how many records, and the class they were at the beginning.

    A class of which some records lose cells is cut in two, so that several may have one origin.
    """

    states: np.ndarray
    counts: np.ndarray
    origin: np.ndarray


def cell_states(values: np.ndarray, missing: np.ndarray, reasons: np.ndarray | None) -> np.ndarray:
    """A number for each thing that a cell of a column can be written as: a value, a code for missing, or EMPTY.

    >>> values, missing = np.array([5.0, np.nan, 5.0, np.nan]), np.array([False, True, False, True])
    >>> cell_states(values, missing, np.array([0, 0, 0, 1])).tolist()
    [0, -1, 0, 2]
    """
    why = np.zeros(len(values), np.int64) if reasons is None else reasons.astype(np.int64)
    return np.where(missing & (why == 0), EMPTY, distinct([values, why]).labels)


def emptied(
    columns: Sequence[np.ndarray], k: int, sets: Sequence[tuple[int, ...]], importance: Sequence[float]
) -> np.ndarray:
    """Records by attributes: which cells are empty in the end, when k records are written alike everywhere.

    `columns` hold the states of k records or more; the last of the `sets` of attributes to try must be all of them.
    """
    found = distinct(columns)
    states = np.column_stack([column[found.first] for column in columns])
    classes = Classes(states, found.counts.astype(np.int64), np.arange(len(states)))
    for chosen, share in _rounds(sets, importance):
        alike = distinct([*classes.states.T]).labels
        sizes = np.bincount(alike, weights=classes.counts)[alike]
        if (sizes >= k).all():
            break
        classes = _suppressed(classes, alike, sizes, chosen, k, share)
    by_origin = np.argsort(classes.origin, kind="stable")
    cells = np.empty((len(found.labels), len(columns)), bool)
    cells[np.argsort(found.labels, kind="stable")] = np.repeat(
        classes.states[by_origin] == EMPTY, classes.counts[by_origin], axis=0
    )
    return cells


def _rounds(
    sets: Sequence[tuple[int, ...]], importance: Sequence[float]
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Sets of attributes to try, and how many records may be borrowed for each risky one.

    First one; then so many as cost no more than if the risky ones alone lost everything; then whatever it takes.
    """
    yield from ((chosen, 1.0) for chosen in sets[:-1])
    for chosen in sets:
        cost = sum(importance[j] for j in chosen)
        yield chosen, sum(importance) / cost - 1 if cost > 0 else np.inf
    yield from ((chosen, np.inf) for chosen in sets)


def _suppressed(
    classes: Classes,
    alike: np.ndarray,
    sizes: np.ndarray,
    chosen: tuple[int, ...],
    k: int,
    share: float,
) -> Classes:
    """Let risky classes lose the chosen attributes where that makes k records alike, with those they borrow."""
    states, counts, origin = classes
    kept = [states[:, j] for j in range(states.shape[1]) if j not in chosen]
    keys = distinct(kept).labels if kept else np.zeros(len(counts), np.int64)
    risky = sizes < k
    there = (states[:, list(chosen)] == EMPTY).all(axis=1) & ~risky
    movers = np.bincount(keys, weights=counts * risky).astype(np.int64)
    enough = movers + np.bincount(keys, weights=counts * there) >= k
    short = np.where(enough | (movers == 0), 0, k - movers)
    loans = np.zeros(len(counts), np.int64)
    lenders = np.flatnonzero(~risky & ~there & (short[keys] > 0))
    for same in _largest_classes(lenders, keys, sizes, alike):
        key, size = keys[same[0]], sizes[same[0]]
        loan = short[key] if size - short[key] >= k else size
        if loan <= share * movers[key]:
            loans[same] = np.clip(loan - (np.cumsum(counts[same]) - counts[same]), 0, counts[same])
    enough[keys[loans > 0]] = True
    moved = (risky & enough[keys]) | (loans == counts)
    cut = np.flatnonzero((loans > 0) & (loans < counts))
    after = Classes(
        np.concatenate([states, states[cut]]),
        np.concatenate([np.where(loans < counts, counts - loans, counts), loans[cut]]),
        np.concatenate([origin, origin[cut]]),
    )
    after.states[np.ix_(np.r_[moved, np.ones(len(cut), bool)], list(chosen))] = EMPTY
    return after


def _largest_classes(
    rows: np.ndarray, keys: np.ndarray, sizes: np.ndarray, alike: np.ndarray
) -> Iterator[np.ndarray]:
    """Of the rows with each key those that are alike and most."""
    rows = rows[np.lexsort((alike[rows], -sizes[rows], keys[rows]))]
    for some in np.split(rows, np.flatnonzero(np.diff(keys[rows])) + 1) if len(rows) else ():
        yield some[alike[some] == alike[some[0]]]
