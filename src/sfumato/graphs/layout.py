"""Where to draw the nodes of a graph."""

import numpy as np

from sfumato.data.graph import Graph

STEPS = 60
BLOCK = 64
NEAREST = 1e-3  # squared, in units of the wanted distance: nodes in one place still push each other


def positions(graph: Graph, rng: np.random.Generator, *, steps: int = STEPS) -> np.ndarray:
    """Places of the nodes, from −1 to 1 in both directions; directions of edges are ignored.

    All nodes push each other away with the force 1/d, neighbours pull each other with the force d², and moves
    get smaller from step to step. Nodes without neighbours end on a ring around the others. Work and memory grow
    with the square of the number of nodes.

    Source: Fruchterman & Reingold (1991), *Graph drawing by force-directed placement*.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"age": [31, 64, 18]}))
    >>> a, b, c = positions(Graph(people, [(0, 1)]), np.random.default_rng(1))
    >>> bool(np.linalg.norm(a - b) < np.linalg.norm(a - c))
    True
    """
    places = rng.uniform(-1, 1, (graph.n, 2)).astype(np.float32) * np.float32(np.sqrt(graph.n))
    inside = np.sqrt(graph.n)
    for step in range(steps):
        forces = _pushes(places) - _pulls(graph, places) - places * np.float32(1 / max(inside, 1))
        lengths = np.linalg.norm(forces, axis=1, keepdims=True)
        limit = 0.2 * inside * (1 - step / steps) ** 2 + 0.02
        places += forces / np.maximum(lengths, 1e-6) * np.minimum(lengths, limit)
    return _fitted(places)


def _pushes(places: np.ndarray) -> np.ndarray:
    """The sum of (x − y)/|x − y|² over all others; in blocks of rows, which stay in the cache."""
    found = np.empty_like(places)
    for first in range(0, len(places), BLOCK):
        rows = slice(first, first + BLOCK)
        off = [np.subtract.outer(places[rows, axis], places[:, axis]) for axis in (0, 1)]
        weights = 1 / np.maximum(off[0] ** 2 + off[1] ** 2, NEAREST)
        for axis in (0, 1):
            found[rows, axis] = (weights * off[axis]).sum(axis=1)
    return found


def _pulls(graph: Graph, places: np.ndarray) -> np.ndarray:
    start, end = graph.edges[:, 0], graph.edges[:, 1]
    way = places[start] - places[end]
    way *= np.linalg.norm(way, axis=1, keepdims=True)
    found = np.zeros_like(places)
    np.add.at(found, start, way)
    np.add.at(found, end, -way)
    return found


def _fitted(places: np.ndarray) -> np.ndarray:
    """In the middle, and as large as fits; what lies far outside is drawn in towards the edge."""
    if not len(places):
        return places
    centred = places - np.median(places, axis=0)
    reach = np.quantile(np.abs(centred), 0.98) or 1.0
    found: np.ndarray = np.clip(centred / (1.1 * reach), -1, 1)
    return found
