"""Super-nodes: clusters of at least k nodes with similar neighbours, known only by how many edges they hold."""

import numpy as np

from sfumato.core import param
from sfumato.data.graph import Graph
from sfumato.graphs.structure._contract import StructureMethod
from sfumato.graphs.structure._super_graph import SuperGraph, super_graph
from sfumato.kernels.super_nodes import grown_clusters


class SuperNodes(StructureMethod):
    """Whoever an intruder looks for hides among at least k nodes of which only sums are known.

    Greedy clustering on the structure: of the free nodes the one of the highest degree opens a cluster, which
    takes the free node with the least mean distance to its members, until it has k. The distance of two
    nodes is the share of the other nodes that are the neighbour of one of them only,

        d(i, j) = |{l ≠ i, j : a_il ≠ a_jl}| / (n − 2).

    The n mod k nodes left over join the cluster nearest to them.

    `generalise` gives what may be published: for each super-node its size and the number of edges inside,
    for each super-edge the number of edges between two clusters. `apply` gives an ordinary graph instead,
    drawn at random from all those that have just these numbers.

    Source: SaNGreeA of Campan & Truta (2009), *Data and structural k-anonymity in social networks*, with
    all weight on the structure; drawn graphs as in Hay et al. (2008); Marés, *thesis*, §2.6.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"age": [31, 64, 18, 45, 27, 52]}))
    >>> graph = Graph(people, [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)])
    >>> published = SuperNodes(k=3).generalise(graph, np.random.default_rng(1))
    >>> published.sizes.tolist(), published.inside.tolist(), published.super_edges.tolist()
    ([3, 3], [3, 3], [[0, 1, 1]])
    """

    k: int = param(default=5, low=1, help="how many nodes a super-node stands for, at least")

    def generalise(self, graph: Graph, rng: np.random.Generator) -> SuperGraph:
        """The clusters, with the numbers of edges in and between them."""
        self.enough_nodes(graph, self.k)
        mixed = rng.permutation(graph.n)
        falling = mixed[np.argsort(-graph.degrees[mixed], kind="stable")]
        labels = grown_clusters(graph.indptr, graph.indices, falling, self.k)
        return super_graph(graph, _with_the_rest(graph, labels))

    def protected_edges(self, graph: Graph, rng: np.random.Generator) -> np.ndarray:
        """The edges of a graph that looks the same once its nodes are clustered."""
        return self.generalise(graph, rng).drawn_edges(rng)


def _with_the_rest(graph: Graph, labels: np.ndarray) -> np.ndarray:
    clusters = int(labels.max()) + 1
    sizes = np.bincount(labels[labels >= 0], minlength=clusters)
    degrees = np.bincount(labels[labels >= 0], graph.degrees[labels >= 0], clusters)
    complete = labels.copy()
    for node in np.flatnonzero(labels < 0):
        near = graph.neighbours(int(node))
        second = [graph.neighbours(int(other)) for other in near]
        shared = labels[np.concatenate([near, *second])]
        overlap = np.bincount(shared[shared >= 0], minlength=clusters)
        complete[node] = np.argmin((degrees - 2 * overlap) / sizes)
    return complete
