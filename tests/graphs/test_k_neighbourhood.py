import networkx as nx
import numpy as np
import pytest
from drawing import from_networkx, graph_of, graphs, power_law, to_networkx
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.graphs.neighbourhoods import components, neighbourhood_classes
from sfumato.graphs.structure import KNeighbourhood, k_neighbourhood
from sfumato.kernels.alike_neighbourhoods import Wanted, _laid_out, _shape, annealed
from sfumato.kernels.random_draws import state_from


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


@settings(max_examples=12)
@given(graphs(most=10), st.integers(1, 5), st.booleans(), st.integers(0, 9), st.sampled_from([0, 2]))
def test_every_neighbourhood_is_shared_by_k_nodes(graph, k, only_add, seed, tries):
    k = min(k, graph.n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(k_neighbourhood, "MOVES", 300)
        masked = KNeighbourhood(k=k, only_add=only_add, tries=tries).apply(graph, np.random.default_rng(seed))
    assert np.bincount(neighbourhood_classes(masked)).min() >= k
    if only_add:
        assert pairs(graph) <= pairs(masked)


def test_without_patience_edges_only_go(monkeypatch):
    monkeypatch.setattr(k_neighbourhood, "PATIENCE", 0)
    graph = power_law(60, links=3)
    masked = KNeighbourhood(k=4, tries=0).apply(graph, np.random.default_rng(0))
    assert np.bincount(neighbourhood_classes(masked)).min() >= 4
    assert pairs(masked) < pairs(graph)


def test_a_graph_that_is_anonymous_stays_as_it_is():
    ring = from_networkx(nx.circulant_graph(12, [1, 2]))
    assert pairs(KNeighbourhood(k=12).apply(ring, np.random.default_rng(0))) == pairs(ring)


def test_a_sparse_graph_keeps_most_of_its_edges():
    graph = power_law(400, links=2)
    first, again = (KNeighbourhood(k=3, tries=0).apply(graph, np.random.default_rng(5)) for _ in range(2))
    assert first.fingerprint == again.fingerprint
    assert np.bincount(neighbourhood_classes(first)).min() >= 3
    assert len(pairs(graph) ^ pairs(first)) < 0.3 * graph.m


def step(one, other):
    """How far apart two graphs are: in size, and in degrees put in order; 1/2 at least unless they are isomorphic."""
    if nx.is_isomorphic(one, other):
        return 0.0
    degrees = [sorted((d for _, d in graph.degree), reverse=True) for graph in (one, other)]
    size = max(map(len, degrees))
    first, second = (np.pad(d, (0, size - len(d))) for d in degrees)
    return max(abs(len(one) - len(other)) + 0.5 * np.abs(first - second).sum(), 0.5)


def shortage(graph, k):
    around = [graph.subgraph(graph[node]) for node in graph]
    apart = [sorted(step(a, b) for b in around if b is not a) for a in around]
    return sum(far[k - 2] for far in apart)


@given(graphs(least=4, most=9), st.integers(2, 4), st.booleans(), st.integers(0, 99))
def test_a_search_knows_how_far_its_graph_is_from_anonymous(graph, k, only_add, seed):
    joined = graph.adjacency.toarray().astype(bool)
    wanted = Wanted(k, only_add, 0.0, 1.0, 200, 1.0, 0.7, 2.5)
    best, short = annealed(joined, joined, wanted, state_from(seed))
    assert (best == best.T).all() and not best.diagonal().any()
    assert short == pytest.approx(shortage(nx.from_numpy_array(best), k))
    assert short <= shortage(to_networkx(graph), k) + 1e-9
    if only_add:
        assert (best >= joined).all()


KNOWN = {"karate": nx.karate_club_graph, "les misérables": nx.les_miserables_graph}


def check_known(name, k, *, tries, changed):
    """By isomorphism, without any code of ours; clustering within 20 % of what it was."""
    original = nx.convert_node_labels_to_integers(KNOWN[name]())
    graph = from_networkx(original)
    masked = KNeighbourhood(k=k, tries=tries).apply(graph, np.random.default_rng(1))
    whole = to_networkx(masked)
    around = [whole.subgraph(whole[node]) for node in whole]
    assert all(sum(nx.is_isomorphic(one, other) for other in around) >= k for one in around)
    assert nx.transitivity(whole) == pytest.approx(nx.transitivity(original), rel=0.2)
    assert len(pairs(graph) ^ pairs(masked)) <= changed * graph.m


def test_the_karate_club_is_anonymous_and_keeps_its_triangles():
    check_known("karate", 2, tries=1, changed=0.3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "k", "changed"), [("karate", 3, 0.4), ("les misérables", 2, 0.3), ("les misérables", 3, 0.5)]
)
def test_known_graphs_are_anonymous_and_keep_their_triangles(name, k, changed):
    check_known(name, k, tries=KNeighbourhood.tries, changed=changed)


