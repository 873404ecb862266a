"""Who knows whom: a tree that holds all together, close neighbours, popular members, and ways across."""

import numpy as np

from sfumato.data.graph import sorted_distinct
from sfumato.datasets.profile_graph.communities import Communities

EARLY = 2.3  # how much newcomers prefer the earliest members
CLOSE, INSIDE = 0.6, 0.25  # shares of the edges that are neither in the tree nor across
ROUNDS = 40


def edges(
    communities: Communities, m: int, rng: np.random.Generator, *, directed: bool = False
) -> np.ndarray:
    """About m different pairs of users (fewer where there is no room); at least the tree.

    >>> communities = Communities.drawn(50, np.random.default_rng(0))
    >>> len(edges(communities, 80, np.random.default_rng(0)))
    80
    """
    n = int(communities.starts[-1])
    if n < 2:
        return np.empty((0, 2), np.int64)
    m = min(m, n * (n - 1) // (1 if directed else 2))
    found = _keys(_tree(communities, rng), n, directed=directed)
    for _ in range(ROUNDS):
        lacking = m - len(found)
        if lacking <= 0:
            break
        more = _keys(_extra(communities, lacking + lacking // 4 + 8, m, rng), n, directed=directed)
        fresh = more[~np.isin(more, found)]
        found = np.concatenate([found, rng.permutation(fresh)[:lacking]])
    ranks = np.column_stack([found // n, found % n])
    users: np.ndarray = communities.members[ranks]
    return users


def _keys(pairs: np.ndarray, n: int, *, directed: bool) -> np.ndarray:
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    if not directed:
        pairs = np.sort(pairs, axis=1)
    return sorted_distinct(pairs[:, 0] * n + pairs[:, 1])


def _tree(communities: Communities, rng: np.random.Generator) -> np.ndarray:
    """Everybody but the first follows somebody who was there before, in the same community if possible."""
    ranks = np.arange(1, communities.starts[-1])
    start = communities.starts[communities.of_rank[1:]]
    start = np.where(ranks == start, 0, start)
    earlier = start + np.floor((ranks - start) * rng.random(len(ranks)) ** EARLY).astype(np.int64)
    return np.column_stack([ranks, earlier])


def _extra(communities: Communities, count: int, m: int, rng: np.random.Generator) -> np.ndarray:
    n = int(communities.starts[-1])
    who = rng.integers(0, n, count)
    home = communities.of_rank[who]
    kind = rng.random(count)
    away = rng.integers(0, communities.count, count)
    community = np.where(kind < CLOSE + INSIDE, home, away)
    popular = communities.starts[community] + np.floor(
        communities.sizes[community] * rng.random(count) ** EARLY
    ).astype(np.int64)
    reach = max(2.0, m / n)
    steps = 1 + np.floor(rng.exponential(reach, count)).astype(np.int64)
    inside = who - communities.starts[home] + steps
    close = communities.starts[home] + inside % communities.sizes[home]
    return np.column_stack([who, np.where(kind < CLOSE, close, popular)])
