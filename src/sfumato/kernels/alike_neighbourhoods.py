"""Edges flipped one at a time until every node's neighbourhood looks like others: simulated annealing.

The neighbourhood of a node is the graph of its neighbours and the edges among them. Two are as far apart as they differ
in size and, put in order, in the numbers of edges that each neighbour has among the others; where these agree and the
signatures do not, they are one half apart. A node that fewer than k − 1 others look like is short of as much as lies
between it and the (k − 1)-th nearest: so the search is led towards neighbourhoods that are nearly alike already.
"""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.ego_signatures import mixed
from sfumato.kernels.random_draws import below, draw, uniform

ROUNDS = 3  # of refining the colours of neighbours
BEND = 400.0  # what it costs, in edges, to change the share of closed triples by the whole of it


class Wanted(NamedTuple):
    """What is looked for: k alike, between these shares of closed triples, and how hard in the course of the moves."""

    k: int
    only_add: bool
    low: float
    high: float
    moves: int
    heat: float  # temperature at first, in edges; in the end it is a tenth of that
    ease: float  # what a step between neighbourhoods costs at first, in edges
    pressure: float  # and in the end


class Bench(NamedTuple):
    """A graph on which edges are flipped, and how its neighbourhoods compare."""

    original: np.ndarray
    joined: np.ndarray
    near: np.ndarray
    degrees: np.ndarray
    inner: np.ndarray  # of each node's neighbours, how many of the others they know, most first
    signs: np.ndarray
    apart: np.ndarray
    short: np.ndarray


class Trial(NamedTuple):
    """Room for what a flip changes, so that it can be taken back."""

    touched: np.ndarray
    inner: np.ndarray
    signs: np.ndarray
    apart: np.ndarray
    short: np.ndarray
    place: np.ndarray
    shades: np.ndarray


@kernel
def annealed(
    original: np.ndarray, begun: np.ndarray, wanted: Wanted, state: np.ndarray
) -> tuple[np.ndarray, float]:
    """The best graph met from one that was begun, and what it is short of: 0 where each node has k − 1 others alike.

    Both are square and say which nodes are joined; edits are counted from the original.
    """
    n, k = len(original), wanted.k
    bench, trial = _laid_out(original, begun, k), _room(n)
    shape = _shape(bench)
    edits, bent = (original != begun).sum() // 2, _bent(shape, wanted)
    best, best_short, best_cost = begun.copy(), bench.short.sum(), edits + bent
    for move in range(wanted.moves):
        part = move / wanted.moves
        a, b = _proposal(bench, state)
        if a == b or (wanted.only_add and original[a, b]):
            continue
        before, bent_before = bench.short.sum(), bent
        change = -1 if bench.joined[a, b] != original[a, b] else 1
        count = _flipped(bench, trial, a, b, k, shape)
        after, bent = bench.short.sum(), _bent(shape, wanted)
        pressure = wanted.ease + (wanted.pressure - wanted.ease) * part
        rise = pressure * (after - before) + change + bent - bent_before
        if rise > 0 and uniform(state) >= np.exp(-rise / (wanted.heat * 0.1**part)):
            _taken_back(bench, trial, count, a, b, shape)
            bent = bent_before
            continue
        edits += change
        if after < best_short or (after == best_short and edits + bent < best_cost):
            best[:], best_short, best_cost = bench.joined, after, edits + bent
    return best, best_short


@kernel
def _bent(shape: np.ndarray, wanted: Wanted) -> float:
    """What it costs that the share of closed triples is outside the bounds; `shape` holds triangles and triples."""
    share = 3.0 * shape[0] / max(shape[1], 1)
    return BEND * max(wanted.low - share, share - wanted.high, 0.0)  # type: ignore[no-any-return]


