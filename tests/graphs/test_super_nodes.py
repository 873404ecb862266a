import time

import networkx as nx
import numpy as np
import pytest
from drawing import from_networkx, graph_of, graphs, power_law
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.graphs.structure import SuperNodes
from sfumato.graphs.structure.super_nodes import super_graph
from sfumato.kernels.dense_blocks import denser_clusters
from sfumato.kernels.random_draws import state_from
from sfumato.kernels.super_nodes import grown_clusters


def grows(A, members, waiting, free):
    """Whether the waiting nodes can have joined one by one, each as a nearest of the free ones."""
    apart = {i: sum(np.delete(A[i] != A[j], [i, j]).sum() for j in members) for i in free}
    nearest = [i for i in waiting if apart[i] == min(apart.values())]
    return not waiting or any(grows(A, [*members, i], waiting - {i}, free - {i}) for i in nearest)


@given(graphs(least=3), st.integers(1, 5))
def test_each_member_is_a_nearest_free_node(graph, k):
    k = min(k, graph.n)
    falling = np.argsort(-graph.degrees, kind="stable")
    labels = grown_clusters(graph.indptr, graph.indices, falling, k)
    free = set(range(graph.n))
    for cluster in range(graph.n // k):
        members = set(np.flatnonzero(labels == cluster).tolist())
        opener = next(i for i in falling.tolist() if i in free)
        assert opener in members
        assert len(members) == k
        assert grows(graph.adjacency.toarray(), [opener], members - {opener}, free - {opener})
        free -= members
    assert free == set(np.flatnonzero(labels < 0).tolist())


@given(graphs(), st.integers(1, 5), st.integers(0, 9))
def test_a_drawn_graph_has_the_published_counts(graph, k, seed):
    method, k = SuperNodes(k=min(k, graph.n), moves=500), min(k, graph.n)
    published = method.generalise(graph, np.random.default_rng(seed))
    masked = method.apply(graph, np.random.default_rng(seed))
    again = super_graph(masked, published.labels)
    assert published.sizes.min() >= k
    assert published.sizes.sum() == graph.n
    assert masked.m == graph.m
    assert again.inside.tolist() == published.inside.tolist()
    assert again.super_edges.tolist() == published.super_edges.tolist()
    assert 0 <= published.structural_loss <= 100


def test_the_loss_is_the_published_formula():
    # A super-node of 3 nodes with 2 of 3 edges, one of 2 with none, 3 of 6 edges between them.
    graph = graph_of(5, [(0, 1), (1, 2), (0, 3), (1, 3), (2, 4)])
    published = super_graph(graph, np.array([0, 0, 0, 1, 1]))
    lost = 2 * 2 * (1 - 2 / 3) + 0 + 2 * 3 * (1 - 3 / 6)
    assert published.structural_loss == pytest.approx(100 * lost / (5 * 4 / 4))


def test_alike_nodes_lose_nothing():
    graph = from_networkx(nx.complete_multipartite_graph(3, 3, 3))
    assert SuperNodes(k=3).generalise(graph, np.random.default_rng(0)).structural_loss == 0


def test_every_graph_with_the_counts_can_be_drawn():
    graph = graph_of(4, [(0, 1), (0, 2)])
    published = super_graph(graph, np.array([0, 0, 1, 1]))
    rng = np.random.default_rng(0)
    drawn = {
        tuple(map(tuple, graph.with_edges(published.drawn_edges(rng)).edges.tolist())) for _ in range(200)
    }
    assert drawn == {((0, 1), tuple(pair)) for pair in [(0, 2), (0, 3), (1, 2), (1, 3)]}


def kept(graph, labels):
    """How many edges stay on average, block by block."""
    published = super_graph(graph, labels)
    counts, slots = published._blocks()
    return (counts**2 / np.maximum(slots, 1)).sum()


@given(graphs(least=4), st.integers(2, 4), st.integers(0, 9))
def test_what_trades_gain_is_counted_right(graph, k, seed):
    labels = SuperNodes(k=min(k, graph.n), moves=0).generalise(graph, np.random.default_rng(seed)).labels
    found, gained = denser_clusters(
        graph.indptr, graph.indices, labels, int(labels.max()) + 1, 50, state_from(seed)
    )
    assert np.bincount(found).tolist() == np.bincount(labels).tolist()
    assert gained == pytest.approx(kept(graph, found) - kept(graph, labels))


@pytest.mark.parametrize(
    "graph", [from_networkx(nx.karate_club_graph()), power_law(300)], ids=["karate", "hubs"]
)
def test_trades_keep_many_more_edges(graph):
    greedy, traded = (
        SuperNodes(k=5, moves=moves).generalise(graph, np.random.default_rng(1)).labels
        for moves in (0, 100_000)
    )
    assert kept(graph, traded) > 1.2 * kept(graph, greedy)
    assert np.bincount(traded).min() >= 5


def test_cliques_are_found():
    """Who begins greedily with hubs may tear them apart; trades put each clique into a cluster."""
    graph = from_networkx(nx.disjoint_union_all([nx.complete_graph(4)] * 6))
    start = np.random.default_rng(2).permutation(np.repeat(np.arange(6), 4))
    found, _ = denser_clusters(graph.indptr, graph.indices, start, 6, 20_000, state_from(1))
    assert kept(graph, found) == graph.m


def test_many_nodes_are_clustered_in_seconds():
    graph = power_law(20_000)
    SuperNodes(k=3).apply(power_law(50), np.random.default_rng(0))
    began = time.process_time()
    published = SuperNodes(k=10).generalise(graph, np.random.default_rng(0))
    assert time.process_time() - began < 10
    assert published.sizes.min() >= 10


def test_too_few_nodes_are_refused():
    with pytest.raises(DataError, match="super_nodes: k = 5 needs as many nodes"):
        SuperNodes(k=5).apply(graph_of(3, []), np.random.default_rng(0))
