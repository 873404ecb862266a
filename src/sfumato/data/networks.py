"""Graphs of other libraries: networkx, and igraph, to and from ours."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.core import DataError, MissingExtraError
from sfumato.data.graph import Graph
from sfumato.data.graph_columns import column, node_names, numbered, table_of
from sfumato.data.schema import Schema


def from_networkx(network: Any, schema: Schema | None = None) -> Graph:
    """A graph from a networkx one; attributes of edges and parallel edges are not kept.

    >>> import networkx
    >>> network = networkx.DiGraph([("ann", "bob")])
    >>> network.nodes["ann"]["town"], network.nodes["bob"]["town"] = "Lleida", "Soria"
    >>> graph = from_networkx(network)
    >>> graph, graph.nodes.names
    (Graph(2 nodes, 1 directed edges), ('id', 'town'))
    """
    names = [str(node) for node in network.nodes]
    ends = np.array([[str(a), str(b)] for a, b, *_ in network.edges], object).reshape(-1, 2)
    values = [attributes for _, attributes in network.nodes(data=True)]
    return _graph(names, ends, values, schema, directed=network.is_directed())


def from_igraph(network: Any, schema: Schema | None = None) -> Graph:
    """A graph from an igraph one, whose vertices may have names; attributes of edges are not kept."""
    values = [vertex.attributes() for vertex in network.vs]
    names = [str(given.pop("name", f"n{node}")) for node, given in enumerate(values)]
    ends = np.array(names, object)[np.array(network.get_edgelist(), np.int64).reshape(-1, 2)]
    return _graph(names, ends, values, schema, directed=network.is_directed())


def to_networkx(graph: Graph) -> Any:
    """A networkx graph whose nodes have the names a file would give them; a missing value is an absent one.

    >>> from sfumato.datasets import profile_graph
    >>> network = to_networkx(profile_graph(50))
    >>> len(network), sorted(next(iter(network.nodes.values())))
    (50, ['location', 'topic1', 'topic2', 'topic3', 'user'])
    """
    try:
        import networkx
    except ImportError:
        raise MissingExtraError("Graphs of networkx", "graph") from None
    network = networkx.DiGraph() if graph.directed else networkx.Graph()
    names = node_names(graph)
    columns = {a.name: column(graph.nodes, a).to_pylist() for a in graph.nodes.schema}
    for node, name in enumerate(names):
        network.add_node(
            name, **{key: cells[node] for key, cells in columns.items() if cells[node] is not None}
        )
    network.add_edges_from((names[a], names[b]) for a, b in graph.edges.tolist())
    return network


def _graph(
    names: list[str],
    ends: np.ndarray,
    values: list[dict[str, object]],
    schema: Schema | None,
    *,
    directed: bool,
) -> Graph:
    if len(set(names)) < len(names):
        raise DataError("Two nodes have the same name as text; rename one.")
    keys = dict.fromkeys(key for given in values for key in given)
    columns = {str(key): _column(str(key), (given.get(key) for given in values)) for key in keys}
    rows = range(1, len(ends) + 1)
    pairs = np.column_stack(
        [numbered(names, ends[:, side].tolist(), rows, "the network, edge") for side in (0, 1)]
    )
    return Graph(table_of(names, pa.table(columns), schema, "the network"), pairs, directed=directed)


def _column(key: str, values: Iterable[object]) -> pa.Array:
    try:
        array = pa.array(list(values), from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        raise DataError(
            f"Attribute {key}: values are of several types; make all texts or all numbers."
        ) from None
    if pa.types.is_nested(array.type):
        raise DataError(f"Attribute {key}: values must be single ones, not lists or records.")
    return array
