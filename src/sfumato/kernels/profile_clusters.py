"""Clusters of profiles: a seed and its nearest, found without looking at profiles that are far in their topics.

Profiles with the same topics are a combination. A profile that differs in m topics is from m·s to (m + 1)·s steps
away, where s is the number of levels of the places: so the nearest are among the combinations that differ in
fewest topics, and of two profiles that are equally near the one that differs in fewer topics goes first.
"""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.profile_distances import place_distances


class Free(NamedTuple):
    """The profiles that have no cluster yet, by combination: those of c are `members[starts[c] :][: sizes[c]]`."""

    starts: np.ndarray
    sizes: np.ndarray
    members: np.ndarray
    shown: np.ndarray  # a profile of each combination


@kernel
def nearest_clusters(
    profiles: np.ndarray,
    combination: np.ndarray,
    paths: np.ndarray,
    levels: np.ndarray,
    topics: int,
    k: int,
    farthest: bool,
    one_way: bool,
) -> np.ndarray:
    """The cluster of each profile: n // k clusters of k, the last one with what is left over.

    A cluster is a seed and the k − 1 nearest of the profiles that have none; of those that are equally near
    and differ in as many topics, the first ones. The seed is the first profile that has no cluster or, with
    `farthest`, in turn the farthest from the aggregate of the profiles that have none (the root, and the
    topics with most votes), and the farthest from the last seed. For `one_way` see `place_distances`.
    """
    n, last = len(profiles), len(profiles) // k - 1
    labels = np.full(n, -1, np.int64)
    free = _combinations(profiles, combination)
    votes = _votes(profiles, topics)
    seed, first = np.empty(profiles.shape[1], profiles.dtype), 0
    for cluster in range(last):
        if farthest:
            if cluster % 2 == 0:
                _middle(votes, paths, seed)
            at = _farthest(profiles, seed, place_distances(paths, levels, seed[0], one_way), free)
        else:
            while labels[first] >= 0:
                first += 1
            at = first
        seed[:] = profiles[at]
        _join(labels, at, cluster, combination, free)
        _vote(votes, profiles, at, -1)
        row = place_distances(paths, levels, seed[0], one_way)
        for i in _nearest(profiles, seed, row, free, k - 1):
            _join(labels, i, cluster, combination, free)
            _vote(votes, profiles, i, -1)
    return np.where(labels < 0, last, labels)


@kernel
def _nearest(profiles: np.ndarray, seed: np.ndarray, row: np.ndarray, free: Free, count: int) -> np.ndarray:
    """The nearest profiles by steps, differing topics, and number."""
    found, keys, held, n = np.empty(count, np.int64), np.empty(count, np.int64), 0, len(profiles)
    apart = _differing(free, seed)
    for differing in range(profiles.shape[1]):
        if held == count:
            break
        from_here = held  # those that differ in fewer topics stay
        for c in np.flatnonzero(apart == differing):
            for i in free.members[free.starts[c] :][: free.sizes[c]]:
                key = row[profiles[i, 0]] * n + i
                if held == count and key >= keys[count - 1]:
                    continue
                at = held if held < count else count - 1
                held = min(held + 1, count)
                while at > from_here and keys[at - 1] > key:
                    found[at], keys[at] = found[at - 1], keys[at - 1]
                    at -= 1
                found[at], keys[at] = i, key
    return found


@kernel
def _farthest(profiles: np.ndarray, seed: np.ndarray, row: np.ndarray, free: Free) -> int:
    """Of the profiles that differ in most topics, the first one with the farthest place."""
    apart = _differing(free, seed)
    best, most, limit = -1, -1, row.max()
    for c in np.flatnonzero(apart == apart.max()):
        for i in free.members[free.starts[c] :][: free.sizes[c]]:
            if row[profiles[i, 0]] > most:
                best, most = i, row[profiles[i, 0]]
                if most == limit:
                    return best  # type: ignore[no-any-return]
    return best


@kernel
def _differing(free: Free, seed: np.ndarray) -> np.ndarray:
    """In how many topics each combination differs from the seed; −1 where no profile is left."""
    found = np.empty(len(free.shown), np.int64)
    for c in range(len(found)):
        found[c] = -1
        if free.sizes[c]:
            found[c] = 0
            for j in range(1, len(seed)):
                found[c] += free.shown[c, j] != seed[j]
    return found


@kernel
def _combinations(profiles: np.ndarray, combination: np.ndarray) -> Free:
    sizes, members = np.bincount(combination), np.argsort(combination, kind="mergesort")
    starts = np.cumsum(sizes) - sizes
    return Free(starts, sizes, members, profiles[members[starts]])


@kernel
def _join(labels: np.ndarray, i: int, cluster: int, combination: np.ndarray, free: Free) -> None:
    """A profile goes to a cluster, and leaves those of its combination that have none."""
    labels[i] = cluster
    c = combination[i]
    p = free.starts[c]
    while free.members[p] != i:
        p += 1
    free.sizes[c] -= 1
    for q in range(p, free.starts[c] + free.sizes[c]):
        free.members[q] = free.members[q + 1]


@kernel
def _votes(profiles: np.ndarray, topics: int) -> np.ndarray:
    votes = np.zeros(topics, np.int64)
    for i in range(len(profiles)):
        _vote(votes, profiles, i, 1)
    return votes


@kernel
def _vote(votes: np.ndarray, profiles: np.ndarray, i: int, sign: int) -> None:
    for j in range(1, profiles.shape[1]):
        if profiles[i, j] >= 0:
            votes[profiles[i, j]] += sign * (profiles.shape[1] - j)


@kernel
def _middle(votes: np.ndarray, paths: np.ndarray, seed: np.ndarray) -> None:
    """The root, and the topics with most votes."""
    seed[:] = -1
    seed[0] = paths[0, paths.shape[1] - 1]
    by_votes = np.argsort(-votes, kind="mergesort")
    for j in range(1, min(len(seed), len(votes) + 1)):
        seed[j] = by_votes[j - 1]
