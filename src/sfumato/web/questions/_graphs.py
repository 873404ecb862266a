"""Graphs that questions are about: the file of a project, with a table of nodes beside it where that is needed."""

from pathlib import Path
from typing import Any

from sfumato.core import FileError
from sfumato.data import SUFFIXES
from sfumato.data.files.graph_files import read_graph
from sfumato.data.graph import Graph
from sfumato.data.graph_formats.edge_list import EdgeList
from sfumato.web.questions.process.project_data import ProjectData


def held_graph(held: ProjectData, arguments: dict[str, Any]) -> Graph:
    """The graph of the project; `nodes` names the table of nodes beside a list of edges."""
    found: Graph = held.keep(f"graph {picture_key(arguments)}", lambda: _read(held, arguments))
    return found


def picture_key(arguments: dict[str, Any]) -> str:
    """What makes two readings of the same file different."""
    return f"{arguments.get('nodes') or ''} {is_directed(arguments)}"


def is_directed(arguments: dict[str, Any]) -> bool:
    """Whether edges have a direction, as an address or a page says it."""
    return str(arguments.get("directed") or "").lower() in ("true", "yes", "1")


def nodes_beside(edges: Path, name: str) -> Path:
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
    if subject.path.suffix.lower() not in EdgeList.suffixes:
        return read_graph(subject.path, directed=is_directed(arguments))
    if not arguments.get("nodes"):
        raise FileError(f"{subject.name} holds edges only: choose the table of the nodes.")
    nodes = nodes_beside(subject.path, str(arguments["nodes"]))
    return read_graph(subject.path, nodes=nodes, directed=is_directed(arguments), options=subject.options)
