import math
import time
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from drawing import from_networkx, graph_of, graphs, power_law
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.graphs.structural_attacks import candidate_risk, entropy_importance
from sfumato.graphs.structure import KDegree


def answers(graph, depth):
    """H1 … of every node as nested tuples, from the definition."""
    forth = [[int(b) for a, b in graph.edges if a == x] for x in range(graph.n)]
    back = [[int(a) for a, b in graph.edges if b == x] for x in range(graph.n)]
    near = [(f, b) if graph.directed else (f + b, []) for f, b in zip(forth, back, strict=True)]
    found = [()] * graph.n
    for _ in range(depth):
        found = [tuple(tuple(sorted(found[y] for y in part)) for part in parts) for parts in near]
    return found


def two_graphs(directed):
    return st.tuples(*[graphs(least=9, most=9, directed=directed)] * 2)


@given(st.booleans().flatmap(two_graphs))
def test_candidates_are_those_of_the_definition(pair):
    original, released = pair
    for risk in candidate_risk(original, released, depth=3):
        known, seen = answers(original, risk.query), answers(released, risk.query)
        assert risk.sizes.tolist() == [seen.count(answer) for answer in known]
        assert risk.contains.tolist() == [a == b for a, b in zip(known, seen, strict=True)]
        assert sum(risk.buckets.values()) == pytest.approx(100)


@given(graphs())
def test_deeper_knowledge_leaves_fewer_candidates(graph):
    found = candidate_risk(graph, graph, depth=4)
    for less, more in pairwise(found):
        assert (more.sizes <= less.sizes).all()
        assert more.success >= less.success
        assert more.contains.all()


def test_buckets_of_known_degrees():
    # Degrees: one hub of 25, 25 nodes of 1; a triangle of 2; a lonely pair of 1.
    graph = graph_of(31, [(0, i) for i in range(1, 26)] + [(26, 27), (27, 28), (26, 28), (29, 30)])
    risk = candidate_risk(graph, graph, depth=1)[0]
    expected = {"0": 0, "1": 1, "2-4": 3, "5-10": 0, "11-20": 0, ">20": 27}
    assert risk.buckets == pytest.approx({name: 100 * count / 31 for name, count in expected.items()})
    assert risk.success == pytest.approx(100 * (1 + 1 + 1) / 31)
    assert risk.to_dict()["query"] == 1


def test_anonymous_degrees_leave_no_small_candidate_set():
    graph = power_law(500)
    masked = KDegree(k=5).apply(graph, np.random.default_rng(0))
    assert candidate_risk(masked, masked, depth=1)[0].sizes.min() >= 5
    before, after = (candidate_risk(graph, g, depth=1)[0].success for g in (graph, masked))
    assert after < before


def entropy(graph):
    total = sum(degree for _, degree in graph.degree)
    return -sum(d / total * math.log2(d / total) for _, d in graph.degree if d) if total else 0.0


@given(graphs())
def test_importance_is_the_entropy_lost_with_a_node(graph):
    whole = nx.Graph()
    whole.add_nodes_from(range(graph.n))
    whole.add_edges_from(graph.edges.tolist())
    expected = [entropy(whole) - entropy(whole.subgraph(set(whole) - {node})) for node in range(graph.n)]
    assert entropy_importance(graph) == pytest.approx(np.array(expected), abs=1e-9)


def test_a_hundred_thousand_nodes_take_seconds():
    ends = np.random.default_rng(1).integers(0, 100_000, (1_000_000, 2))
    graph = graph_of(100_000, ends)
    began = time.process_time()
    found = candidate_risk(graph, graph, depth=3)
    entropy_importance(graph)
    assert time.process_time() - began < 20
    assert found[2].buckets["1"] > 99


def test_regular_graphs_hide_everybody():
    ring = from_networkx(nx.cycle_graph(50))
    assert all(risk.buckets[">20"] == 100 for risk in candidate_risk(ring, ring, depth=5))


def test_graphs_that_do_not_belong_together_are_refused():
    with pytest.raises(DataError, match="Got 3 and 4 nodes"):
        candidate_risk(graph_of(3, []), graph_of(4, []))
