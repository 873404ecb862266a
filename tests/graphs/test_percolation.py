import networkx as nx
import numpy as np
from drawing import from_networkx, graphs, power_law
from hypothesis import given
from hypothesis import strategies as st

from sfumato.graphs.seed_propagation import best_known, propagated
from sfumato.graphs.structure import EdgeRandomisation, SuperNodes
from sfumato.kernels.percolation import Sides, percolated


def slowly(one, other, seeds, least):
    """The pair with most marks of all pairs, counted anew after each match."""
    found = dict(seeds)
    while True:
        scores = []
        for i in set(range(one.n)) - set(found):
            for j in set(range(other.n)) - set(found.values()):
                near, there = set(one.neighbours(i).tolist()), set(other.neighbours(j).tolist())
                marks = sum(a in near and b in there for a, b in found.items())
                if marks >= least:
                    scores.append((-marks, abs(len(near) - len(there)), i * other.n + j))
        if not scores:
            return [found.get(i, -1) for i in range(one.n)]
        i, j = divmod(min(scores)[2], other.n)
        found[i] = j


def sides(one, other):
    return Sides(*(array.astype(np.int64) for g in (one, other) for array in (g.indptr, g.indices)))


@given(graphs(least=2, most=8), graphs(least=2, most=8), st.integers(1, 2), st.integers(1, 3))
def test_the_pair_with_most_marks_is_matched_next(one, other, seeds, least):
    pairs = [(i, other.n - 1 - i) for i in range(min(seeds, one.n, other.n))]
    found = percolated(sides(one, other), np.array(pairs, np.int64), least, 10**6)
    assert found.tolist() == slowly(one, other, pairs, least)


def test_no_more_marks_are_given_than_allowed():
    graph = power_law(300)
    pairs = np.column_stack([best_known(graph, 20)] * 2).astype(np.int64)
    few, many = (int((percolated(sides(graph, graph), pairs, 2, most) >= 0).sum()) for most in (1, 10**7))
    assert few < 30 < 200 < many


def test_an_unchanged_graph_is_found_and_a_drawn_one_is_not():
    graph, rng = power_law(500), np.random.default_rng(1)
    known, rest = best_known(graph, 20), best_known(graph, 500)[20:]
    hits = {}
    for name, released in {
        "same": graph,
        "a fifth moved": EdgeRandomisation(p=20).apply(graph, rng),
        "drawn": SuperNodes(k=5).apply(graph, rng),
    }.items():
        hits[name] = (propagated(graph, released, known, rng)[rest] == rest).mean()
    assert hits["same"] >= hits["a fifth moved"] > 0.9
    assert hits["drawn"] < 0.05


def test_the_numbers_of_nodes_tell_nothing():
    # All nodes of a complete graph are the same: whoever is found is guessed.
    graph, rng = from_networkx(nx.complete_graph(40)), np.random.default_rng(0)
    found = [propagated(graph, graph, np.array([0, 1]), rng)[2:] == np.arange(2, 40) for _ in range(40)]
    assert np.mean(found) < 0.06
