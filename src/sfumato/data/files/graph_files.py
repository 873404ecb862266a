"""Reading and writing graphs; the suffix of a file says its format."""

from pathlib import Path

from sfumato.core import FileError
from sfumato.data.csv_options import CsvOptions
from sfumato.data.files.atomic import writing
from sfumato.data.files.edge_lists import read_edge_list, write_edge_list
from sfumato.data.files.graph_lines import read_lines, write_lines
from sfumato.data.files.graphml_reader import read_graphml
from sfumato.data.files.graphml_writer import write_graphml
from sfumato.data.graph import Graph
from sfumato.data.schema import Schema

GRAPHML = (".graphml", ".xml")
LINES = (".jsonl", ".ndjson")
EDGE_LISTS = (".csv", ".tsv", ".txt", ".parquet", ".pq")
GRAPH_SUFFIXES = (*GRAPHML, *LINES, *EDGE_LISTS)


def read_graph(
    path: str | Path,
    *,
    nodes: str | Path | None = None,
    schema: Schema | None = None,
    directed: bool = False,
    options: CsvOptions | None = None,
) -> Graph:
    """Read a graph: GraphML, JSON lines of profiles, or a file of edges with a file of `nodes`.

    GraphML says itself whether edges have a direction; of the others, `directed` does. Without a schema, the one
    a GraphML file carries is used, or else the proposal from the values.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "people.jsonl"
    >>> _ = file.write_text('{"id": "a", "town": "Soria", "follows": ["b"]}\\n{"id": "b", "town": "Lleida"}\\n')
    >>> graph = read_graph(file)
    >>> graph, graph.nodes.names
    (Graph(2 nodes, 1 undirected edges), ('id', 'town'))
    """
    path = Path(path)
    suffix = _suffix(path)
    if path.is_dir():
        raise FileError(f"{path} is a folder: give the name of a file in it.")
    if suffix in EDGE_LISTS:
        if nodes is None:
            raise FileError(f"{path} holds edges only: name the file of the nodes too.")
        return read_edge_list(path, nodes, schema=schema, directed=directed, options=options)
    _refuse_nodes(path, nodes)
    if suffix in GRAPHML:
        return read_graphml(path, schema)
    return read_lines(path, schema, directed=directed)


def write_graph(
    graph: Graph, path: str | Path, *, nodes: str | Path | None = None, options: CsvOptions | None = None
) -> None:
    """Write a graph in the format its suffix names; its files appear whole or not at all."""
    target = Path(path)
    suffix = _suffix(target)
    if suffix in EDGE_LISTS:
        if nodes is None:
            raise FileError(f"{target} would hold edges only: name a file for the nodes too.")
        write_edge_list(graph, target, nodes, options=options)
        return
    _refuse_nodes(target, nodes)
    with writing(target) as temporary:
        if suffix in GRAPHML:
            write_graphml(graph, temporary)
        else:
            write_lines(graph, temporary)


def _refuse_nodes(path: Path, nodes: str | Path | None) -> None:
    if nodes is not None:
        raise FileError(f"{path} holds nodes and edges: leave out {nodes}.")


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in GRAPH_SUFFIXES:
        known = ", ".join(GRAPH_SUFFIXES)
        raise FileError(f"{path}: its format cannot be told from its name; known suffixes are {known}.")
    return suffix
