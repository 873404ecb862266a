"""The graph of a project to look at: where to draw its nodes, how many neighbours they have, who looks the same."""

from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.core import FileError, Result, stream
from sfumato.data import SUFFIXES
from sfumato.data.files.graph_files import read_graph
from sfumato.data.graph import Graph
from sfumato.data.graph_formats.edge_list import EdgeList
from sfumato.graphs.structural_attacks import candidate_risk
from sfumato.graphs.structural_losses import undirected
from sfumato.web.questions.process.project_data import ProjectData

MOST_DRAWN = 3000
"""Nodes up to which a graph is drawn; beyond, a picture shows nothing."""
MOST_EDGES = 20_000
STEPS = 60
BLOCK = 64
NEAREST = 1e-3  # squared, in units of the wanted distance: nodes in one place still push each other


class GraphPicture(Result):
    """A graph as a picture, without a value of any node.

    `places` are the positions of the nodes, from −1 to 1; none where the graph is too large to draw. `alike` is for
    each node how many nodes have as many neighbours: whoever knows that number of a person has so many candidates.
    """

    nodes: int
    directed: bool
    places: np.ndarray | None = field(repr=False)
    edges: np.ndarray = field(repr=False)
    degrees: np.ndarray = field(repr=False)
    alike: np.ndarray = field(repr=False)

    @property
    def distribution(self) -> list[tuple[int, int]]:
        """Every number of neighbours that occurs, and how many nodes have it."""
        numbers, counts = np.unique(self.degrees, return_counts=True)
        return list(zip(numbers.tolist(), counts.tolist(), strict=True))

    def exposed(self, fewest: int = 5) -> int:
        """How many nodes have fewer candidates than wanted."""
        return int((self.alike < fewest).sum())

    def to_dict(self) -> dict[str, Any]:
        """All that is drawn; edges and single nodes only where they are."""
        told = {
            **super().to_dict(),
            "edges": len(self.edges),
            "drawn": self.places is not None,
            "distribution": self._rows(),
            "exposed": self.exposed(),
        }
        if self.places is None:
            return told
        return told | {
            "places": self.places.round(3).tolist(),
            "pairs": self.edges.tolist(),
            "degrees": self.degrees.tolist(),
            "alike": self.alike.tolist(),
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [{"degree": degree, "nodes": nodes} for degree, nodes in self.distribution]


def graph_picture(graph: Graph, *, places: np.ndarray | None = None, seed: int = 0) -> GraphPicture:
    """A picture of a graph; `places` are those of another one on the same nodes, so that the two can be compared.

    >>> from sfumato.datasets import profile_graph
    >>> picture = graph_picture(profile_graph(60, seed=1))
    >>> picture.places.shape, sum(nodes for _, nodes in picture.distribution)
    ((60, 2), 60)
    """
    drawn = graph.n <= MOST_DRAWN and graph.m <= MOST_EDGES
    if drawn and places is None:
        places = positions(graph, stream(seed, "graph layout"))
    return GraphPicture(
        nodes=graph.n,
        directed=graph.directed,
        places=places if drawn else None,
        edges=graph.edges,
        degrees=undirected(graph).degrees,
        alike=candidate_risk(graph, graph, depth=1)[0].sizes,
    )


class GraphChange(Result):
    """What protecting did to the edges: those added, and those removed."""

    added: np.ndarray
    removed: np.ndarray


def graph_change(original: Graph, protected: Graph) -> GraphChange:
    """Compare the edges of two graphs on the same nodes.

    >>> from sfumato.datasets import profile_graph
    >>> graph = profile_graph(60, seed=1)
    >>> change = graph_change(graph, graph.with_edges(graph.edges[1:]))
    >>> len(change.added), len(change.removed)
    (0, 1)
    """
    before, after = (graph.edges[:, 0] * graph.n + graph.edges[:, 1] for graph in (original, protected))
    return GraphChange(
        added=protected.edges[~np.isin(after, before)],
        removed=original.edges[~np.isin(before, after)],
    )


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


def held_graph(held: ProjectData, arguments: dict[str, Any]) -> Graph:
    """The graph of the project; `nodes` names the table of nodes beside a list of edges."""
    return held.keep(f"graph {_key(arguments)}", lambda: _read(held, arguments))


def held_picture(held: ProjectData, arguments: dict[str, Any]) -> GraphPicture:
    return held.keep(f"picture {_key(arguments)}", lambda: graph_picture(held_graph(held, arguments)))


def _key(arguments: dict[str, Any]) -> str:
    """What makes two readings of the same file different."""
    return f"{arguments.get('nodes') or ''} {_is_directed(arguments)}"


def _is_directed(arguments: dict[str, Any]) -> bool:
    """Whether edges have a direction, as an address or a page says it."""
    return str(arguments.get("directed") or "").lower() in ("true", "yes", "1")


def _nodes_beside(edges: Path, name: str) -> Path:
    """The table of nodes in the folder of the edges; a name that leads elsewhere is refused."""
    path = edges.parent / name
    leads_out = (
        Path(name).name != name or name.startswith(".") or path.resolve().parent != edges.resolve().parent
    )
    if leads_out or not name.lower().endswith(SUFFIXES):
        raise FileError(
            "The table of the nodes must lie beside the file of the edges: choose it from the list."
        )
    if not path.is_file():
        raise FileError("The table of the nodes does not exist: choose it from the list.")
    return path


def _read(held: ProjectData, arguments: dict[str, Any]) -> Graph:
    subject = held.subject
    held.check_size()
    if subject.path.suffix.lower() not in EdgeList.suffixes:
        return read_graph(subject.path, directed=_is_directed(arguments))
    if not arguments.get("nodes"):
        raise FileError(f"{subject.name} holds edges only: choose the table of the nodes.")
    nodes = _nodes_beside(subject.path, str(arguments["nodes"]))
    return read_graph(subject.path, nodes=nodes, directed=_is_directed(arguments), options=subject.options)
