"""Which cells to suppress so that every record is like k others, where a missing cell is like any."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

import numpy as np

from sfumato.kernels.distinct_records import Distinct, distinct

LARGEST_NUMBER_OF_SETS = 1024  # of attributes, each of which is one pass over the records
LARGEST_NUMBER_OF_PATTERNS = 64  # of missing values that are compared pair by pair


def cells_to_suppress(
    columns: Sequence[np.ndarray], missing: np.ndarray, k: int, importance: Sequence[float]
) -> np.ndarray:
    """Records by attributes: True where a cell must go. `missing` tells which ones are missing already."""
    classes = distinct(columns)
    values = [column[classes.first] for column in columns]
    hidden = np.zeros((len(classes.first), len(columns)), bool)
    risky = occurrences(values, missing[classes.first], classes, k) < k
    for chosen in attribute_sets(values, importance):
        if not risky.any():
            break
        kept = [values[j] for j in range(len(values)) if j not in chosen]
        gone = _prefixes(kept, classes.counts, risky, k)
        hidden[gone[:, None], list(chosen)] = True
    found: np.ndarray = hidden[classes.labels] & ~missing
    return found


def attribute_sets(values: Sequence[np.ndarray], importance: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """Sets of attributes, the least important first; among equals those with more different values.

    All of them for up to ten attributes; for more, the small ones, and then ever more of the least important.
    """
    d = len(values)
    richness = [len(distinct([v]).first) for v in values]

    def cost(chosen: tuple[int, ...]) -> tuple[float, int, float, tuple[int, ...]]:
        return (
            sum(importance[j] for j in chosen),
            len(chosen),
            -float(np.prod([float(richness[j]) for j in chosen])),
            chosen,
        )

    size, total = 0, 0
    while size < d and total + comb(d, size + 1) <= LARGEST_NUMBER_OF_SETS:
        size += 1
        total += comb(d, size)
    sets = [chosen for s in range(1, max(size, 1) + 1) for chosen in combinations(range(d), s)]
    yield from sorted(sets, key=cost)
    least = sorted(range(d), key=lambda j: cost((j,)))
    for s in range(size + 1, d + 1):
        yield tuple(sorted(least[:s]))


def occurrences(values: Sequence[np.ndarray], holes: np.ndarray, classes: Distinct, k: int) -> np.ndarray:
    """In how many records the combination of each class occurs; where it is in k anyway, only its own.

    Classes are compared by patterns of missing values. Where there are very many, only equal classes count,
    which finds too few and never too many.
    """
    found = classes.counts.copy()
    pattern = distinct([*holes.T])
    if len(pattern.first) > LARGEST_NUMBER_OF_PATTERNS:
        return found
    risky = found < k
    groups = [np.flatnonzero(pattern.labels == g) for g in range(len(pattern.first))]
    for members in groups:
        here = members[risky[members]]
        for there in groups if len(here) else ():
            gaps = holes[members[0]] | holes[there[0]]
            if not gaps.any():
                continue  # complete classes are like themselves only
            rows = np.concatenate([here, there])
            shared = [values[j][rows] for j in np.flatnonzero(~gaps).tolist()]
            same = distinct(shared).labels if shared else np.zeros(len(rows), np.int64)
            totals = np.bincount(same[len(here) :], weights=classes.counts[there], minlength=same.max() + 1)
            found[here] += totals[same[: len(here)]].astype(np.int64)
            if there is members:
                found[here] -= classes.counts[here]  # they were there already
    return found


def _prefixes(kept: list[np.ndarray], counts: np.ndarray, risky: np.ndarray, k: int) -> np.ndarray:
    """Which risky classes lose the attributes that are not kept; those that are helped are risky no more.

    Classes that are equal in what is kept, k records in all, are compatible with those of them that lose the
    rest. So the smallest lose it, until the next one has with them k records.
    """
    labels = distinct(kept).labels if kept else np.zeros(len(counts), np.int64)
    enough = np.bincount(labels, weights=counts) >= k
    helped = np.flatnonzero(risky & enough[labels])
    helped = helped[np.lexsort((counts[helped], labels[helped]))]
    risky[helped] = False
    before = np.cumsum(counts[helped]) - counts[helped]
    starts = np.searchsorted(labels[helped], labels[helped])
    before = before - before[starts]
    gone: np.ndarray = helped[counts[helped] + before < k]
    return gone