def check_added(name, k, *, tries, added):
    """By isomorphism, without any code of ours; every edge is still there."""
    original = nx.convert_node_labels_to_integers(KNOWN[name]())
    graph = from_networkx(original)
    masked = KNeighbourhood(k=k, only_add=True, tries=tries).apply(graph, np.random.default_rng(1))
    whole = to_networkx(masked)
    around = [whole.subgraph(whole[node]) for node in whole]
    assert all(sum(nx.is_isomorphic(one, other) for other in around) >= k for one in around)
    assert pairs(graph) <= pairs(masked)
    assert len(pairs(masked)) <= (1 + added) * graph.m


def test_the_karate_club_is_anonymous_though_edges_are_only_added(monkeypatch):
    monkeypatch.setattr(k_neighbourhood, "MOVES", 30_000)
    check_added("karate", 2, tries=2, added=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "k", "added"), [("karate", 2, 0.75), ("karate", 3, 0.8), ("les misérables", 2, 2)]
)
def test_known_graphs_are_anonymous_though_edges_are_only_added(name, k, added):
    check_added(name, k, tries=KNeighbourhood.tries, added=added)


@given(graphs(least=5, most=9), st.integers(2, 3), st.integers(0, 9))
def test_two_are_alike_beside_nodes_that_know_everybody_if_they_are_without_them(graph, k, seed):
    """What lifting rests on."""
    rng = np.random.default_rng(seed)
    hubs = rng.permutation(graph.n)[:k]
    whole = to_networkx(graph)
    whole.add_edges_from((hub, node) for hub in hubs.tolist() for node in whole if node != hub)
    classes = neighbourhood_classes(from_networkx(whole))
    assert len(set(classes[hubs])) == 1
    rest = np.setdiff1d(np.arange(graph.n), hubs)
    alone = neighbourhood_classes(from_networkx(nx.convert_node_labels_to_integers(whole.subgraph(rest))))
    for a in range(len(rest)):
        for b in range(a):
            assert (alone[a] == alone[b]) == (classes[rest[a]] == classes[rest[b]])


def test_what_must_be_added_at_least_is_said():
    star = from_networkx(nx.star_graph(6))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(DataError, match=r"at least 3 more than 6"):
        patch.setattr(k_neighbourhood, "GROWTH", 0)
        patch.setattr(k_neighbourhood, "SMALL", 0)
        KNeighbourhood(k=2, only_add=True, tries=0).apply(star, np.random.default_rng(0))


def test_adding_without_end_is_refused():
    with pytest.raises(DataError, match="more than 3 times as many"):
        KNeighbourhood(k=5, only_add=True, tries=0).apply(power_law(80), np.random.default_rng(0))


def test_too_few_nodes_are_refused():
    with pytest.raises(DataError, match="k_neighbourhood: k = 5 needs as many nodes"):
        KNeighbourhood(k=5).apply(graph_of(3, []), np.random.default_rng(0))


@given(graphs(most=12))
def test_triangles_and_open_triples_are_counted(graph):
    whole = to_networkx(graph)
    linked = nx.to_numpy_array(whole, nodelist=range(graph.n), dtype=bool)
    triangles, triples = _shape(_laid_out(linked, linked, 2)).tolist()
    assert triangles == sum(nx.triangles(whole).values()) // 3
    assert triples == sum(degree * (degree - 1) // 2 for _, degree in whole.degree)
