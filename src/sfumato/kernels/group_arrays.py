"""Groups as arrays that change in place: who is where, and around which centre."""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel


class Groups(NamedTuple):
    """Groups of k to 2k − 1 rows, in a form that moves change in place."""

    labels: np.ndarray  # the group of each row
    places: np.ndarray  # and its place among the members of the group
    members: np.ndarray  # of each group, 2k wide
    sizes: np.ndarray
    centres: np.ndarray
    total: np.ndarray  # one number: how many groups there are


@kernel
def split(X: np.ndarray, groups: Groups, a: int) -> float:
    """Make a new group of half the members of one of 2k: the one farthest from the centre, and the nearest to it."""
    k = groups.members.shape[1] // 2
    far, most = 0, -1.0
    for place in range(2 * k):
        away = distance(X, groups, groups.members[a, place], a)
        if away > most:
            far, most = groups.members[a, place], away
    apart = np.empty(2 * k)
    for place in range(2 * k):
        apart[place] = 0.0
        for c in range(X.shape[1]):
            apart[place] += (X[groups.members[a, place], c] - X[far, c]) ** 2
    new = groups.total[0]
    groups.total[0] += 1
    groups.sizes[new] = 0
    groups.centres[new] = 0.0
    moving = groups.members[a][np.argsort(apart, kind="mergesort")[:k]].copy()
    change = 0.0
    for i in moving:
        change -= exit_gain(X, groups, i, a)
        leave(X, groups, i)
        change += entry_cost(X, groups, i, new)
        enter(X, groups, i, new)
    return change


@kernel
def merge(X: np.ndarray, groups: Groups, a: int) -> None:
    """Undo a split."""
    last = groups.total[0] - 1
    for i in groups.members[last, : groups.sizes[last]].copy():
        leave(X, groups, i)
        enter(X, groups, i, a)
    groups.total[0] = last


@kernel
def drop(groups: Groups, a: int) -> None:
    """End a group that nobody is in; the last one takes its number."""
    last = groups.total[0] - 1
    groups.total[0] = last
    if a == last:
        return
    groups.sizes[a] = groups.sizes[last]
    groups.centres[a] = groups.centres[last]
    groups.members[a] = groups.members[last]
    for place in range(groups.sizes[a]):
        groups.labels[groups.members[a, place]] = a


@kernel
def distance(X: np.ndarray, groups: Groups, i: int, a: int) -> float:
    """Squared distance of a row to the centre of a group."""
    total = 0.0
    for c in range(X.shape[1]):
        step = X[i, c] - groups.centres[a, c]
        total += step * step
    return total


@kernel
def entry_cost(X: np.ndarray, groups: Groups, i: int, b: int) -> float:
    """What SSE gains when a row joins a group."""
    size = groups.sizes[b]
    cost: float = distance(X, groups, i, b) * (size / (size + 1))
    return cost


@kernel
def exit_gain(X: np.ndarray, groups: Groups, i: int, a: int) -> float:
    """What SSE loses when a row leaves its group of two or more."""
    size = groups.sizes[a]
    gain: float = distance(X, groups, i, a) * (size / (size - 1))
    return gain


@kernel
def enter(X: np.ndarray, groups: Groups, i: int, b: int) -> None:
    size = groups.sizes[b]
    for c in range(X.shape[1]):
        groups.centres[b, c] += (X[i, c] - groups.centres[b, c]) / (size + 1)
    groups.labels[i], groups.places[i] = b, size
    groups.members[b, size] = i
    groups.sizes[b] = size + 1


@kernel
def leave(X: np.ndarray, groups: Groups, i: int) -> None:
    """Take a row out of its group; the last member takes its place."""
    a = groups.labels[i]
    size = groups.sizes[a] - 1
    for c in range(X.shape[1]):
        groups.centres[a, c] -= (X[i, c] - groups.centres[a, c]) / max(size, 1)
    moved = groups.members[a, size]
    groups.members[a, groups.places[i]] = moved
    groups.places[moved] = groups.places[i]
    groups.sizes[a] = size
