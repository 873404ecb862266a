"""Generated profiles: exported files whose posts and locations say what the nodes of a graph say.

They show how exported profiles look, and whether the extraction finds again what was put into them.
"""

from pathlib import Path

import msgspec
import numpy as np

from sfumato.core import FileError, stream
from sfumato.data.arrow_columns import as_text
from sfumato.data.files.atomic import writing
from sfumato.data.graph import Graph
from sfumato.data.graph_columns import node_names
from sfumato.data.places import Places
from sfumato.graphs.extraction import LOCATION, TOPICS
from sfumato.graphs.profiles import Post, Profile
from sfumato.graphs.topics import LONG, TopicModel

FILE = "profiles.jsonl"
SHARES = (0.5, 0.3, 0.2)  # of the posts, by rank of the topic
FILLERS = [
    "this",
    "today",
    "really",
    "about",
    "again",
    "some",
    "thing",
    "here",
    "more",
    "look",
    "never",
    "always",
    "maybe",
    "people",
    "think",
    "good",
    "new",
    "still",
    "right",
    "before",
    "after",
    "every",
    "what",
    "when",
    "tomorrow",
    "quite",
    "seen",
    "said",
    "want",
    "just",
    "another",
    "nothing",
]


def made_profiles(graph: Graph, *, posts: int = 20, seed: int = 0) -> list[Profile]:
    """A profile for each node, with about `posts` posts, the favourite topic being the most frequent.

    Half of the posts speak for themselves; the others say nothing and link to a document that does.

    >>> from sfumato.datasets import profile_graph
    >>> profiles = made_profiles(profile_graph(20), posts=10)
    >>> len(profiles), len(profiles[0].posts)
    (20, 10)
    """
    words, places = TopicModel.shipped().words, Places.shipped()
    columns = {name: as_text(graph.nodes.to_arrow()[name]).to_pylist() for name in (LOCATION, *TOPICS)}
    names = node_names(graph)
    follows = [[names[other] for other in graph.neighbours(node)] for node in range(graph.n)]
    made = []
    for node, name in enumerate(names):
        rng = stream(seed, "made profiles", node)
        topics = [columns[topic][node] for topic in TOPICS]
        made.append(
            Profile(
                name,
                _location(columns[LOCATION][node], places, rng),
                _posts(topics, words, posts, rng),
                tuple(follows[node]),
            )
        )
    return made


def write_profiles(profiles: list[Profile], folder: str | Path) -> Path:
    """Write profiles as one file of JSON lines into a folder, which is made if it is not there."""
    folder = Path(folder)
    try:
        folder.mkdir(exist_ok=True)
    except OSError:
        raise FileError(f"Folder {folder} cannot be made.") from None
    with writing(folder / FILE) as temporary:
        temporary.write_bytes(b"".join(msgspec.json.encode(profile) + b"\n" for profile in profiles))
    return folder / FILE


def _location(place: str | None, places: Places, rng: np.random.Generator) -> str:
    """One of the names of a place, at times with what it lies in."""
    if place is None or place not in places:
        return "" if place is None else place
    found = str(rng.choice([place, *places[place].others]))
    parent = places[place].parent
    return f"{found}, {parent}" if parent and rng.random() < 0.4 else found


def _posts(
    topics: list[str | None], words: dict[str, tuple[str, ...]], count: int, rng: np.random.Generator
) -> tuple[Post, ...]:
    numbers = np.ceil(np.array(SHARES) * count).astype(int)
    found = [
        _post(words.get(topic, ()), rng)
        for topic, number in zip(topics, numbers, strict=True)
        if topic is not None
        for _ in range(number)
    ]
    return tuple(found[at] for at in rng.permutation(len(found)))


def _post(words: tuple[str, ...], rng: np.random.Generator) -> Post:
    small = " ".join(rng.choice(FILLERS, 8))
    if not words:
        return Post(small, (" ".join(rng.choice(FILLERS, 2 * LONG)),))
    telling = " ".join(rng.permutation([*rng.choice(words, 3), *rng.choice(FILLERS, 7)]))
    if rng.random() < 0.5:
        return Post(telling)
    return Post(f"{small} https://example.org/{rng.integers(1_000_000)}", (telling,))
