"""Edge moves: nodes come to other degrees by edges that go from those with too many to those with too few."""

from collections.abc import Iterator

import numpy as np

from sfumato.data.graph import Graph
from sfumato.graphs.neighbourhoods import neighbour_sets

TRIES = 300  # edges looked at for one exchange
FIRST = 20  # of these, added ones, which lie between nodes that are full of edges and seldom fit

Pair = tuple[int, int]


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


def joined(
    original: np.ndarray,
    added: np.ndarray,
    wanted: np.ndarray,
    rng: np.random.Generator,
    *,
    only_add: bool = True,
) -> tuple[np.ndarray, int]:
    """The edges with those more that nodes want, and how many ends found no place.

    Two nodes a and b that cannot be joined take the place of an edge c–d, an added one if possible: it goes,
    a–c and b–d come.
    """
    ends = rng.permutation(np.repeat(np.arange(len(wanted)), wanted))
    edges = np.concatenate([original, added])
    if not len(ends):
        return edges, 0
    present = {_pair(a, b) for a, b in edges.tolist()}
    ours: list[Pair] = [(a, b) for a, b in added.tolist()]
    others: list[Pair] = [] if only_add else [(a, b) for a, b in original.tolist()]
    unplaced = 0
    for a, b in ends.reshape(-1, 2).tolist():
        if a != b and _pair(a, b) not in present:
            present.add(_pair(a, b))
            ours.append((a, b))
        elif not _exchanged(a, b, _some(ours, others, rng.random(TRIES)), present, ours):
            unplaced += 2
    return np.array(sorted(present), np.int64).reshape(-1, 2), unplaced


def _exchanged(a: int, b: int, candidates: Iterator[Pair], present: set[Pair], ours: list[Pair]) -> bool:
    for c, d in candidates:
        if c == a or d == b or _pair(c, d) not in present:
            continue
        if _pair(a, c) not in present and _pair(b, d) not in present:
            present.remove(_pair(c, d))
            present.update((_pair(a, c), _pair(b, d)))
            ours += [(a, c), (b, d)]
            return True
    return False


def _some(ours: list[Pair], others: list[Pair], draws: np.ndarray) -> Iterator[Pair]:
    """Edges drawn from one list and then from the other, each in both directions."""
    for turn, u in enumerate(draws.tolist()):
        pool = ours if turn < FIRST or not others else others
        if pool:
            c, d = pool[int(u * len(pool))]
            yield c, d
            yield d, c


def _pair(a: int, b: int) -> Pair:
    return (a, b) if a < b else (b, a)
