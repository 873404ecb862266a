"""Graphs from two tables: one of the nodes, and one of the edges between them."""

from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.core import DataError
from sfumato.data.arrow_columns import as_text
from sfumato.data.frames import arrow_from_frame, table_from_frame
from sfumato.data.graph import Graph
from sfumato.data.graph_columns import numbered
from sfumato.data.schema import Schema
from sfumato.data.table import Table

ENDS = ("source", "target")


def graph_from_frames(
    nodes: Any, edges: Any, *, schema: Schema | None = None, directed: bool = False
) -> Graph:
    """A graph from two data frames. Edges stand in the columns source and target, or else in the first two; the first
    identifier of the nodes, or else their first column, holds what the edges call them.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"id": ["ann", "bea", "cy"], "town": ["Reus", "Soria", "Soria"]})
    >>> graph_from_frames(people, pd.DataFrame({"source": ["ann", "cy"], "target": ["bea", "ann"]}))
    Graph(3 nodes, 2 undirected edges)
    """
    table = nodes if isinstance(nodes, Table) else table_from_frame(nodes, schema)
    sources = ("the frame of nodes", "the frame of edges")
    return linked_graph(table, arrow_from_frame(edges), directed=directed, sources=sources)


def linked_graph(table: Table, arrow: pa.Table, *, directed: bool, sources: tuple[str, str]) -> Graph:
    """The graph of a table of nodes and one of edges, which come from such sources."""
    nodes, edges = sources
    names = _names(table, nodes)
    if arrow.num_columns < 2:
        raise DataError(f"{edges}: a file of edges has two columns, source and target.")
    columns = ENDS if all(end in arrow.column_names for end in ENDS) else tuple(arrow.column_names[:2])
    rows = range(1, arrow.num_rows + 1)
    ends = [numbered(names, _ends(arrow, column, edges), rows, f"{edges}, row") for column in columns]
    return Graph(table, np.column_stack(ends), directed=directed)


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
