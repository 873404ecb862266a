"""A graph as two tables: a delimited file of edges (source, target), and a file of nodes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sfumato.core import DataError
from sfumato.data.attribute import Attribute
from sfumato.data.csv_options import CsvOptions
from sfumato.data.files.table_files import read_arrow, read_table, write_table
from sfumato.data.formats.delimited import Delimited
from sfumato.data.formats.parquet import Parquet
from sfumato.data.graph import Graph
from sfumato.data.graph_columns import ID, named_by, node_names
from sfumato.data.graph_formats._graph_format import GraphFormat
from sfumato.data.graph_frames import ENDS, linked_graph
from sfumato.data.schema import Schema
from sfumato.data.table import Table


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
        arrow = read_arrow(edges, options=options)
        return linked_graph(table, arrow, directed=directed, sources=(str(nodes), str(edges)))

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
