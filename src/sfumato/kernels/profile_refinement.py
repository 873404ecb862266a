"""Improving clusters of profiles: members change clusters or places as long as no step is lost."""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.profile_distances import aggregate
from sfumato.kernels.random_draws import below, draw


@kernel
def refine_clusters(
    profiles: np.ndarray,
    paths: np.ndarray,
    levels: np.ndarray,
    topics: int,
    labels: np.ndarray,
    k: int,
    alike: np.ndarray,
    ranges: np.ndarray,
    state: np.ndarray,
    tries: int,
) -> int:
    """Try so many random moves, keep those that cost no step, change `labels`, and return the steps saved.

    The cost of a cluster is the sum of the distances of its members to its aggregate. A profile moves to the
    cluster of one that shares a value with it: `alike[c, ranges[c, i, 0] : ranges[c, i, 1]]` are the profiles
    with the value of i in column c. It goes there if its own cluster has more than k members and the other
    fewer than 2k − 1; otherwise it changes places with a member.
    """
    n, columns = profiles.shape
    members, sizes, places = _filled(labels, k)
    scores = np.zeros(topics, np.int64)
    costs = np.empty(len(sizes), np.int64)
    for c in range(len(sizes)):
        costs[c] = cluster_cost(profiles, members[c, : sizes[c]], paths, levels, scores)
    saved = 0
    for _ in range(tries):
        i, column = _below(n, state), _below(columns, state)
        first, end = ranges[column, i]
        j = alike[column, first + _below(end - first, state)]
        a, b = labels[i], labels[j]
        if a == b:
            continue
        moves = sizes[a] > k and sizes[b] < 2 * k - 1
        other = -1 if moves else members[b, _below(sizes[b], state)]
        _exchange(members, sizes, places, labels, i, other, a, b)
        one = cluster_cost(profiles, members[a, : sizes[a]], paths, levels, scores)
        two = cluster_cost(profiles, members[b, : sizes[b]], paths, levels, scores)
        gain = costs[a] + costs[b] - one - two
        if gain >= 0:
            costs[a], costs[b] = one, two
            saved += gain
        else:
            _exchange(members, sizes, places, labels, i, other, b, a)
    return saved


@kernel
def cluster_cost(
    profiles: np.ndarray, members: np.ndarray, paths: np.ndarray, levels: np.ndarray, scores: np.ndarray
) -> int:
    """Steps from the members of a cluster to its aggregate."""
    middle = np.empty(profiles.shape[1], profiles.dtype)
    aggregate(profiles, members, paths, scores, middle)
    scale, cost = paths.shape[1] - 1, 0
    for i in members:
        place = profiles[i, 0]
        if place < 0 or middle[0] < 0:
            cost += scale if place != middle[0] else 0
        else:  # the aggregate is an ancestor
            cost += levels[middle[0]] - levels[place]
        for j in range(1, profiles.shape[1]):
            if profiles[i, j] != middle[j]:
                cost += scale
    return cost


@kernel
def _exchange(
    members: np.ndarray,
    sizes: np.ndarray,
    places: np.ndarray,
    labels: np.ndarray,
    i: int,
    other: int,
    a: int,
    b: int,
) -> None:
    """Profile i goes from cluster a to b, and the other one, if any, the opposite way."""
    if other >= 0:
        p, q = places[i], places[other]
        members[a, p], members[b, q] = other, i
        places[i], places[other] = q, p
        labels[i], labels[other] = b, a
        return
    last = members[a, sizes[a] - 1]
    members[a, places[i]] = last
    places[last] = places[i]
    sizes[a] -= 1
    members[b, sizes[b]] = i
    places[i] = sizes[b]
    sizes[b] += 1
    labels[i] = b


@kernel
def _filled(labels: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    clusters = labels.max() + 1
    members = np.empty((clusters, 2 * k), np.int64)
    sizes = np.zeros(clusters, np.int64)
    places = np.empty(len(labels), np.int64)
    for i in range(len(labels)):
        c = labels[i]
        members[c, sizes[c]] = i
        places[i] = sizes[c]
        sizes[c] += 1
    return members, sizes, places


@kernel
def _below(n: int, state: np.ndarray) -> int:
    return below(n, draw(state) >> np.uint64(32))
