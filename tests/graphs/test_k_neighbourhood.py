import networkx as nx
import numpy as np
import pytest
from drawing import from_networkx, graph_of, graphs, power_law, to_networkx
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.graphs.neighbourhoods import components, neighbourhood_classes
from sfumato.graphs.structure import KNeighbourhood, k_neighbourhood


def pairs(graph):
    return {*map(tuple, graph.edges.tolist())}


@given(graphs(most=10))
def test_classes_are_those_of_isomorphic_neighbourhoods(graph):
    whole = to_networkx(graph)
    around = [whole.subgraph(whole[node]) for node in whole]
    classes = neighbourhood_classes(graph)
    for a in range(graph.n):
        for b in range(a):
            assert (classes[a] == classes[b]) == nx.is_isomorphic(around[a], around[b])


SYMMETRIC = {
    "petersen": nx.petersen_graph(),
    "cube": nx.hypercube_graph(3),
    "complete": nx.complete_graph(14),
    "bipartite": nx.complete_bipartite_graph(6, 7),
    "legs": nx.from_edgelist([(0, i) for i in range(1, 10)] + [(i, i + 9) for i in range(1, 10)]),
    "ring": nx.cycle_graph(20),
    "lattice": nx.circulant_graph(12, [1, 2]),
}


def coded(graph, order):
    place = {v: i for i, v in enumerate(order)}
    (found,) = components({place[v]: {place[w] for w in graph[v]} for v in graph})
    return found[0]


@pytest.mark.parametrize("name", SYMMETRIC)
def test_the_code_does_not_depend_on_the_order_of_the_nodes(name):
    graph, rng = SYMMETRIC[name], np.random.default_rng(1)
    nodes = list(graph)
    codes = {coded(graph, [nodes[i] for i in rng.permutation(len(nodes))]) for _ in range(8)}
    assert len(codes) == 1
    size, edges = codes.pop()
    assert nx.is_isomorphic(nx.from_edgelist(edges), graph)
    assert size == len(graph)


def test_graphs_that_refinement_cannot_tell_apart_have_other_codes():
    # Both are connected and 3-regular on 6 nodes.
    prism, bipartite = nx.circular_ladder_graph(3), nx.complete_bipartite_graph(3, 3)
    assert coded(prism, list(prism)) != coded(bipartite, list(bipartite))


@given(graphs(most=10), st.integers(1, 5), st.booleans(), st.integers(0, 9))
def test_every_neighbourhood_is_shared_by_k_nodes(graph, k, only_add, seed):
    k = min(k, graph.n)
    masked = KNeighbourhood(k=k, only_add=only_add).apply(graph, np.random.default_rng(seed))
    assert np.bincount(neighbourhood_classes(masked)).min() >= k
    if only_add:
        assert pairs(graph) <= pairs(masked)


def test_without_patience_edges_only_go(monkeypatch):
    monkeypatch.setattr(k_neighbourhood, "PATIENCE", 0)
    graph = power_law(60, links=3)
    masked = KNeighbourhood(k=4).apply(graph, np.random.default_rng(0))
    assert np.bincount(neighbourhood_classes(masked)).min() >= 4
    assert pairs(masked) < pairs(graph)


def test_a_graph_that_is_anonymous_stays_as_it_is():
    ring = from_networkx(nx.circulant_graph(12, [1, 2]))
    assert pairs(KNeighbourhood(k=12).apply(ring, np.random.default_rng(0))) == pairs(ring)


def test_a_sparse_graph_keeps_most_of_its_edges():
    graph = power_law(400, links=2)
    first, again = (KNeighbourhood(k=3).apply(graph, np.random.default_rng(5)) for _ in range(2))
    assert first.fingerprint == again.fingerprint
    assert np.bincount(neighbourhood_classes(first)).min() >= 3
    assert len(pairs(graph) ^ pairs(first)) < 0.3 * graph.m


def test_adding_without_end_is_refused():
    with pytest.raises(DataError, match="more than 3 times as many"):
        KNeighbourhood(k=5, only_add=True).apply(power_law(80), np.random.default_rng(0))


def test_too_few_nodes_are_refused():
    with pytest.raises(DataError, match="k_neighbourhood: k = 5 needs as many nodes"):
        KNeighbourhood(k=5).apply(graph_of(3, []), np.random.default_rng(0))
