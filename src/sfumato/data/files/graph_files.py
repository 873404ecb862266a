"""Files of graphs, read and written; the suffix of a file says its format."""

from pathlib import Path

from sfumato.core import FileError
from sfumato.core.regular_files import check_regular
from sfumato.data.csv_options import CsvOptions
from sfumato.data.files.atomic import writing_all
from sfumato.data.formats import format_of
from sfumato.data.graph import Graph
from sfumato.data.graph_formats._graph_format import GraphFormat
from sfumato.data.schema import Schema


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
    form: GraphFormat = format_of(path, "graph_formats")
    if form.edges_only and nodes is None:
        raise FileError(f"{path} holds edges only: name the file of the nodes too.")
    files = _files(form, path, nodes)
    for file in files:
        check_regular(file)
    return form.read(files, schema=schema, directed=directed, options=options)


def write_graph(
    graph: Graph, path: str | Path, *, nodes: str | Path | None = None, options: CsvOptions | None = None
) -> None:
    """Write a graph in the format its suffix names; its files appear whole or not at all.

    >>> import tempfile
    >>> import pandas as pd
    >>> from sfumato.data.graph_frames import graph_from_frames
    >>> friends = pd.DataFrame({"source": ["ann"], "target": ["bea"]})
    >>> file = Path(tempfile.mkdtemp()) / "people.graphml"
    >>> write_graph(graph_from_frames(pd.DataFrame({"id": ["ann", "bea"]}), friends), file)
    >>> read_graph(file)
    Graph(2 nodes, 1 undirected edges)
    """
    target = Path(path)
    form: GraphFormat = format_of(target, "graph_formats")
    if form.edges_only and nodes is None:
        raise FileError(f"{target} would hold edges only: name a file for the nodes too.")
    with writing_all(_files(form, target, nodes)) as temporaries:
        form.write(graph, temporaries, options)


def _files(form: GraphFormat, path: Path, nodes: str | Path | None) -> list[Path]:
    if nodes is not None and not form.edges_only:
        raise FileError(f"{path} holds nodes and edges: leave out {nodes}.")
    return [path] if nodes is None else [path, Path(nodes)]
