"""What §6.5 tells of a graph: its size, and how far its nodes are from each other."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from sfumato.data.graph import Graph


def shape_of(graph: Graph) -> dict[str, float]:
    """Nodes, edges, and of the pairs that are connected the longest, the mean and the median way between them.

    >>> from sfumato.datasets.profile_graph import preset
    >>> shape_of(preset("small", seed=0))["nodes"]
    306
    """
    ones = np.ones(len(graph.edges))
    links = sparse.coo_matrix((ones, tuple(graph.edges.T)), shape=(graph.n, graph.n))
    ways = shortest_path(links.tocsr(), directed=False, unweighted=True)
    known = ways[np.isfinite(ways) & (ways > 0)]
    return {
        "nodes": graph.n,
        "edges": graph.m,
        "diameter": float(known.max(initial=0)),
        "average path length": float(known.mean()) if known.size else 0.0,
        "median path length": float(np.median(known)) if known.size else 0.0,
    }
