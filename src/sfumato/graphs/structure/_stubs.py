"""Joining the nodes that still want an edge, by exchanging others where they have one already."""

from collections.abc import Iterator

import numpy as np

TRIES = 300  # edges looked at for one exchange
FIRST = 20  # of these, added ones, which lie between nodes that are full of edges and seldom fit

Pair = tuple[int, int]


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
