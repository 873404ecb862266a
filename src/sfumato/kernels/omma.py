"""The object-migrating automaton: pairs of similar records reward or penalise the groups they are in.

The move of x from a group of a records around the centre A to one of b around B makes SSE fall by
a/(a−1)·|x − A|² − b/(b+1)·|x − B|². Let x of A and y of B change places: with δ = y − x it falls by
2 δ·(A − B) + |δ|²(1/a + 1/b).
"""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel


class Automaton(NamedTuple):
    """Where the records are; moves change it in place."""

    labels: np.ndarray  # the group of each record
    state: np.ndarray  # from 1, most certain, to the depth of memory, the boundary
    members: np.ndarray  # of each group, as wide as a group may grow
    sizes: np.ndarray
    sums: np.ndarray  # of the records of each group


@kernel
def learning_cycle(
    X: np.ndarray, pairs: np.ndarray, automaton: Automaton, memory: int, k: int
) -> tuple[int, float]:
    """Process each pair once (Algorithm 6); how many of them are kept, first in the list, and SSE's fall."""
    labels, state = automaton.labels, automaton.state
    kept, fallen = 0, 0.0
    for t in range(len(pairs)):
        i, j = pairs[t]
        keep = True
        if labels[i] == labels[j]:  # Algorithm 7: reward
            state[i] = max(state[i] - 1, 1)
            state[j] = max(state[j] - 1, 1)
        elif state[i] < memory and state[j] < memory:  # Algorithm 8
            state[i] += 1
            state[j] += 1
        else:  # Algorithms 9 and 10: a record at the boundary may join the group of the other
            both = state[i] == state[j]
            gain, x = -1.0, -1
            if state[j] == memory:
                gain, x = _best_exchange(X, automaton, j, i, k)
            if state[i] == memory:
                other_gain, other_x = _best_exchange(X, automaton, i, j, k)
                if other_gain > gain:
                    i, j, gain, x = j, i, other_gain, other_x
            if gain >= 0:
                _exchange(X, automaton, j, x, labels[i], memory)
                fallen += gain
            else:  # two uncertain records may yet come together
                keep = both
        if keep:
            pairs[kept] = pairs[t]
            kept += 1
    return kept, fallen


@kernel
def dissolve(X: np.ndarray, near: np.ndarray, automaton: Automaton, memory: int) -> float:
    """End each group whose records fit better into the groups of records near to them; SSE's fall."""
    labels, sizes, sums = automaton.labels, automaton.sizes, automaton.sums
    fallen = 0.0
    for u in range(len(sizes)):
        leaving = automaton.members[u, : sizes[u]].copy()
        gain = 0.0
        for i in leaving:
            for c in range(X.shape[1]):
                gain += (X[i, c] - sums[u, c] / len(leaving)) ** 2
        moved = 0
        for i in leaving:
            best, least = -1, gain
            for j in near[i]:
                v = labels[j]
                if v != u and sizes[v] < automaton.members.shape[1]:
                    cost = _entry(X, automaton, i, v)
                    if cost < least:
                        best, least = v, cost
            if best < 0:  # the fall would be undone
                break
            gain -= least
            _move(X, automaton, i, best)
            moved += 1
        if moved < len(leaving):
            for i in leaving[:moved]:
                _move(X, automaton, i, u)
        else:
            fallen += gain
            for i in leaving:
                automaton.state[i] = memory
    return fallen


@kernel
def _entry(X: np.ndarray, automaton: Automaton, i: int, v: int) -> float:
    """By how much SSE rises if record i joins group v."""
    size = automaton.sizes[v]
    apart = 0.0
    for c in range(X.shape[1]):
        apart += (X[i, c] - automaton.sums[v, c] / size) ** 2
    return float(apart * size / (size + 1))


@kernel
def _best_exchange(X: np.ndarray, automaton: Automaton, j: int, i: int, k: int) -> tuple[float, int]:
    """How far SSE falls at best if j joins the group of i, and the record that makes place (−1: none need)."""
    members, sizes, sums = automaton.members, automaton.sizes, automaton.sums
    u, v = automaton.labels[i], automaton.labels[j]
    a, b = sizes[u], sizes[v]
    best, chosen = -np.inf, -1
    if b > k and a < members.shape[1]:
        apart = 0.0
        for c in range(X.shape[1]):
            apart += (X[j, c] - sums[v, c] / b) ** 2
        best = apart * b / (b - 1) - _entry(X, automaton, j, u)
    of_u, of_v = 1 / a, 1 / b
    for place in range(a):
        x = members[u, place]
        if x == i:
            continue
        gain = 0.0
        for c in range(X.shape[1]):
            step = X[j, c] - X[x, c]
            gain += step * (2 * (sums[u, c] * of_u - sums[v, c] * of_v) + step * (of_u + of_v))
        if gain > best:
            best, chosen = gain, x
    return best, chosen


@kernel
def _exchange(X: np.ndarray, automaton: Automaton, j: int, x: int, u: int, memory: int) -> None:
    """Move j to group u, and x, if it is a record, to where j was; both stand at the boundary there."""
    v = automaton.labels[j]
    automaton.state[j] = memory
    if x < 0:
        _move(X, automaton, j, u)
        return
    automaton.state[x] = memory
    automaton.labels[j], automaton.labels[x] = u, v
    automaton.members[v, _place(automaton, v, j)] = x
    automaton.members[u, _place(automaton, u, x)] = j
    for c in range(X.shape[1]):
        step = X[j, c] - X[x, c]
        automaton.sums[u, c] += step
        automaton.sums[v, c] -= step


@kernel
def _move(X: np.ndarray, automaton: Automaton, j: int, u: int) -> None:
    members, sizes = automaton.members, automaton.sizes
    v = automaton.labels[j]
    sizes[v] -= 1
    members[v, _place(automaton, v, j)] = members[v, sizes[v]]
    members[u, sizes[u]] = j
    sizes[u] += 1
    automaton.labels[j] = u
    for c in range(X.shape[1]):
        automaton.sums[v, c] -= X[j, c]
        automaton.sums[u, c] += X[j, c]


@kernel
def _place(automaton: Automaton, v: int, j: int) -> int:
    place = 0
    while automaton.members[v, place] != j:
        place += 1
    return place
