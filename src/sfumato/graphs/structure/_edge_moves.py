"""Edge moves: nodes come to other degrees by edges that go from those with too many to those with too few."""

import numpy as np

from sfumato.data.graph import Graph
from sfumato.graphs.neighbourhoods import neighbour_sets
from sfumato.graphs.structure._stubs import joined


def moved(graph: Graph, targets: np.ndarray, rng: np.random.Generator) -> Graph:
    """A graph whose degrees are the targets, as far as edges can be moved.

    If a has too many and b too few, an edge a–c becomes b–c. If a and b both have too many, their edge goes, or
    a–c and b–d become c–d; if both have too few, they are joined, or an edge c–d becomes a–c and b–d.
    """
    sets = neighbour_sets(graph)
    change = targets - graph.degrees
    many = rng.permutation(np.repeat(np.arange(graph.n), np.maximum(-change, 0))).tolist()
    few = rng.permutation(np.repeat(np.arange(graph.n), np.maximum(change, 0))).tolist()
    both = min(len(many), len(few))
    draws = rng.random(len(many)).tolist()
    wanted = np.bincount(np.array(few[both:], np.int64), minlength=graph.n)
    for a, b, u in zip(many[:both], few[:both], draws, strict=False):
        wanted[b] += not _handed_over(sets, a, b, u)
    rest = many[both:]
    for a, b, u in zip(rest[::2], rest[1::2], draws, strict=False):
        _both_less(sets, a, b, u)
    edges = [(a, b) for a, near in enumerate(sets) for b in near if a < b]
    made = graph.with_edges(np.array(edges, np.int64).reshape(-1, 2))
    wanted[np.flatnonzero(wanted)[: wanted.sum() % 2]] -= 1  # ends are joined two by two
    return made.with_edges(joined(made.edges, made.edges[:0], wanted, rng, only_add=False)[0])


def _handed_over(sets: list[set[int]], a: int, b: int, u: float) -> bool:
    free = sorted(sets[a] - sets[b] - {b})
    if free:
        c = free[int(u * len(free))]
        _cut(sets, a, c)
        sets[b].add(c)
        sets[c].add(b)
    return bool(free)


def _both_less(sets: list[set[int]], a: int, b: int, u: float) -> None:
    if b in sets[a]:
        _cut(sets, a, b)
        return
    near = sorted(sets[a])
    start = int(u * len(near))
    for c in near[start:] + near[:start]:
        free = sorted(sets[b] - sets[c] - {c})
        if free:
            d = free[0]
            _cut(sets, a, c)
            _cut(sets, b, d)
            sets[c].add(d)
            sets[d].add(c)
            return


def _cut(sets: list[set[int]], a: int, b: int) -> None:
    sets[a].remove(b)
    sets[b].remove(a)
