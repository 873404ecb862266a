"""Clusters of profiles: a seed and its nearest, found without looking at profiles that are far in their topics.

Profiles with the same topics are a combination. A profile that differs in m topics is from m·s to (m + 1)·s steps
away, where s is the number of levels of the places: so the nearest are among the combinations that differ in
fewest topics, and of two profiles that are equally near the one that differs in fewer topics goes first.
"""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.profile_distances import place_distances


@kernel
def nearest_clusters(
    profiles: np.ndarray,
    combination: np.ndarray,
    paths: np.ndarray,
    levels: np.ndarray,
    topics: int,
    k: int,
    farthest: bool,
) -> np.ndarray:
    """The cluster of each profile: n // k clusters of k, the last one with what is left over.

    A cluster is a seed and the k − 1 nearest of the profiles that have none; of those that are equally near
    and differ in as many topics, the first ones. The seed is the first profile that has no cluster or, with
    `farthest`, in turn the farthest from the aggregate of the profiles that have none (the root, and the
    topics with most votes), and the farthest from the last seed.
    """
    n, last = len(profiles), len(profiles) // k - 1
    labels = np.full(n, -1, np.int64)
    starts, sizes, members = _combinations(combination)
    shown = profiles[members[starts]]
    votes = _votes(profiles, topics)
    seed, first = np.empty(profiles.shape[1], profiles.dtype), 0
    for cluster in range(last):
        if farthest:
            if cluster % 2 == 0:
                _middle(votes, paths, seed)
            at = _farthest(
                profiles, seed, place_distances(paths, levels, seed[0]), starts, sizes, members, shown
            )
        else:
            while labels[first] >= 0:
                first += 1
            at = first
        seed[:] = profiles[at]
        _join(labels, at, cluster, combination, starts, sizes, members)
        _vote(votes, profiles, at, -1)
        row = place_distances(paths, levels, seed[0])
        for i in _nearest(profiles, seed, row, starts, sizes, members, shown, k - 1):
            _join(labels, i, cluster, combination, starts, sizes, members)
            _vote(votes, profiles, i, -1)
    return np.where(labels < 0, last, labels)


@kernel
def _nearest(
    profiles: np.ndarray,
    seed: np.ndarray,
    row: np.ndarray,
    starts: np.ndarray,
    sizes: np.ndarray,
    members: np.ndarray,
    shown: np.ndarray,
    count: int,
) -> np.ndarray:
    """The nearest profiles by steps, differing topics, and number."""
    found, keys, held, n = np.empty(count, np.int64), np.empty(count, np.int64), 0, len(profiles)
    apart = _differing(shown, seed, sizes)
    for differing in range(profiles.shape[1]):
        if held == count:
            break
        from_here = held  # those that differ in fewer topics stay
        for c in np.flatnonzero(apart == differing):
            for p in range(starts[c], starts[c] + sizes[c]):
                i = members[p]
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
def _farthest(
    profiles: np.ndarray,
    seed: np.ndarray,
    row: np.ndarray,
    starts: np.ndarray,
    sizes: np.ndarray,
    members: np.ndarray,
    shown: np.ndarray,
) -> int:
    """Of the profiles that differ in most topics, the first one with the farthest place."""
    apart = _differing(shown, seed, sizes)
    best, most, limit = -1, -1, row.max()
    for c in np.flatnonzero(apart == apart.max()):
        for p in range(starts[c], starts[c] + sizes[c]):
            if row[profiles[members[p], 0]] > most:
                best, most = members[p], row[profiles[members[p], 0]]
                if most == limit:
                    return best  # type: ignore[no-any-return]
    return best


@kernel
def _differing(shown: np.ndarray, seed: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """In how many topics each combination differs from the seed; −1 where no profile is left."""
    found = np.empty(len(shown), np.int64)
    for c in range(len(shown)):
        found[c] = -1
        if sizes[c]:
            found[c] = 0
            for j in range(1, shown.shape[1]):
                found[c] += shown[c, j] != seed[j]
    return found


@kernel
def _combinations(combination: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the members of each combination begin, how many there are, and the members in order."""
    sizes = np.bincount(combination)
    starts = np.cumsum(sizes) - sizes
    return starts, sizes, np.argsort(combination, kind="mergesort")


@kernel
def _join(
    labels: np.ndarray,
    i: int,
    cluster: int,
    combination: np.ndarray,
    starts: np.ndarray,
    sizes: np.ndarray,
    members: np.ndarray,
) -> None:
    """A profile goes to a cluster, and leaves those of its combination that have none."""
    labels[i] = cluster
    c = combination[i]
    p = starts[c]
    while members[p] != i:
        p += 1
    sizes[c] -= 1
    for q in range(p, starts[c] + sizes[c]):
        members[q] = members[q + 1]


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
