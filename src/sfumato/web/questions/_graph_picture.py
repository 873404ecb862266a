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
from sfumato.graphs.layout import positions
from sfumato.graphs.structural_attacks import candidate_risk
from sfumato.graphs.structural_losses import undirected
from sfumato.web.questions.process.project_data import ProjectData

MOST_DRAWN = 3000
"""Nodes up to which a graph is drawn; beyond, a picture shows nothing."""
MOST_EDGES = 20_000


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
