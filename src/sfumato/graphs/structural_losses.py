"""What protecting a graph does to its structure: triangles, path lengths, degrees and spectrum, before and after."""

import math

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from sfumato.core import DataError, Result
from sfumato.core.results import plain
from sfumato.data.graph import Graph
from sfumato.kernels.graph_shape import path_sums, triangles

EXACT_PATHS = 3000
"""Up to so many nodes, all shortest paths are measured."""
DENSE_SPECTRUM = 300
"""Up to so many nodes, eigenvalues are those of the full matrix."""
ITERATED_SPECTRUM = 20_000
"""Up to so many nodes, the Laplacian's second eigenvalue is looked for."""


class GraphProperty(Result):
    """A property of a graph: exact, or from a sample with a 95 % interval."""

    value: float
    low: float
    high: float
    sampled: bool = False


class StructuralLine(Result):
    """One property before and after, and the difference in percent of what it was before."""

    name: str
    before: GraphProperty
    after: GraphProperty

    @property
    def change(self) -> float:
        """The difference in percent; NaN where the property was 0 and is not any more, or is not known."""
        before, after = self.before.value, self.after.value
        if before == after:
            return 0.0
        return 100 * (after - before) / abs(before) if before else math.nan

    def to_dict(self) -> dict[str, object]:
        return {**super().to_dict(), "change": plain(self.change)}

    def _rows(self) -> list[dict[str, object]]:
        sampled = self.before.sampled or self.after.sampled
        return [
            {
                "property": self.name,
                "before": self.before.value,
                "after": self.after.value,
                "change": self.change,
                "sampled": sampled,
            }
        ]


class StructuralLosses(Result):
    """How far the structure of a graph has moved; `degree_distance` and `degree_shift` compare distributions.

    The distance is half the sum of the differences between the shares of nodes of each degree, in percent;
    the shift is by how many neighbours, in the mean, a node would have to be moved to turn one distribution
    into the other.
    """

    lines: tuple[StructuralLine, ...]
    degree_distance: float
    degree_shift: float

    def __getitem__(self, name: str) -> StructuralLine:
        return next(line for line in self.lines if line.name == name)

    def _rows(self) -> list[dict[str, object]]:
        return [row for line in self.lines for row in line._rows()]


def structural_losses(
    original: Graph, masked: Graph, rng: np.random.Generator, *, sources: int = 100
) -> StructuralLosses:
    """Compare the structure of two graphs on the same nodes; directions are ignored.

    Paths are measured from all nodes of graphs up to 3000 nodes, else from so many sources, the same in both
    graphs. Pairs that are not connected have no path and are left out. Source: Marés, *thesis*, §2.6.1.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"age": [31, 64, 18, 45]}))
    >>> ring = Graph(people, [(0, 1), (1, 2), (2, 3), (0, 3)])
    >>> found = structural_losses(ring, ring.with_edges([(0, 1), (1, 2), (2, 3)]), np.random.default_rng(1))
    >>> round(found["average_path_length"].change, 6), found.degree_distance
    (25.0, 50.0)
    """
    if original.n != masked.n:
        raise DataError(f"Both graphs must have the same nodes. Got {original.n} and {masked.n}.")
    if not original.n:
        raise DataError("A graph without nodes has no structure to compare.")
    nodes = np.arange(original.n)
    if original.n > EXACT_PATHS:
        nodes = rng.choice(original.n, min(sources, original.n), replace=False)
    before, after = (properties(graph, nodes) for graph in (original, masked))
    distance, shift = degree_differences(undirected(original).degrees, undirected(masked).degrees)
    lines = tuple(StructuralLine(name=name, before=before[name], after=after[name]) for name in before)
    return StructuralLosses(lines=lines, degree_distance=distance, degree_shift=shift)


def properties(graph: Graph, sources: np.ndarray) -> dict[str, GraphProperty]:
    """All properties of a graph by name; paths are measured from the sources."""
    plain = undirected(graph)
    whole, local = clustering(plain)
    return {
        "edges": _exact(plain.m),
        "clustering": _exact(whole),
        "mean_local_clustering": _exact(local),
        "average_path_length": average_path_length(plain, sources),
        "largest_eigenvalue": _exact(largest_eigenvalue(plain)),
        "algebraic_connectivity": _exact(algebraic_connectivity(plain)),
    }


