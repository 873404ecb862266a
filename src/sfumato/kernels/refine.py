"""Annealing of groups: records change groups, or change places, at the cost of one pass over the attributes.

The move of x from a group of a records around the centre A to one of b around B changes SSE by
b/(b+1)·|x − B|² − a/(a−1)·|x − A|². Let x and y change places: with δ = y − x it changes by
−2 δ·(A − B) − |δ|²(1/a + 1/b).
"""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.group_arrays import (
    Groups,
    distance,
    drop,
    enter,
    entry_cost,
    exit_gain,
    leave,
    merge,
    split,
)
from sfumato.kernels.random_draws import below, draw, uniform

CYCLES = 0.3  # share of the exchanges that involve three groups
CREATE = 0.1  # share of the moves of a record that can leave its group, that try to start a new one
SKIP = 0.25  # and how often a near row is passed over
DISSOLVE = 0.02  # share of the moves of a record that cannot leave its group, that try to end the group


@kernel
def anneal(
    X: np.ndarray,
    near: np.ndarray,
    groups: Groups,
    state: np.ndarray,
    scale: np.ndarray,
    heat: tuple[float, float],
    steps: int,
    rows: np.ndarray,
) -> float:
    """Try so many random moves while the temperature falls from the first to the second; return SSE's change.

    One of the `rows` moves towards the group of one of its nearest, or that one towards it. At temperature 0 SSE
    never rises.
    """
    m = near.shape[1]
    k = groups.members.shape[1] // 2
    cooling = (heat[1] / heat[0]) ** (1 / steps) if heat[1] > 0 else 1.0
    temperature, change = heat[0], 0.0
    for _ in range(steps):
        temperature *= cooling
        bits = draw(state)
        i = rows[below(len(rows), bits >> np.uint64(32))]
        j = near[i, below(m, bits & np.uint64(0xFFFFFFFF))]
        if draw(state) & np.uint64(1):  # far rows are near to none: let the near come to them, too
            i, j = j, i
        a, b = groups.labels[i], groups.labels[j]
        if a == b:
            continue
        limit = -temperature * scale[i] * np.log(uniform(state)) if temperature > 0 else 0.0
        choice = uniform(state)
        if groups.sizes[a] > k and choice < 0.5:
            change += _relocate(X, groups, i, b, limit)
        elif groups.sizes[a] > k and choice > 1 - CREATE:
            change += _create(X, near, groups, i, state, limit)
        elif groups.sizes[a] == k and choice < DISSOLVE:
            change += _dissolve(X, near, groups, a, limit)
        else:
            y = groups.members[b, int(uniform(state) * groups.sizes[b])]
            if choice < CYCLES:
                c = groups.labels[near[y, int(uniform(state) * m)]]
                if c != a and c != b:
                    z = groups.members[c, int(uniform(state) * groups.sizes[c])]
                    change += _cycle(X, groups, i, y, z, limit)
            else:
                change += _swap(X, groups, i, y, limit)
    return change


@kernel
def _swap(X: np.ndarray, groups: Groups, i: int, j: int, limit: float) -> float:
    a, b = groups.labels[i], groups.labels[j]
    along = apart = 0.0
    for c in range(X.shape[1]):
        step = X[j, c] - X[i, c]
        along += step * (groups.centres[a, c] - groups.centres[b, c])
        apart += step * step
    change: float = -2 * along - apart * (1 / groups.sizes[a] + 1 / groups.sizes[b])
    if not change < limit:
        return 0.0
    for c in range(X.shape[1]):
        step = X[j, c] - X[i, c]
        groups.centres[a, c] += step / groups.sizes[a]
        groups.centres[b, c] -= step / groups.sizes[b]
    p, q = groups.places[i], groups.places[j]
    groups.members[a, p], groups.members[b, q] = j, i
    groups.labels[i], groups.labels[j] = b, a
    groups.places[i], groups.places[j] = q, p
    return change


