"""Pareto fronts: what no other beats, ranks of fronts, crowding, and the volume a front dominates.

Costs are rows of an array, all to be small. One row beats another if it is nowhere larger and somewhere
smaller; equal rows do not beat each other.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.search.contracts import Costs, Individual


def front(population: Sequence[Individual[Any]]) -> list[Individual[Any]]:
    """The individuals that no other one beats, by growing first cost; of equals, the first."""
    seen: dict[Costs, Individual[Any]] = {}
    for individual in population:
        seen.setdefault(individual.costs, individual)
    ranks = front_ranks(np.array(list(seen)).reshape(len(seen), -1))
    unbeaten = [individual for individual, rank in zip(seen.values(), ranks, strict=True) if rank == 0]
    return sorted(unbeaten, key=lambda individual: individual.costs)


def front_ranks(costs: np.ndarray) -> np.ndarray:
    """The number of the front each row lies on: 0 if none beats it, 1 if only rows of front 0 do, and so on.

    >>> front_ranks(np.array([[1.0, 4.0], [2.0, 2.0], [3.0, 3.0], [1.0, 5.0]])).tolist()
    [0, 0, 1, 1]
    """
    ranks = np.zeros(len(costs), np.int64)
    if not len(costs):
        return ranks
    ordered = np.lexsort(costs.T[::-1])  # a row is beaten by none that follows it
    beats = _beats(costs[ordered])
    left = np.ones(len(costs), bool)
    number = 0
    while left.any():
        now = left & ~beats[left].any(axis=0)
        ranks[ordered[now]] = number
        left &= ~now
        number += 1
    return ranks


def _beats(costs: np.ndarray) -> np.ndarray:
    no_larger = np.all(costs[:, None, :] <= costs[None, :, :], axis=2)
    smaller = np.any(costs[:, None, :] < costs[None, :, :], axis=2)
    return np.asarray(no_larger & smaller)


def crowding_distances(costs: np.ndarray) -> np.ndarray:
    """How far the neighbours of each row of a front lie apart, in shares of its extent; infinite at its ends.

    >>> crowding_distances(np.array([[0.0, 4.0], [1.0, 1.0], [4.0, 0.0]])).tolist()
    [inf, 2.0, inf]
    """
    distances = np.zeros(len(costs))
    for values in costs.T:
        ordered = np.argsort(values, kind="stable")
        inner, sorted_values = ordered[1:-1], values[ordered]
        extent = float(sorted_values[-1] - sorted_values[0]) if len(values) else 0.0
        if extent > 0:
            distances[inner] += (sorted_values[2:] - sorted_values[:-2]) / extent
        distances[ordered[:1]] = distances[ordered[-1:]] = np.inf
    return distances


def hypervolume(costs: np.ndarray, reference: Costs) -> float:
    """The volume of all points that some row beats and that lie below the reference point.

    Slices along the last cost, each the volume of what lies below it in one dimension less.

    >>> hypervolume(np.array([[1.0, 3.0], [2.0, 1.0]]), (4.0, 4.0))
    7.0
    """
    inside = costs[(costs < np.array(reference)).all(axis=1)]
    return _volume(inside, reference) if len(inside) else 0.0


def _volume(costs: np.ndarray, reference: Costs) -> float:
    if costs.shape[1] == 1:
        return reference[0] - float(costs.min())
    ordered = costs[np.lexsort(costs.T)]  # by the last cost
    if costs.shape[1] == 2:
        return _area(ordered, reference)
    ends = [*ordered[1:, -1].tolist(), reference[-1]]
    heights = [end - start for start, end in zip(ordered[:, -1].tolist(), ends, strict=True)]
    slices = [
        height * _volume(ordered[: i + 1, :-1], reference[:-1])
        for i, height in enumerate(heights)
        if height > 0
    ]
    return math.fsum(slices)


def _area(ordered: np.ndarray, reference: Costs) -> float:
    area, least = 0.0, reference[0]
    for x, y in ordered.tolist():
        if x < least:
            area += (least - x) * (reference[1] - y)
            least = x
    return area


def contributions(costs: np.ndarray, reference: Costs) -> np.ndarray:
    """How much of the volume each row of a front dominates alone: what would be lost without it.

    >>> contributions(np.array([[1.0, 3.0], [2.0, 1.0]]), (4.0, 4.0)).tolist()
    [1.0, 4.0]
    """
    if costs.shape[1] == 2:
        return _strips(costs, reference)
    alone = np.zeros(len(costs))
    for i, row in enumerate(costs):
        if np.all(row < np.array(reference)):
            others = np.unique(np.maximum(np.delete(costs, i, axis=0), row), axis=0)
            shared = others[front_ranks(others) == 0]
            alone[i] = math.prod(np.array(reference) - row) - hypervolume(shared, reference)
    return alone


def _strips(costs: np.ndarray, reference: Costs) -> np.ndarray:
    ordered = np.lexsort(costs.T[::-1])
    x, y = np.minimum(costs[ordered], np.array(reference)).T
    width = np.append(x[1:], reference[0]) - x
    height = np.append(reference[1], y[:-1]) - y
    alone = np.empty(len(costs))
    alone[ordered] = width * height
    return alone
