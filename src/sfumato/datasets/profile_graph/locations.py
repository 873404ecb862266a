"""Where users say they live: in the home town of their community or near it, seldom far away."""

import numpy as np

from sfumato.data.places import Places
from sfumato.datasets.profile_graph.communities import Communities

PRECISION = np.array([1.5, 2.0, 0.3, 0.3, 0.6, 0.8, 0.0, 0.05])  # how often a level is told, 0 to 7
NEARNESS = np.array([0.0, 6.0, 6.0, 5.0, 6.0, 5.0, 3.0, 3.0])  # by the lowest level in common


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