@kernel
def _cycle(X: np.ndarray, groups: Groups, x: int, y: int, z: int, limit: float) -> float:
    """x takes the place of y, which takes the place of z, which takes that of x."""
    a, b, c = groups.labels[x], groups.labels[y], groups.labels[z]
    along = in_a = in_b = in_c = 0.0
    for j in range(X.shape[1]):
        step = X[z, j] - X[x, j]
        along += step * groups.centres[a, j]
        in_a += step * step
        step = X[x, j] - X[y, j]
        along += step * groups.centres[b, j]
        in_b += step * step
        step = X[y, j] - X[z, j]
        along += step * groups.centres[c, j]
        in_c += step * step
    change: float = -2 * along - in_a / groups.sizes[a] - in_b / groups.sizes[b] - in_c / groups.sizes[c]
    if not change < limit:
        return 0.0
    for j in range(X.shape[1]):
        groups.centres[a, j] += (X[z, j] - X[x, j]) / groups.sizes[a]
        groups.centres[b, j] += (X[x, j] - X[y, j]) / groups.sizes[b]
        groups.centres[c, j] += (X[y, j] - X[z, j]) / groups.sizes[c]
    p, q, r = groups.places[x], groups.places[y], groups.places[z]
    groups.members[a, p], groups.members[b, q], groups.members[c, r] = z, x, y
    groups.labels[x], groups.labels[y], groups.labels[z] = b, c, a
    groups.places[x], groups.places[y], groups.places[z] = q, r, p
    return change


@kernel
def _relocate(X: np.ndarray, groups: Groups, i: int, b: int, limit: float) -> float:
    a = groups.labels[i]
    k = groups.members.shape[1] // 2
    change = entry_cost(X, groups, i, b) - exit_gain(X, groups, i, a)
    full = groups.sizes[b] == 2 * k - 1
    if not full and not change < limit:
        return 0.0
    leave(X, groups, i)
    enter(X, groups, i, b)
    if full:
        change += split(X, groups, b)
        if not change < limit:
            merge(X, groups, b)
            leave(X, groups, i)
            enter(X, groups, i, a)
            return 0.0
    return change


@kernel
def _dissolve(X: np.ndarray, near: np.ndarray, groups: Groups, a: int, limit: float) -> float:
    """Let each member of a group of k join the group where it costs least, and end the group."""
    k = groups.members.shape[1] // 2
    leaving = groups.members[a, :k].copy()
    change = 0.0
    joined = 0
    for i in leaving:
        change -= distance(X, groups, i, a)
    for i in leaving:
        best, least = -1, np.inf
        for j in near[i]:
            b = groups.labels[j]
            if b != a and groups.sizes[b] < 2 * k - 1:
                cost = entry_cost(X, groups, i, b)
                if cost < least:
                    best, least = b, cost
        change += least
        if not change < limit:
            break
        enter(X, groups, i, best)
        joined += 1
    if joined < k:
        for i in leaving[:joined]:
            leave(X, groups, i)
            groups.labels[i] = a
        for place in range(k):
            groups.places[leaving[place]] = place
        return 0.0
    drop(groups, a)
    return change


@kernel
def _create(
    X: np.ndarray, near: np.ndarray, groups: Groups, i: int, state: np.ndarray, limit: float
) -> float:
    """Let a row and k − 1 of its nearest, all of them from groups that can spare them, start a group."""
    k = groups.members.shape[1] // 2
    new = groups.total[0]
    if new == len(groups.sizes):
        return 0.0
    origins = np.empty(k, np.int64)
    groups.sizes[new] = 0
    groups.centres[new] = 0.0
    groups.total[0] = new + 1
    change = 0.0
    for place in range(-1, near.shape[1]):
        j = i if place < 0 else near[i, place]
        origin = groups.labels[j]
        if origin == new or groups.sizes[origin] <= k or (place >= 0 and uniform(state) < SKIP):
            continue
        size = groups.sizes[new]
        change += entry_cost(X, groups, j, new) - exit_gain(X, groups, j, origin)
        leave(X, groups, j)
        enter(X, groups, j, new)
        origins[size] = origin
        if size + 1 == k:
            break
    if groups.sizes[new] == k and change < limit:
        return change
    while groups.sizes[new] > 0:
        last = groups.sizes[new] - 1
        j = groups.members[new, last]
        leave(X, groups, j)
        enter(X, groups, j, origins[last])
    groups.total[0] = new
    return 0.0
