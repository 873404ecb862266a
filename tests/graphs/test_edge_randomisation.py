from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from drawing import graph_of, graphs, power_law
from hypothesis import given
from hypothesis import strategies as st

from sfumato.graphs.structure import EdgeRandomisation
from sfumato.graphs.structure.edge_randomisation import _pair_numbers, _pairs


def pairs(graph):
    return {*map(tuple, graph.edges.tolist())}


@given(st.booleans().flatmap(lambda d: graphs(directed=d)), st.floats(0, 100), st.integers(0, 9))
def test_switching_keeps_every_degree(graph, p, seed):
    masked = EdgeRandomisation(how="switch", p=p).apply(graph, np.random.default_rng(seed))
    assert masked.degrees.tolist() == graph.degrees.tolist()
    assert np.bincount(masked.edges.ravel(), minlength=graph.n).tolist() == (
        np.bincount(graph.edges.ravel(), minlength=graph.n).tolist()
    )
    assert len(pairs(masked) - pairs(graph)) <= round(p * graph.m / 100)


@given(st.booleans().flatmap(lambda d: graphs(directed=d)), st.floats(0, 100), st.integers(0, 9))
def test_as_many_edges_come_as_go(graph, p, seed):
    masked = EdgeRandomisation(p=p).apply(graph, np.random.default_rng(seed))
    assert masked.m == graph.m
    assert len(pairs(graph) - pairs(masked)) <= round(p * graph.m / 100)


@pytest.mark.parametrize("how", ["add_delete", "switch"])
def test_the_share_that_changes_is_the_one_asked_for(how):
    graph = power_law(2000)
    masked = EdgeRandomisation(how=how, p=20).apply(graph, np.random.default_rng(3))
    share = len(pairs(graph) - pairs(masked)) / graph.m
    assert share == pytest.approx(0.2, abs=0.002)


def test_every_new_edge_is_equally_likely():
    graph = graph_of(4, [(0, 1)])
    drawn = Counter(
        next(iter(pairs(EdgeRandomisation(p=100).apply(graph, np.random.default_rng(seed)))))
        for seed in range(1200)
    )
    assert set(drawn) == set(combinations(range(4), 2))
    assert max(abs(count - 200) for count in drawn.values()) < 60  # 4.6 standard deviations


def test_pairs_are_numbered_without_gaps():
    for n in (2, 5, 9):
        for directed in (False, True):
            total = n * (n - 1) if directed else n * (n - 1) // 2
            made = _pairs(np.arange(total), n, directed=directed)
            assert len({*map(tuple, made.tolist())}) == total
            assert _pair_numbers(made, n, directed=directed).tolist() == list(range(total))


def test_pairs_of_very_many_nodes_are_exact():
    b = np.array([3_000_000_000, 94_906_267])
    edges = np.stack([np.zeros(2, np.int64), b], axis=1)
    ends = np.concatenate([edges, np.stack([b - 1, b], axis=1)])
    n = 3_000_000_001
    assert (_pairs(_pair_numbers(ends, n, directed=False), n, directed=False) == ends).all()


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("how", ["add_delete", "switch"])
def test_one_node_and_no_edge_stay_as_they_are(how, directed):
    for n in (1, 4):
        alone = graph_of(n, [], directed=directed)
        assert EdgeRandomisation(how=how, p=50).apply(alone, np.random.default_rng(1)).m == 0