def undirected(graph: Graph) -> Graph:
    return Graph(graph.nodes, graph.edges) if graph.directed else graph


def clustering(graph: Graph) -> tuple[float, float]:
    """The share of paths of two edges that close to a triangle, overall and in the mean of the nodes.

    Nodes with fewer than two neighbours count as 0 in the mean, as is usual.
    """
    wedges, closed = _triples(graph)
    return float(closed.sum() / max(wedges.sum(), 1.0)), float(local_clustering(graph).mean())


def local_clustering(graph: Graph) -> np.ndarray:
    """Of each node, the share of pairs of neighbours that are joined; 0 where there is no pair."""
    wedges, closed = _triples(graph)
    local: np.ndarray = closed / np.maximum(wedges, 1)
    return local


def _triples(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of neighbours of each node, and those of them that are joined."""
    rank = np.empty(graph.n, np.int64)
    rank[np.argsort(graph.degrees, kind="stable")] = np.arange(graph.n)
    ends = np.sort(rank[graph.edges], axis=1)
    upward = sparse.csr_array((np.ones(graph.m, np.int8), ends.T), shape=(graph.n, graph.n))
    closed = triangles(upward.indptr, upward.indices)[rank]
    return graph.degrees * (graph.degrees - 1.0) / 2, closed


def average_path_length(graph: Graph, sources: np.ndarray) -> GraphProperty:
    """The mean length of shortest paths over connected pairs, with an interval where sources are a sample."""
    sums, reached = path_sums(graph.indptr, graph.indices, sources.astype(np.int64)).T.astype(float)
    if not reached.sum():
        return _exact(math.nan)
    mean = float(sums.sum() / reached.sum())
    if len(sources) >= graph.n:
        return _exact(mean)
    off = sums - mean * reached
    error = math.sqrt((off**2).sum() / max(len(off) - 1, 1) / len(off)) / reached.mean()
    return GraphProperty(value=mean, low=mean - 1.96 * error, high=mean + 1.96 * error, sampled=True)


def degree_differences(before: np.ndarray, after: np.ndarray) -> tuple[float, float]:
    """The distance of two degree distributions in percent, and their shift in neighbours."""
    size = int(max(before.max(initial=0), after.max(initial=0))) + 1
    shares = [np.bincount(degrees, minlength=size) / max(len(degrees), 1) for degrees in (before, after)]
    off = shares[1] - shares[0]
    distance = min(float(50 * np.abs(off).sum()), 100.0)  # shares may add up to a little more than 1
    return distance, float(np.abs(np.cumsum(off)).sum())


def largest_eigenvalue(graph: Graph) -> float:
    """The largest eigenvalue of the adjacency matrix."""
    matrix = graph.adjacency.astype(float)
    if graph.n <= DENSE_SPECTRUM:
        return float(np.linalg.eigvalsh(matrix.toarray())[-1])
    return float(eigsh(matrix, k=1, which="LA", v0=np.ones(graph.n), return_eigenvectors=False)[0])


def algebraic_connectivity(graph: Graph) -> float:
    """The second smallest eigenvalue of the Laplacian: 0 where the graph falls into parts.

    NaN beyond 20,000 nodes, and where the iteration does not settle.
    """
    if graph.n < 2 or csgraph.connected_components(graph.adjacency, directed=False)[0] > 1:
        return 0.0
    laplacian = sparse.diags_array(graph.degrees.astype(float)) - graph.adjacency
    if graph.n <= DENSE_SPECTRUM:
        return float(np.linalg.eigvalsh(laplacian.toarray())[1])
    if graph.n > ITERATED_SPECTRUM:
        return math.nan
    top = 2.0 * graph.degrees.max()  # no eigenvalue is larger; the constant vector's is moved up to it
    moved = LinearOperator(laplacian.shape, matvec=lambda x: laplacian @ x + top * x.mean(), dtype=float)
    try:
        start = np.cos(np.arange(graph.n))
        return float(eigsh(moved, k=1, which="SA", v0=start, tol=1e-6, return_eigenvectors=False)[0])
    except ArpackNoConvergence:
        return math.nan


def _exact(value: float) -> GraphProperty:
    return GraphProperty(value=float(value), low=float(value), high=float(value))
