"""Profile graph: generated users of a social network, in communities that share topics and places.

A folder and not a file, since what it makes is a graph and not one table.
"""

import numpy as np

from sfumato.core import ParameterError, UnknownNameError, stream
from sfumato.data import MISSING, Attribute, Schema, Table
from sfumato.data.graph import Graph
from sfumato.data.places import Places
from sfumato.datasets._attributes import number
from sfumato.datasets._random_columns import checked_size
from sfumato.datasets.profile_graph.communities import TOPICS, Communities, edges, interests, locations

__all__ = ["PRESETS", "PRESET_EDGES", "TOPICS", "preset", "profile_graph"]

NAME = "profile_graph"
PRESETS = {"small": 306, "large": 1638}
PRESET_EDGES = {"small": 342, "large": 4622}  # §6.5 of the source


def profile_graph(
    n: int = 1638,
    *,
    seed: int = 0,
    mean_degree: float = 5.6,
    directed: bool = False,
    missing: float = 0.0,
) -> Graph:
    """A connected small world of n users with a location and three topics each.

    Users belong to communities. Most edges stay inside one, between users who are close to each other or lead
    to its popular members; the others go anywhere, which keeps all ways short. A community has a home town and a
    few favourite topics; its members live in or near the one and talk, in their own order, mostly about the
    others. `mean_degree` counts both ends of an edge (in a directed graph, followers and followed together);
    a graph that hangs together has at least n − 1 edges. With `missing`, that share of the users tell no
    location, and as many have no third topic.

    >>> graph = profile_graph(300, seed=1)
    >>> graph, graph.nodes.names
    (Graph(300 nodes, 840 undirected edges), ('user', 'location', 'topic1', 'topic2', 'topic3'))
    """
    n = checked_size(NAME, n)
    _check(mean_degree, missing)
    communities = Communities.drawn(n, stream(seed, NAME, "communities"))
    pairs = edges(communities, round(n * mean_degree / 2), stream(seed, NAME, "edges"), directed=directed)
    places = Places.shipped()
    topics = interests(communities, stream(seed, NAME, "topics"))
    columns = {
        "user": 1_000_000 + stream(seed, NAME, "register").permutation(n),
        "location": locations(communities, places, stream(seed, NAME, "locations")),
        **{f"topic{place + 1}": topics[:, place] for place in range(3)},
    }
    rng = stream(seed, NAME, "missing")
    for name in ("location", "topic3"):
        columns[name] = np.where(rng.random(n) < missing, MISSING, columns[name])
    return Graph(Table(schema(places), columns), pairs, directed=directed)


def preset(name: str, *, seed: int = 0) -> Graph:
    """A graph with as many nodes and edges as one of the two in the source.

    >>> preset("small", seed=1), preset("large", seed=1)
    (Graph(306 nodes, 342 undirected edges), Graph(1638 nodes, 4622 undirected edges))
    """
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESETS)
    return profile_graph(PRESETS[name], seed=seed, mean_degree=2 * PRESET_EDGES[name] / PRESETS[name])


def schema(places: Places) -> Schema:
    """What is known about a user: a number, a place, and three topics, the first being the favourite."""
    user = number("user", role="identifier")
    topics = (
        Attribute(name=f"topic{place}", scale="nominal", role="key", categories=TOPICS) for place in (1, 2, 3)
    )
    return Schema([user, places.attribute(), *topics])


def _check(mean_degree: float, missing: float) -> None:
    if not 0 <= mean_degree < np.inf:
        raise ParameterError(f"{NAME}: mean_degree must be at least 0. Got {mean_degree!r}.")
    if not 0 <= missing <= 1:
        raise ParameterError(f"{NAME}: missing must be from 0 to 1. Got {missing!r}.")
