"""Clusters of records of any attributes: a seed and its nearest, by places in trees and by numbers.

A category is the number of its place in a tree: place p has the ancestor `paths[p, level]` at each level and itself up
to its own, `levels[p]`; −1 is missing. One that lies in another is as far from it as there are levels between, as a
share of the `heights` of its column; all others are at 1. Numbers are as far apart as they differ; NaN is missing. A
missing value is at 1 from any, and at 0 from another missing one.
"""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel


class Mixed(NamedTuple):
    """The places and the numbers of each record, and the trees of all columns of places in one list."""

    places: np.ndarray
    numbers: np.ndarray
    paths: np.ndarray
    levels: np.ndarray
    heights: np.ndarray


@kernel
def mixed_clusters(records: Mixed, k: int, farthest: bool) -> np.ndarray:
    """The cluster of each record: n // k clusters of k, the last one with what is left over.

    A cluster is a seed and the k − 1 nearest of the records that have none, of equals the first. The seed is the first
    record that has no cluster or, with `farthest`, the farthest of them from the seed before.
    """
    n = len(records.places)
    labels, free, last = np.full(n, -1, np.int64), np.arange(n), n // k - 1
    seed = 0
    for cluster in range(last):
        seed = _farthest(records, seed, free) if farthest else free[0]
        labels[seed] = cluster
        for i in _nearest(records, seed, free, k - 1):
            labels[i] = cluster
        free = free[labels[free] < 0]
    return np.where(labels < 0, last, labels)


@kernel
def mixed_distance(records: Mixed, a: int, b: int) -> float:
    """The sum over the columns."""
    total = 0.0
    for j in range(records.places.shape[1]):
        one, other = records.places[a, j], records.places[b, j]
        if one == other:
            continue
        step = 1.0
        if one >= 0 and other >= 0:
            low, high = records.levels[one], records.levels[other]
            if records.paths[one, high] == other or records.paths[other, low] == one:
                step = abs(high - low) / records.heights[j]
        total += step
    for j in range(records.numbers.shape[1]):
        x, y = records.numbers[a, j], records.numbers[b, j]
        if np.isnan(x) or np.isnan(y):
            total += np.isnan(x) != np.isnan(y)
        else:
            total += abs(x - y)
    return total


@kernel
def _nearest(records: Mixed, seed: int, free: np.ndarray, count: int) -> np.ndarray:
    found, far, held = np.empty(count, np.int64), np.empty(count), 0
    for i in free:
        if i == seed or count == 0:
            continue
        apart = mixed_distance(records, seed, i)
        if held == count and apart >= far[count - 1]:
            continue
        at = held if held < count else count - 1
        held = min(held + 1, count)
        while at > 0 and far[at - 1] > apart:
            found[at], far[at] = found[at - 1], far[at - 1]
            at -= 1
        found[at], far[at] = i, apart
    return found[:held]


@kernel
def _farthest(records: Mixed, seed: int, free: np.ndarray) -> int:
    best, most = free[0], -1.0
    for i in free:
        apart = mixed_distance(records, seed, i)
        if apart > most:
            best, most = i, apart
    return best  # type: ignore[no-any-return]
