"""From profiles to a graph: explicit places, implicit topics, and an edge for everybody who is followed."""

from collections.abc import Sequence

import numpy as np

from sfumato.core import DataError
from sfumato.core.progress import note, task
from sfumato.data import MISSING, Attribute, Schema, Table
from sfumato.data.graph import Graph
from sfumato.graphs.gazetteer import Gazetteer
from sfumato.graphs.profiles import Profile
from sfumato.graphs.topics import TopicModel

USER, LOCATION, TOPICS = "user", "location", ("topic1", "topic2", "topic3")


def extract(
    profiles: Sequence[Profile],
    *,
    topics: TopicModel | None = None,
    gazetteer: Gazetteer | None = None,
    directed: bool = False,
) -> Graph:
    """The social graph of some profiles, whose nodes have a user id, a location and three topics.

    Edges lead to those of the profiles that a user follows; in an undirected graph it is enough that one of two
    follows the other. A location that names no place is missing, and so are topics that the posts do not give.

    Source: Marés, *thesis*, §6.1.

    >>> ann = Profile("ann", "NYC", ("What a goal, best match of the season",), ("bob", "eve"))
    >>> graph = extract([ann, Profile("bob", "Times Square")])
    >>> graph, graph.nodes.to_arrow().to_pylist()[0]
    (Graph(2 nodes, 1 undirected edges),
    {'user': 'ann', 'location': 'New York City', 'topic1': 'Sports', 'topic2': None, 'topic3': None})
    """
    model, places = topics or TopicModel.shipped(), gazetteer or Gazetteer.shipped()
    numbers = {profile.id: node for node, profile in enumerate(profiles)}
    if len(numbers) < len(profiles):
        raise DataError("Two profiles have the same id: ids must be unique.")
    edges = [
        (node, numbers[other])
        for node, profile in enumerate(profiles)
        for other in profile.follows
        if other in numbers
    ]
    columns = {
        USER: np.arange(len(profiles)),
        LOCATION: _locations(profiles, places),
        **dict(zip(TOPICS, _topics(profiles, model).T, strict=True)),
    }
    return Graph(Table(_schema(numbers, model, places), columns), edges, directed=directed)


def _locations(profiles: Sequence[Profile], gazetteer: Gazetteer) -> np.ndarray:
    codes: dict[str | None, int] = {name: code for code, name in enumerate(gazetteer.places.names)}
    found = {text: gazetteer.place(text) for text in {profile.location for profile in profiles}}
    unknown = sum(1 for text, place in found.items() if place is None and text.strip())
    if unknown:
        note(
            f"{unknown:,} of {len(found):,} different locations name no place of the gazetteer: they are missing."
        )
    return np.array([codes.get(found[profile.location], MISSING) for profile in profiles], np.int64)


def _topics(profiles: Sequence[Profile], model: TopicModel) -> np.ndarray:
    codes = {topic: code for code, topic in enumerate(model.topics)}
    found = np.full((len(profiles), len(TOPICS)), MISSING, np.int64)
    with task("Reading posts", len(profiles)) as progress:
        for node, profile in enumerate(profiles):
            main = model.main_topics(profile, count=len(TOPICS))
            found[node, : len(main)] = [codes[topic] for topic in main]
            progress.advance()
    return found


def _schema(ids: dict[str, int], model: TopicModel, gazetteer: Gazetteer) -> Schema:
    topics = (Attribute(name=name, scale="nominal", role="key", categories=model.topics) for name in TOPICS)
    user = Attribute(name=USER, scale="nominal", role="identifier", categories=tuple(ids))
    return Schema([user, gazetteer.places.attribute(LOCATION), *topics])