@kernel
def _laid_out(original: np.ndarray, begun: np.ndarray, k: int) -> Bench:
    n = len(original)
    bench = Bench(
        original,
        begun.copy(),
        np.zeros((n, n), np.int32),
        np.zeros(n, np.int64),
        np.zeros((n, n), np.int32),
        np.zeros(n, np.uint64),
        np.zeros((n, n), np.float32),
        np.zeros(n, np.float64),
    )
    for a in range(n):
        for b in range(n):
            if begun[a, b]:
                bench.near[a, bench.degrees[a]] = b
                bench.degrees[a] += 1
    place, shades = np.zeros(n, np.int64), np.empty((3, n), np.uint64)
    for a in range(n):
        _look(bench, a, place, shades)
    for a in range(n):
        for b in range(a):
            bench.apart[a, b] = bench.apart[b, a] = _between(bench, a, b)
    for a in range(n):
        bench.short[a] = _shortage(bench, a, k)
    return bench


@kernel
def _room(n: int) -> Trial:
    return Trial(
        np.empty(n, np.int64),
        np.empty((n, n), np.int32),
        np.empty(n, np.uint64),
        np.empty((n, n), np.float32),
        np.empty(n, np.float64),
        np.zeros(n, np.int64),
        np.empty((3, n), np.uint64),
    )


@kernel
def _shape(bench: Bench) -> np.ndarray:
    """Triangles, and paths of two edges."""
    shape = np.zeros(2, np.int64)
    for a in range(len(bench.degrees)):
        shape[1] += bench.degrees[a] * (bench.degrees[a] - 1) // 2
        for p in range(bench.degrees[a]):
            shape[0] += bench.inner[a, p]
    shape[0] //= 6
    return shape


@kernel
def _look(bench: Bench, node: int, place: np.ndarray, shades: np.ndarray) -> None:
    """Bring the summary of a node's neighbourhood up to date; `place` is all zero before and after."""
    near, degree = bench.near[node], bench.degrees[node]
    inner = bench.inner[node]
    for p in range(degree):
        place[near[p]] = p + 1
    for p in range(degree):
        inner[p] = 0
        for q in range(bench.degrees[near[p]]):
            inner[p] += place[bench.near[near[p], q]] > 0
        shades[0, p] = np.uint64(inner[p])
    total = np.uint64(0)
    for turn in range(ROUNDS):
        one, other = shades[turn % 2], shades[(turn + 1) % 2]
        for p in range(degree):
            around = np.uint64(0)
            if inner[p]:
                for q in range(bench.degrees[near[p]]):
                    at = place[bench.near[near[p], q]]
                    if at:
                        around += mixed(one[at - 1], np.uint64(7))
            other[p] = mixed(one[p], around)
            if turn == ROUNDS - 1:
                total += mixed(other[p], np.uint64(1))
    for p in range(degree):
        place[near[p]] = 0
    bench.signs[node] = mixed(np.uint64(degree), total)
    for p in range(1, degree):  # most first; they are few, and nearly in order
        value, at = inner[p], p
        while at > 0 and inner[at - 1] < value:
            inner[at] = inner[at - 1]
            at -= 1
        inner[at] = value


@kernel
def _between(bench: Bench, a: int, b: int) -> float:
    if bench.signs[a] == bench.signs[b]:
        return 0.0
    one, other = bench.degrees[a], bench.degrees[b]
    ends = 0
    for p in range(max(one, other)):
        here = bench.inner[a, p] if p < one else 0
        there = bench.inner[b, p] if p < other else 0
        ends += abs(here - there)
    return max(abs(one - other) + 0.5 * ends, 0.5)  # type: ignore[no-any-return]


@kernel
def _shortage(bench: Bench, node: int, k: int) -> float:
    """How far the (k − 1)-th nearest of the other nodes is."""
    least = np.full(k - 1, np.float32(np.inf))
    for other in range(len(bench.degrees)):
        far = bench.apart[node, other]
        if other != node and far < least[k - 2]:
            at = k - 2
            while at > 0 and least[at - 1] > far:
                least[at] = least[at - 1]
                at -= 1
            least[at] = far
    return least[k - 2]  # type: ignore[no-any-return]


