"""Generalised graphs: super-nodes and super-edges, and what is lost by publishing only their counts."""

import numpy as np

from sfumato.core import Result
from sfumato.data.graph import Graph
from sfumato.kernels.super_nodes import drawn_slots


class SuperGraph(Result):
    """Super-nodes of so many nodes with so many edges inside, and super-edges that stand for so many edges."""

    labels: np.ndarray
    """The super-node of each node; for the data holder, not for release."""
    sizes: np.ndarray
    inside: np.ndarray
    super_edges: np.ndarray
    """Rows of two super-nodes, the smaller first, and the number of edges between them."""

    @property
    def structural_loss(self) -> float:
        """In percent, how wrongly edges are guessed by who knows the counts only.

        A super-node with e of p possible edges loses 2e(1 − e/p), a super-edge likewise; the sum is divided
        by its greatest value, n(n − 1)/4, which is reached where every block is half full.
        """
        n = int(self.sizes.sum())
        counts, slots = self._blocks()
        lost = (2.0 * counts * (1 - counts / np.maximum(slots, 1))).sum()
        return float(100 * lost / (n * (n - 1) / 4)) if n > 1 else 0.0

    def drawn_edges(self, rng: np.random.Generator) -> np.ndarray:
        """Edges drawn at random such that each super-node and super-edge holds as many as before."""
        counts, slots = self._blocks()
        state = rng.integers(1 << 63, size=1).astype(np.uint64)
        drawn = drawn_slots(counts, slots, state)
        block = np.repeat(np.arange(len(counts)), counts)
        inner = block < len(self.sizes)
        members, begins = np.argsort(self.labels, kind="stable"), np.cumsum(self.sizes) - self.sizes
        high = ((1 + np.sqrt(1 + 8 * drawn[inner])) // 2).astype(np.int64)
        low = drawn[inner] - high * (high - 1) // 2
        within = begins[block[inner], None] + np.column_stack([low, high])
        pair = self.super_edges[block[~inner] - len(self.sizes), :2]
        place = np.column_stack(np.divmod(drawn[~inner], self.sizes[pair[:, 1]]))
        found: np.ndarray = members[np.concatenate([within, begins[pair] + place])]
        return found

    def _blocks(self) -> tuple[np.ndarray, np.ndarray]:
        """Edges and possible edges, of all super-nodes and then of all super-edges."""
        a, b, between = self.super_edges.T
        slots = np.concatenate([self.sizes * (self.sizes - 1) // 2, self.sizes[a] * self.sizes[b]])
        return np.concatenate([self.inside, between]), slots


def super_graph(graph: Graph, labels: np.ndarray) -> SuperGraph:
    """The generalised graph of a clustering."""
    clusters = int(labels.max(initial=-1)) + 1
    ends = np.sort(labels[graph.edges], axis=1)
    inner = ends[:, 0] == ends[:, 1]
    keys, counts = np.unique(ends[~inner] @ np.array([max(clusters, 1), 1]), return_counts=True)
    return SuperGraph(
        labels=labels,
        sizes=np.bincount(labels, minlength=clusters),
        inside=np.bincount(ends[inner, 0], minlength=clusters),
        super_edges=np.column_stack([*np.divmod(keys, max(clusters, 1)), counts]),
    )
