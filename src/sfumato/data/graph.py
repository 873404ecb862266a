"""Social graphs: nodes with attributes, and the edges between them."""

from functools import cached_property, partial
from hashlib import blake2b
from typing import Any

import numpy as np
import scipy

from sfumato.core import DataError
from sfumato.data.table import Table


class Graph:
    """People and who knows or follows whom.

    Node i is record i of `nodes`, whose attributes are those of any table. Edges are pairs of node numbers;
    in an undirected graph a pair has the smaller number first. No edge is listed twice, and none leads from a
    node to itself; how many such were given is in `loops` and `repeated`. The arrays are read-only: protecting a graph
    makes a new one.

    >>> from sfumato.data import Attribute, Schema
    >>> town = Attribute(name="town", scale="nominal", role="key", categories=("Lleida", "Soria"))
    >>> people = Table(Schema([town]), {"town": np.int8([0, 1, 1])})
    >>> graph = Graph(people, [(0, 1), (2, 1)])
    >>> graph.n, graph.m, graph.edges.tolist(), graph.degrees.tolist()
    (3, 2, [[0, 1], [1, 2]], [1, 2, 1])
    >>> graph.neighbours(1).tolist()
    [0, 2]
    """

    def __init__(self, nodes: Table, edges: Any, *, directed: bool = False) -> None:
        self.nodes, self.directed = nodes, directed
        pairs = _checked(edges, nodes.n)
        others = pairs[pairs[:, 0] != pairs[:, 1]]
        self.edges = _canonical(others, nodes.n, directed=directed)
        self.loops, self.repeated = len(pairs) - len(others), len(others) - len(self.edges)

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"Graph({self.n} nodes, {self.m} {kind} edges)"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Graph, directed=self.directed), (self.nodes, self.edges)

    @property
    def n(self) -> int:
        return self.nodes.n

    @property
    def m(self) -> int:
        return len(self.edges)

    @cached_property
    def adjacency(self) -> "scipy.sparse.csr_array":
        """The adjacency matrix of ones; symmetric where the graph is undirected."""
        ones = np.ones(self.m, np.int8)
        matrix = scipy.sparse.csr_array((ones, (self.edges[:, 0], self.edges[:, 1])), shape=(self.n, self.n))
        matrix = matrix if self.directed else matrix + matrix.T
        matrix.sort_indices()
        return matrix

    @property
    def indptr(self) -> np.ndarray:
        """Where the neighbours of each node begin in `indices`."""
        return self.adjacency.indptr

    @property
    def indices(self) -> np.ndarray:
        """The neighbours of all nodes, node by node, in growing order (successors, if directed)."""
        return self.adjacency.indices

    @cached_property
    def degrees(self) -> np.ndarray:
        """The number of neighbours of each node (of successors, if directed)."""
        return np.diff(self.indptr)

    @cached_property
    def fingerprint(self) -> str:
        digest = blake2b(self.nodes.fingerprint.encode(), digest_size=16)
        digest.update(b"directed" if self.directed else b"undirected")
        digest.update(self.edges.tobytes())
        return digest.hexdigest()

    def neighbours(self, node: int) -> np.ndarray:
        return self.indices[self.indptr[node] : self.indptr[node + 1]]

    def take(self, rows: np.ndarray) -> "Graph":
        """All nodes in another order, with the edges they have."""
        place = np.argsort(rows, kind="stable")
        return Graph(self.nodes.take(rows), place[self.edges], directed=self.directed)

    def with_nodes(self, nodes: Table) -> "Graph":
        if nodes.n != self.n:
            raise DataError(f"The graph has {self.n} nodes. Got a table of {nodes.n} records.")
        return Graph(nodes, self.edges, directed=self.directed)

    def with_edges(self, edges: Any) -> "Graph":
        return Graph(self.nodes, edges, directed=self.directed)


def _checked(edges: Any, n: int) -> np.ndarray:
    pairs = np.asarray(edges, np.int64).reshape(-1, 2)
    if pairs.size and (pairs.min() < 0 or pairs.max() >= n):
        raise DataError(f"An edge leads to a node that is not there: the graph has {n} nodes.")
    return pairs


def _canonical(pairs: np.ndarray, n: int, *, directed: bool) -> np.ndarray:
    if not directed:
        pairs = np.sort(pairs, axis=1)
    keys = sorted_distinct(pairs[:, 0] * max(n, 1) + pairs[:, 1])
    found = np.column_stack([keys // max(n, 1), keys % max(n, 1)])
    found.flags.writeable = False
    return found


def sorted_distinct(keys: np.ndarray) -> np.ndarray:
    """The different keys in growing order; sorting is many times faster than `numpy.unique` for a million.

    >>> sorted_distinct(np.array([5, 2, 5])).tolist()
    [2, 5]
    """
    keys = np.sort(keys)
    return keys[np.diff(keys, prepend=keys[:1] - 1) > 0]
