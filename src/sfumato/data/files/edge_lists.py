"""A graph as two tables: a delimited file of edges (source, target), and a file of nodes."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from sfumato.core import DataError, UnknownNameError
from sfumato.data.arrow_columns import as_text
from sfumato.data.attribute import Attribute
from sfumato.data.csv_options import CsvOptions
from sfumato.data.files.atomic import writing_all
from sfumato.data.files.graph_columns import ID, named_by, node_names, numbered
from sfumato.data.files.table_files import read_arrow, read_table, write_table
from sfumato.data.graph import Graph
from sfumato.data.schema import Schema
from sfumato.data.table import Table

ENDS = ("source", "target")


def read_edge_list(
    edges: str | Path,
    nodes: str | Path,
    *,
    schema: Schema | None = None,
    directed: bool = False,
    name: str = "",
    options: CsvOptions | None = None,
) -> Graph:
    """Read a file of edges and a file of nodes, which may have any format a table may have.

    The edges stand in the columns source and target, or else in the first two. The column `name` of the nodes
    holds what the edges call them: unless given, the first identifier, or else the first column.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "nodes.csv").write_text("id,town\\na,Lleida\\nb,Soria\\n")
    >>> _ = (folder / "edges.csv").write_text("source,target\\nb,a\\n")
    >>> graph = read_edge_list(folder / "edges.csv", folder / "nodes.csv")
    >>> graph, graph.edges.tolist()
    (Graph(2 nodes, 1 undirected edges), [[0, 1]])
    """
    table = read_table(nodes, schema=schema, options=options)
    names = _names(table, name, str(nodes))
    arrow = read_arrow(edges, options=options)
    if arrow.num_columns < 2:
        raise DataError(f"{edges}: a file of edges has two columns, source and target.")
    columns = ENDS if all(end in arrow.column_names for end in ENDS) else tuple(arrow.column_names[:2])
    rows = range(1, arrow.num_rows + 1)
    ends = [numbered(names, _ends(arrow, column, str(edges)), rows, f"{edges}, row") for column in columns]
    return Graph(table, np.column_stack(ends), directed=directed)


def write_edge_list(
    graph: Graph, edges: str | Path, nodes: str | Path, *, options: CsvOptions | None = None
) -> None:
    """Write edges and nodes, both or neither; nodes that no identifier tells apart get a column `id`."""
    names = node_names(graph)
    table = graph.nodes if named_by(graph.nodes) is not None else _with_names(graph.nodes, names)
    columns = {end: graph.edges[:, side] for side, end in enumerate(ENDS)}
    listed = Table(
        Schema(Attribute(name=end, scale="nominal", categories=tuple(names)) for end in ENDS), columns
    )
    with writing_all([edges, nodes]) as (edges_path, nodes_path):
        write_table(listed, edges_path, options=options)
        write_table(table, nodes_path, options=options)


def _with_names(table: Table, names: list[str]) -> Table:
    if ID in table:
        raise DataError(f"Column {ID} does not tell the nodes apart: give it another name.")
    naming = Attribute(name=ID, scale="nominal", role="identifier", categories=tuple(names))
    columns = {name: table[name] for name in table.names}
    reasons = {name: table.reasons(name) for name in table.names}
    return Table(
        Schema([naming, *table.schema]),
        {ID: np.arange(table.n), **columns},
        reasons={name: why for name, why in reasons.items() if why is not None},
    )


def _names(table: Table, name: str, source: str) -> list[str]:
    name = name or next(iter((*table.schema.with_role("identifier"), *table.names)))
    if name not in table:
        raise UnknownNameError("column", name, table.names)
    texts: list[str | None] = as_text(table.to_arrow()[name]).to_pylist()
    seen: set[str] = set()
    for row, text in enumerate(texts, start=1):
        if text is None or text in seen:
            raise DataError(
                f"{source}, column {name}, row {row}: a name is missing or comes twice; nodes need unique names."
            )
        seen.add(text)
    return [text for text in texts if text is not None]


def _ends(arrow: pa.Table, column: str, source: str) -> list[str]:
    values = as_text(arrow[column])
    if values.null_count:
        row = values.is_null().index(True).as_py() + 1
        raise DataError(f"{source}, column {column}, row {row}: an edge needs two ends.")
    texts: list[str] = values.to_pylist()
    return texts
