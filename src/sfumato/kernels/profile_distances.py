"""Profiles, a place in a tree and ranked topics: how far apart they are, and what a cluster of them releases.

A profile is a row: the number of its place, then of its topics; −1 is missing. Place p has the ancestor
`paths[p, level]` at each level and itself up to its own, `levels[p]`. A place that lies in another is as many
steps from it as there are levels between; all other places, and two different topics, are as many steps apart
as there are levels.
"""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def place_distances(paths: np.ndarray, levels: np.ndarray, place: int, one_way: bool) -> np.ndarray:
    """Steps from a place to every other; the last entry is the distance to a missing one.

    With `one_way` only places that it lies in are nearer than the farthest, not those that lie in it.
    """
    count, scale = len(levels), paths.shape[1] - 1
    row = np.full(count + 1, scale, np.int32)
    if place < 0:
        row[count] = 0
        return row
    for other in range(count):
        low, high = levels[place], levels[other]
        if paths[place, high] == other or (not one_way and paths[other, low] == place):
            row[other] = abs(high - low)
    return row


@kernel
def aggregate(
    profiles: np.ndarray, members: np.ndarray, paths: np.ndarray, scores: np.ndarray, out: np.ndarray
) -> None:
    """Write the profile of a cluster to `out`: the closest common ancestor, and the topics with most votes.

    The first topic of m has m votes, the last one 1; of topics with equal votes, the one that is met first
    goes first. `scores` holds a zero for each topic, before and after.
    """
    out[:] = -1
    for i in members:
        place = profiles[i, 0]
        if place >= 0:
            out[0] = place if out[0] < 0 else _common(paths, out[0], place)
    m = profiles.shape[1] - 1
    met = np.empty(len(members) * m, np.int64)
    count = 0
    for i in members:
        for j in range(m):
            topic = profiles[i, 1 + j]
            if topic >= 0:
                if scores[topic] == 0:
                    met[count] = topic
                    count += 1
                scores[topic] += m - j
    for j in range(min(m, count)):
        best = met[0]
        for topic in met[:count]:
            if scores[topic] > scores[best]:
                best = topic
        out[1 + j] = best
        scores[best] = 0
    for topic in met[:count]:
        scores[topic] = 0


@kernel
def _common(paths: np.ndarray, one: int, other: int) -> int:
    level = 0
    while paths[one, level] != paths[other, level]:
        level += 1
    return paths[one, level]  # type: ignore[no-any-return]


@kernel
def aggregates(
    profiles: np.ndarray, order: np.ndarray, starts: np.ndarray, paths: np.ndarray, topics: int
) -> np.ndarray:
    """The profile of each cluster, whose members are `order[starts[c] : starts[c + 1]]`."""
    found = np.empty((len(starts) - 1, profiles.shape[1]), profiles.dtype)
    scores = np.zeros(topics, np.int64)
    for c in range(len(starts) - 1):
        aggregate(profiles, order[starts[c] : starts[c + 1]], paths, scores, found[c])
    return found