@kernel
def _proposal(bench: Bench, state: np.ndarray) -> tuple[int, int]:
    """A pair of nodes to flip, near a node that is short: with another node, or two of its neighbours."""
    n = len(bench.degrees)
    node = below(n, draw(state) >> np.uint64(32))
    for _ in range(8):
        if bench.short[node] > 0:
            break
        node = below(n, draw(state) >> np.uint64(32))
    kind, degree = uniform(state), bench.degrees[node]
    if kind < 0.15 or degree == 0:
        return node, below(n, draw(state) >> np.uint64(32))
    first = bench.near[node, below(degree, draw(state) >> np.uint64(32))]
    if kind < 0.35:
        return node, first
    if kind < 0.6:
        return node, bench.near[first, below(bench.degrees[first], draw(state) >> np.uint64(32))]
    if kind < 0.8:
        return first, bench.near[node, below(degree, draw(state) >> np.uint64(32))]
    return _changed_pair(bench, node, state)


@kernel
def _changed_pair(bench: Bench, node: int, state: np.ndarray) -> tuple[int, int]:
    """A pair that was flipped before, if one is soon found from here."""
    n = len(bench.degrees)
    for turn in range(n):
        a = (node + turn) % n
        skip = below(n, draw(state) >> np.uint64(32))
        for step in range(n):
            b = (skip + step) % n
            if bench.joined[a, b] != bench.original[a, b]:
                return a, b
    return node, node


@kernel
def _flipped(bench: Bench, trial: Trial, a: int, b: int, k: int, shape: np.ndarray) -> int:
    """Flip a pair, and bring up to date what it touches; the answer is how many nodes that are."""
    count = _affected(bench, a, b, trial.touched)
    touched = trial.touched[:count]
    for t in range(count):
        x = touched[t]
        trial.inner[t], trial.signs[t], trial.apart[t] = bench.inner[x], bench.signs[x], bench.apart[x]
    trial.short[:] = bench.short
    _switch(bench, a, b, count - 2, shape)
    for x in touched:
        _look(bench, x, trial.place, trial.shades)
        bench.short[x] = -1.0
    for x in touched:
        for y in range(len(bench.degrees)):
            if y != x:
                bench.apart[x, y] = bench.apart[y, x] = _between(bench, x, y)
    for y in range(len(bench.degrees)):
        stale = bench.short[y] < 0
        for t in range(count):
            now, was = bench.apart[touched[t], y], trial.apart[t, y]
            stale |= now != was and min(now, was) <= trial.short[y]
        if stale:
            bench.short[y] = _shortage(bench, y, k)
    return count


@kernel
def _taken_back(bench: Bench, trial: Trial, count: int, a: int, b: int, shape: np.ndarray) -> None:
    for t in range(count):
        x = trial.touched[t]
        bench.inner[x], bench.signs[x], bench.apart[x] = trial.inner[t], trial.signs[t], trial.apart[t]
        bench.apart[:, x] = trial.apart[t]
    bench.short[:] = trial.short
    _switch(bench, a, b, count - 2, shape)


@kernel
def _affected(bench: Bench, a: int, b: int, touched: np.ndarray) -> int:
    """Both ends, and the neighbours they share."""
    touched[0], touched[1] = a, b
    count = 2
    for p in range(bench.degrees[a]):
        c = bench.near[a, p]
        if bench.joined[b, c]:
            touched[count] = c
            count += 1
    return count


@kernel
def _switch(bench: Bench, a: int, b: int, shared: int, shape: np.ndarray) -> None:
    there = bench.joined[a, b]
    bench.joined[a, b] = bench.joined[b, a] = not there
    if there:
        _cut(bench, a, b)
        _cut(bench, b, a)
        shape[0] -= shared
        shape[1] -= bench.degrees[a] + bench.degrees[b]
    else:
        shape[0] += shared
        shape[1] += bench.degrees[a] + bench.degrees[b]
        bench.near[a, bench.degrees[a]] = b
        bench.near[b, bench.degrees[b]] = a
        bench.degrees[a] += 1
        bench.degrees[b] += 1


@kernel
def _cut(bench: Bench, a: int, b: int) -> None:
    at = 0
    while bench.near[a, at] != b:
        at += 1
    bench.degrees[a] -= 1
    bench.near[a, at] = bench.near[a, bench.degrees[a]]
