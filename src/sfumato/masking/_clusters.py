"""Clusters of records of any scale: the best of several c-median runs, merged until none is too small."""

from heapq import heapify, heappop, heappush

import numpy as np

from sfumato.data import Attribute, Table
from sfumato.kernels.c_median import c_medians, farthest_first, outermost
from sfumato.kernels.distinct_records import distinct
from sfumato.kernels.spread import centre_and_spread

SAMPLE = 2_000  # different records that a run settles on, before all of them judge it
LAST_ROUNDS = 10  # in which all records follow the best run


def median_clusters(
    table: Table, names: tuple[str, ...], c: int, runs: int, rng: np.random.Generator
) -> np.ndarray:
    """The cluster of each record, of at most c: those of the run whose records are nearest to their centroids.

    The first run begins at the record farthest from the median of all, the others at records drawn at random.
    """
    attributes = [table.schema[name] for name in names]
    columns = [_places(table, name) for name in names]
    found = distinct(columns)
    X = np.column_stack(columns)[found.first]
    counts = found.counts.astype(np.float64)
    nominal = np.array([a.scale == "nominal" for a in attributes])
    scales = np.array([_scale(a, column) for a, column in zip(attributes, columns, strict=True)])
    drawn = found.labels[rng.integers(table.n, size=runs - 1)].tolist()
    some = rng.permutation(len(X))[:SAMPLE]
    best, least = np.empty(0), np.inf
    for first in dict.fromkeys([outermost(X, nominal, scales, counts), *drawn]):
        start = X[farthest_first(X, c, first, nominal, scales)]
        settled = c_medians(X[some], start, nominal, scales, counts[some])[1]
        total = c_medians(X, settled, nominal, scales, counts, rounds=0)[2]
        if total < least:
            best, least = settled, total
    labels: np.ndarray = c_medians(X, best, nominal, scales, counts, rounds=LAST_ROUNDS)[0][found.labels]
    return labels


def merge_small(labels: np.ndarray, k: int) -> np.ndarray:
    """Join the two smallest clusters, again and again, until none holds fewer than k records.

    Of clusters of one size the first goes first. They are numbered anew, without gaps.

    >>> merge_small(np.array([0, 1, 1, 2, 2, 2, 3]), 2).tolist()
    [0, 1, 1, 2, 2, 2, 0]
    """
    sizes = np.bincount(labels)
    waiting = [(int(size), cluster) for cluster, size in enumerate(sizes) if size]
    heapify(waiting)
    into = np.arange(len(sizes))
    while len(waiting) > 1 and waiting[0][0] < k:
        (one, a), (other, b) = heappop(waiting), heappop(waiting)
        into[into == max(a, b)] = min(a, b)
        heappush(waiting, (one + other, min(a, b)))
    return np.unique(into[labels], return_inverse=True)[1].reshape(-1)


def _places(table: Table, name: str) -> np.ndarray:
    values = table[name]
    return values if table.schema[name].is_numeric else np.where(values < 0, np.nan, values)


def _scale(attribute: Attribute, values: np.ndarray) -> float:
    """What a difference of 1 counts."""
    if attribute.is_numeric:
        return 1 / (centre_and_spread(values)[1] or 1.0)
    return 1 / max(attribute.domain_size, 1)
