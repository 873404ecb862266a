"""Communities: who belongs where, who knows whom there, what members talk about, and where they live."""

from dataclasses import dataclass

import numpy as np

from sfumato.data.graph import sorted_distinct
from sfumato.data.places import Places
from sfumato.datasets._random_columns import quotas

SPREAD = 0.7  # of the logarithm of the sizes

EARLY = 2.3  # how much newcomers prefer the earliest members
CLOSE, INSIDE = 0.6, 0.25  # shares of the edges that are neither in the tree nor across
ROUNDS = 40

TOPICS = (
    "Business_Finance",
    "Disaster_Accident",
    "Education",
    "Entertainment_Culture",
    "Environment",
    "Health_Medical_Pharma",
    "Hospitality_Recreation",
    "Human Interest",
    "Labor",
    "Law_Crime",
    "Politics",
    "Religion_Belief",
    "Social Issues",
    "Sports",
    "Technology_Internet",
    "Weather",
    "War_Conflict",
    "Other",
)
LIKED = np.array([9, 1, 3, 14, 3, 4, 7, 8, 2, 4, 9, 2, 5, 10, 13, 1, 3, 6]) / 104  # of all talk
FAVOURITES = np.array([2.6, 2.0, 1.5, 0.9])  # what a community adds to the logarithm of its favourites

PRECISION = np.array([1.5, 2.0, 0.3, 0.3, 0.6, 0.8, 0.0, 0.05])  # how often a level is told, 0 to 7
NEARNESS = np.array([0.0, 6.0, 6.0, 5.0, 6.0, 5.0, 3.0, 3.0])  # by the lowest level in common


@dataclass(frozen=True)
class Communities:
    """`members` lists the users community by community, in the order in which they came to each.

    A user is known to the drawing by their place in that list, their rank: community c has the ranks from
    `starts[c]` to `starts[c + 1]`.
    """

    starts: np.ndarray
    members: np.ndarray

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> np.ndarray:
        return np.diff(self.starts)

    @property
    def of_rank(self) -> np.ndarray:
        return np.repeat(np.arange(self.count), self.sizes)

    def by_user(self, values: np.ndarray) -> np.ndarray:
        """Values listed by rank, put in the order of the users."""
        ordered = np.empty_like(values)
        ordered[self.members] = values
        return ordered

    @classmethod
    def drawn(cls, n: int, rng: np.random.Generator) -> "Communities":
        """Communities of unequal size; larger graphs have more of them, and larger ones.

        >>> Communities.drawn(1638, np.random.default_rng(0)).count
        21
        """
        count = max(1, round(n**0.6 / 4))
        sizes = quotas(n, np.exp(SPREAD * rng.standard_normal(count)))
        sizes = sizes[sizes > 0]
        return cls(np.concatenate([[0], np.cumsum(sizes)]), rng.permutation(n))


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
    return communities.members.take(np.column_stack([found // n, found % n]))


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


def interests(communities: Communities, rng: np.random.Generator) -> np.ndarray:
    """Three different topics for each user, the favourite first.

    Each user draws them without replacement from the chances of the community, by Gumbel's trick.
    """
    appeal = np.tile(np.log(LIKED), (communities.count, 1))
    noise = rng.gumbel(size=appeal.shape)
    favourites = np.argsort(-(appeal + noise), axis=1)[:, : len(FAVOURITES)]
    np.put_along_axis(appeal, favourites, np.take_along_axis(appeal, favourites, axis=1) + FAVOURITES, axis=1)
    drawn = appeal[communities.of_rank] + rng.gumbel(size=(len(communities.members), len(TOPICS)))
    return communities.by_user(np.argsort(-drawn, axis=1)[:, :3].astype(np.int8))


def locations(communities: Communities, places: Places, rng: np.random.Generator) -> np.ndarray:
    """The place of each user as a code into the names of the places."""
    paths = np.array(places.hierarchy.rows)
    levels = np.array([places[name].level for name in places.names])
    towns = np.flatnonzero(levels == 1)
    homes = rng.choice(towns, communities.count)
    chances = np.array([_chances(paths, levels, home) for home in homes]).reshape(-1, len(levels))
    sums = np.cumsum(chances, axis=1)
    sums = sums / sums[:, -1:] + np.arange(communities.count)[:, None]
    where = np.searchsorted(sums.ravel(), rng.random(len(communities.members)) + communities.of_rank, "right")
    return communities.by_user(where - len(levels) * communities.of_rank)


def _chances(paths: np.ndarray, levels: np.ndarray, home: int) -> np.ndarray:
    shared = np.argmax(paths == paths[home], axis=1)  # the lowest level at which both lie in one place
    shared = np.maximum(shared, 1)
    together = np.bincount(shared, minlength=len(NEARNESS))
    chances: np.ndarray = PRECISION[levels] * NEARNESS[shared] / together[shared]
    return chances
