"""A graph as two tables: a delimited file of edges (source, target), and a file of nodes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from sfumato.core import DataError
from sfumato.data.arrow_columns import as_text
from sfumato.data.attribute import Attribute
from sfumato.data.csv_options import CsvOptions
from sfumato.data.files.table_files import read_arrow, read_table, write_table
from sfumato.data.formats.delimited import Delimited
from sfumato.data.formats.parquet import Parquet
from sfumato.data.graph import Graph
from sfumato.data.graph_columns import ID, named_by, node_names, numbered
from sfumato.data.graph_formats._graph_format import GraphFormat
from sfumato.data.schema import Schema
from sfumato.data.table import Table

ENDS = ("source", "target")


class EdgeList(GraphFormat):
    """The edges stand in the columns source and target, or else in the first two. The first identifier of the nodes, or
    else their first column, holds what the edges call them. The file of nodes may have any format a table may have.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> edges, nodes = folder / "edges.csv", folder / "nodes.csv"
    >>> _ = nodes.write_text("id,town\\na,Lleida\\nb,Soria\\n")
    >>> _ = edges.write_text("source,target\\nb,a\\n")
    >>> graph = EdgeList().read([edges, nodes], schema=None, directed=False, options=None)
    >>> graph, graph.edges.tolist()
    (Graph(2 nodes, 1 undirected edges), [[0, 1]])
    """

    suffixes = (*Delimited.suffixes, *Parquet.suffixes)
    edges_only = True

    def read(
        self, files: Sequence[Path], *, schema: Schema | None, directed: bool, options: CsvOptions | None
    ) -> Graph:
        edges, nodes = files
        table = read_table(nodes, schema=schema, options=options)
        names = _names(table, str(nodes))
        arrow = read_arrow(edges, options=options)
        if arrow.num_columns < 2:
            raise DataError(f"{edges}: a file of edges has two columns, source and target.")
        columns = ENDS if all(end in arrow.column_names for end in ENDS) else tuple(arrow.column_names[:2])
        rows = range(1, arrow.num_rows + 1)
        ends = [
            numbered(names, _ends(arrow, column, str(edges)), rows, f"{edges}, row") for column in columns
        ]
        return Graph(table, np.column_stack(ends), directed=directed)

    def write(self, graph: Graph, files: Sequence[Path], options: CsvOptions | None) -> None:
        """Nodes that no identifier tells apart get a column `id`."""
        edges, nodes = files
        names = node_names(graph)
        table = graph.nodes if named_by(graph.nodes) is not None else _with_names(graph.nodes, names)
        columns = {end: graph.edges[:, side] for side, end in enumerate(ENDS)}
        ends = [Attribute(name=end, scale="nominal", categories=tuple(names)) for end in ENDS]
        write_table(Table(Schema(ends), columns), edges, options=options)
        write_table(table, nodes, options=options)


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


def _names(table: Table, source: str) -> list[str]:
    name = next(iter((*table.schema.with_role("identifier"), *table.names)))
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
