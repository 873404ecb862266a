"""Graphs for tests: from edges, from networkx, and for hypothesis."""

import networkx as nx
import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from sfumato.data import table_from_frame
from sfumato.data.graph import Graph


def graph_of(n, edges, *, directed=False):
    people = table_from_frame(pa.table({"age": pa.array(np.arange(n) % 90, pa.int64())}))
    return Graph(people, np.array(edges, np.int64).reshape(-1, 2), directed=directed)


def from_networkx(graph):
    return graph_of(graph.number_of_nodes(), list(graph.edges), directed=graph.is_directed())


def to_networkx(graph):
    made = nx.DiGraph() if graph.directed else nx.Graph()
    made.add_nodes_from(range(graph.n))
    made.add_edges_from(graph.edges.tolist())
    return made


def power_law(n, *, links=5, seed=1):
    """A graph of few hubs and many nodes of low degree, with triangles."""
    return from_networkx(nx.powerlaw_cluster_graph(n, links, 0.3, seed=seed))


@st.composite
def graphs(draw, *, least=1, most=14, directed=False):
    n = draw(st.integers(least, most))
    ends = st.integers(0, n - 1)
    return graph_of(n, draw(st.lists(st.tuples(ends, ends), max_size=3 * n)), directed=directed)
