"""Which edges came and went."""

from typing import Any

import numpy as np

from sfumato.core import Result
from sfumato.data.graph import Graph


class EdgeChanges(Result):
    """What protecting did to `before` edges: those added, and those removed."""

    before: int
    added: np.ndarray
    removed: np.ndarray

    @property
    def share(self) -> float:
        """Changes for each edge that there was."""
        return (len(self.added) + len(self.removed)) / max(self.before, 1)

    def to_dict(self) -> dict[str, Any]:
        """How many, and no single edge."""
        return {
            "before": self.before,
            "added": len(self.added),
            "removed": len(self.removed),
            "share": self.share,
        }


def edge_changes(original: Graph, protected: Graph) -> EdgeChanges:
    """Compare the edges of two graphs on the same nodes.

    >>> from sfumato.datasets import profile_graph
    >>> graph = profile_graph(60, seed=1)
    >>> edge_changes(graph, graph.with_edges(graph.edges[1:])).to_dict()["removed"]
    1
    """
    before, after = (graph.edges[:, 0] * graph.n + graph.edges[:, 1] for graph in (original, protected))
    return EdgeChanges(
        before=original.m,
        added=protected.edges[~np.isin(after, before)],
        removed=original.edges[~np.isin(before, after)],
    )
