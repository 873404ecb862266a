"""§6.4 of Marés' thesis: neighbourhoods that are found again."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.algorithms.isomorphism import categorical_node_match
from profile_examples import example, random_graph

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.data.graph import Graph
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.graphs.neighbourhood_risk import disclosure_risk, found_neighbourhoods
from sfumato.parallel.threads import using_threads

COLOUR = Attribute(name="colour", scale="nominal", categories=("red", "blue", "green"))


def coloured(colours, edges, *, directed=False):
    return Graph(Table(Schema([COLOUR]), {"colour": np.asarray(colours)}), edges, directed=directed)


def egos(graph):
    """Every neighbourhood as a networkx graph that knows its root."""
    whole = nx.DiGraph() if graph.directed else nx.Graph()
    whole.add_nodes_from((i, {"colour": int(c), "root": False}) for i, c in enumerate(graph.nodes["colour"]))
    whole.add_edges_from(graph.edges.tolist())
    for i in range(graph.n):
        near = set(nx.all_neighbors(whole, i)) | {i}
        ego = whole.subgraph(near).copy()
        ego.nodes[i]["root"] = True
        yield ego


def slow_found(original, masked):
    same = categorical_node_match(["colour", "root"], [None, None])
    targets = list(egos(masked))
    return [any(nx.is_isomorphic(ego, other, node_match=same) for other in targets) for ego in egos(original)]


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 14),
    links=st.integers(0, 50),
    seed=st.integers(0, 9999),
    directed=st.booleans(),
    palette=st.integers(1, 3),
)
def test_what_is_found_is_what_isomorphism_finds(n, links, seed, directed, palette):
    """Small neighbourhoods are told apart exactly; edges may differ between the graphs, too."""
    rng = np.random.default_rng(seed)
    one, other = (
        coloured(rng.integers(0, palette, n), rng.integers(0, n, (links, 2)), directed=directed)
        for _ in range(2)
    )
    assert found_neighbourhoods(one, other, {"all": ["colour"]})["all"].tolist() == slow_found(one, other)


def wheel(rim):
    """Node 0 and a rim of neighbours, linked as given."""
    return coloured(np.zeros(7, int), [*((0, i) for i in range(1, 7)), *rim])


def test_a_ring_of_six_is_not_two_triangles():
    ring = wheel([(1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 1)])
    triangles = wheel([(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4)])
    assert not found_neighbourhoods(ring, triangles, {"all": ["colour"]})["all"][0]


def test_regular_neighbourhoods_count_as_found():
    """A prism and K3,3 are not told apart: the risk is too large there, never too small."""
    prism = wheel([(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4), (1, 4), (2, 5), (3, 6)])
    bipartite = wheel([(i, j) for i in (1, 2, 3) for j in (4, 5, 6)])
    assert found_neighbourhoods(prism, bipartite, {"all": ["colour"]})["all"][0]
    assert not slow_found(prism, bipartite)[0]


def test_the_direction_of_links_counts():
    one, other = (coloured([0, 1], [edge], directed=True) for edge in ((0, 1), (1, 0)))
    assert not found_neighbourhoods(one, other, {"all": ["colour"]})["all"].any()
    assert found_neighbourhoods(one, other, {"none": []})["none"].all()


def test_the_example_of_the_source_hides_everybody():
    graph = example()
    masked = AttributeProtection(k=3).apply(graph, np.random.default_rng(0))
    names = tuple(graph.nodes.names)
    assert disclosure_risk(graph, masked, {"all": names, "topic1": ["topic1"]}) == {
        "all": 0.0,
        "topic1": 1 / 3,
    }
    assert disclosure_risk(graph, graph, {"all": names}) == {"all": 1.0}


def test_more_knowledge_finds_no_more_than_less():
    graph = random_graph(200, 3)
    masked = AttributeProtection(k=3).apply(graph, np.random.default_rng(0))
    found = found_neighbourhoods(graph, masked, {"one": ["topic1"], "two": ["topic1", "topic2"], "none": []})
    assert found["none"].all()
    assert not (found["two"] & ~found["one"]).any()


def test_threads_change_nothing():
    graph = random_graph(9000, 1, links=4)
    masked = AttributeProtection(k=2).apply(graph, np.random.default_rng(0))
    answers = []
    for threads in (1, 2):
        with using_threads(threads):
            answers.append(found_neighbourhoods(graph, masked, {"all": ["topic1"]})["all"])
    assert np.array_equal(*answers)


def test_directed_and_undirected_cannot_be_compared():
    with pytest.raises(DataError, match="both undirected"):
        disclosure_risk(coloured([0], []), coloured([0], [], directed=True), {"all": ["colour"]})
