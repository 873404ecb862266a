"""What every file of a graph needs: a name for each node, and nodes found again by their names."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from sfumato.core import DataError
from sfumato.data.arrow_columns import as_text
from sfumato.data.attribute import Attribute
from sfumato.data.encoding import decode
from sfumato.data.graph import Graph
from sfumato.data.inference import propose
from sfumato.data.schema import Schema
from sfumato.data.table import Table

ID = "id"
MANY_CELLS = 10**6
SPARSEST = 200  # cells for each that holds a value, in a table that is worth its memory


def node_names(graph: Graph) -> list[str]:
    """A different name for each node: the first identifier if it tells all apart, else n0, n1, ….

    >>> from sfumato.data import Attribute, Schema
    >>> user = Attribute(name="user", scale="numeric", role="identifier", storage="integer", decimals=0)
    >>> node_names(Graph(Table(Schema([user]), {"user": [7, 3]}), []))
    ['7', '3']
    >>> node_names(Graph(Table(Schema([user]), {"user": [7, 7]}), []))
    ['n0', 'n1']
    """
    name = named_by(graph.nodes)
    if name is None:
        return [f"n{node}" for node in range(graph.n)]
    texts: list[str] = as_text(column(graph.nodes, graph.nodes.schema[name])).to_pylist()
    return texts


def named_by(nodes: Table) -> str | None:
    """The identifier that names the nodes in a file, if one does."""
    for name in nodes.schema.with_role("identifier")[:1]:
        if not nodes.missing(name).any() and len(np.unique(nodes[name])) == nodes.n:
            return name
    return None


def column(nodes: Table, attribute: Attribute) -> pa.Array:
    """A column in the type it was stored with; as text where a missing number has a code that is none."""
    reasons = nodes.reasons(attribute.name)
    return decode(nodes[attribute.name], reasons, attribute, text=attribute.is_numeric)


def numbered(names: Sequence[str], ends: Sequence[str], places: Sequence[int], where: str) -> np.ndarray:
    """The numbers of the nodes at the ends of edges; `places` are the lines in which the edges stand."""
    numbers = {name: node for node, name in enumerate(names)}
    found = np.fromiter((numbers.get(end, -1) for end in ends), np.int64, len(ends))
    if len(found) and found.min() < 0:
        line = places[int(np.argmin(found))]
        raise DataError(f"{where} {line}: an edge leads to a node that the file does not list; add the node.")
    return found


def check_filled(source: str, *, nodes: int, attributes: int, filled: int) -> None:
    """Refuse nodes that have nearly none of their attributes: a small file could make a table of any size."""
    if nodes * attributes > max(MANY_CELLS, SPARSEST * filled):
        raise DataError(
            f"{source}: hardly any of {nodes} nodes has a value for one of {attributes} attributes; "
            "leave out those that hardly occur."
        )


def table_of(names: Sequence[str], arrow: pa.Table, schema: Schema | None, source: str) -> Table:
    """The nodes as a table; their names become a column `id` unless a column or the order tells them."""
    if _must_be_told(names, arrow, schema):
        if ID in arrow.column_names:
            raise DataError(f"{source}: column {ID} differs from the names of the nodes; rename it.")
        columns = dict(zip(arrow.column_names, arrow.columns, strict=True))
        arrow = pa.table({ID: pa.array(list(names), pa.string()), **columns})
    return Table.from_arrow(arrow, schema or _proposed(arrow, names), source=source)


def _must_be_told(names: Sequence[str], arrow: pa.Table, schema: Schema | None) -> bool:
    if not arrow.num_columns or (schema is not None and ID in schema and ID not in arrow.column_names):
        return True
    if all(name == f"n{node}" for node, name in enumerate(names)):
        return False
    return all(as_text(values).to_pylist() != list(names) for values in arrow.columns)


def _proposed(arrow: pa.Table, names: Sequence[str]) -> Schema:
    """The proposal from the values, in which the column of the names is an identifier."""
    schema = propose(arrow).schema
    if not len(names):
        return schema
    naming = [name for name in schema.names if as_text(arrow[name]).to_pylist() == list(names)]
    return schema.with_roles(dict.fromkeys(naming[:1], "identifier"))
