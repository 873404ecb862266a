"""Nodes that trade clusters until more edges of a graph stay where its edges are drawn anew block by block.

A block of s pairs with c edges keeps c²/s of them on average. So edges should stand in few blocks, and densely.
"""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.random_draws import below, draw, uniform

HEAT = 0.3  # at first, in edges that stay; it falls to nothing


class Blocks(NamedTuple):
    """Clusters, the nodes in each, and how many edges there are in and between them (`edges` is symmetric)."""

    labels: np.ndarray
    members: np.ndarray
    sizes: np.ndarray
    edges: np.ndarray


@kernel
def denser_clusters(
    indptr: np.ndarray, indices: np.ndarray, labels: np.ndarray, clusters: int, moves: int, state: np.ndarray
) -> tuple[np.ndarray, float]:
    """Clusters of the same sizes after so many trades of two nodes, by simulated annealing, and the edges that they keep
    more than those given."""
    blocks, gained = _laid_out(indptr, indices, labels, clusters), 0.0
    for move in range(moves):
        u, v = _pair(indptr, indices, blocks, state)
        a, b = blocks.labels[u], blocks.labels[v]
        if a == b:
            continue
        before = _kept(blocks, a, b)
        _trade(indptr, indices, blocks, u, v)
        gain = _kept(blocks, a, b) - before
        heat = HEAT * (1 - move / moves)
        if gain < 0 and uniform(state) >= np.exp(gain / heat):
            _trade(indptr, indices, blocks, u, v)
        else:
            gained += gain
    return blocks.labels, gained


@kernel
def _laid_out(indptr: np.ndarray, indices: np.ndarray, labels: np.ndarray, clusters: int) -> Blocks:
    sizes = np.bincount(labels, minlength=clusters)
    members, filled = np.empty((clusters, sizes.max()), np.int64), np.zeros(clusters, np.int64)
    edges = np.zeros((clusters, clusters), np.int64)
    for u in range(len(labels)):
        a = labels[u]
        members[a, filled[a]] = u
        filled[a] += 1
        for slot in range(indptr[u], indptr[u + 1]):
            if indices[slot] > u:
                _count(edges, a, labels[indices[slot]], 1)
    return Blocks(labels.copy(), members, sizes, edges)


@kernel
def _count(edges: np.ndarray, a: int, b: int, much: int) -> None:
    edges[a, b] += much
    if a != b:
        edges[b, a] += much


@kernel
def _pair(indptr: np.ndarray, indices: np.ndarray, blocks: Blocks, state: np.ndarray) -> tuple[int, int]:
    """A node, and one of the cluster of a neighbour, or of a neighbour's neighbour, or of any."""
    n = len(blocks.labels)
    u = below(n, draw(state) >> np.uint64(32))
    w, steps = u, uniform(state)
    if steps < 0.3:
        w = below(n, draw(state) >> np.uint64(32))
    for _ in range((steps >= 0.3) + (steps >= 0.65)):
        degree = indptr[w + 1] - indptr[w]
        if degree:
            w = indices[indptr[w] + below(degree, draw(state) >> np.uint64(32))]
    cluster = blocks.labels[w]
    return u, blocks.members[cluster, below(blocks.sizes[cluster], draw(state) >> np.uint64(32))]


@kernel
def _kept(blocks: Blocks, a: int, b: int) -> float:
    """The edges that stay on average in all blocks of two clusters."""
    kept = blocks.edges[a, b] ** 2 / (blocks.sizes[a] * blocks.sizes[b])
    for one in (a, b):
        slots = blocks.sizes[one] * (blocks.sizes[one] - 1) / 2
        kept += blocks.edges[one, one] ** 2 / max(slots, 1.0)
        for c in range(len(blocks.sizes)):
            if c not in (a, b) and blocks.edges[one, c]:
                kept += blocks.edges[one, c] ** 2 / (blocks.sizes[one] * blocks.sizes[c])
    return kept  # type: ignore[no-any-return]


@kernel
def _trade(indptr: np.ndarray, indices: np.ndarray, blocks: Blocks, u: int, v: int) -> None:
    """Two nodes trade clusters."""
    a, b = blocks.labels[u], blocks.labels[v]
    _move(indptr, indices, blocks, u, b)
    _move(indptr, indices, blocks, v, a)
    for cluster, gone, come in ((a, u, v), (b, v, u)):
        at = 0
        while blocks.members[cluster, at] != gone:
            at += 1
        blocks.members[cluster, at] = come


@kernel
def _move(indptr: np.ndarray, indices: np.ndarray, blocks: Blocks, node: int, to: int) -> None:
    labels = blocks.labels
    for slot in range(indptr[node], indptr[node + 1]):
        other = labels[indices[slot]]
        _count(blocks.edges, labels[node], other, -1)
        _count(blocks.edges, to, other, 1)
    labels[node] = to
