import time
from itertools import pairwise, product

import numpy as np
import pytest
from drawing import graph_of, graphs, power_law
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.graphs.structural_losses import largest_eigenvalue
from sfumato.graphs.structure import KDegree
from sfumato.graphs.structure._edge_moves import joined
from sfumato.graphs.structure.k_degree import anonymous_targets
from sfumato.kernels.degree_groups import anonymous_degrees, filled


def least_cost(degrees, k, middle):
    """Every way to cut falling degrees into runs of at least k, by trying them all."""
    n, best = len(degrees), None
    for cuts in product([False, True], repeat=n - 1):
        at = [0, *[i + 1 for i, cut in enumerate(cuts) if cut], n]
        groups = [degrees[a:b] for a, b in pairwise(at)]
        if all(len(group) >= k for group in groups):
            levels = [group[len(group) // 2 if middle else 0] for group in groups]
            cost = sum(abs(level - d) for level, group in zip(levels, groups, strict=True) for d in group)
            best = cost if best is None else min(best, cost)
    return best


def pairs(graph):
    return {*map(tuple, graph.edges.tolist())}


def shares(graph):
    return np.unique(graph.degrees, return_counts=True)[1]


@given(st.lists(st.integers(0, 20), min_size=1, max_size=12), st.integers(1, 5), st.booleans())
def test_the_degrees_change_as_little_as_possible(degrees, k, middle):
    degrees = sorted(degrees, reverse=True)
    k = min(k, len(degrees))
    changed = anonymous_degrees(np.array(degrees), k, middle)
    assert middle or (changed >= degrees).all()
    assert np.unique(changed, return_counts=True)[1].min() >= k
    assert np.abs(changed - degrees).sum() == least_cost(degrees, k, middle)


@given(graphs(), st.integers(1, 14), st.booleans())
def test_targets_can_be_summed_to_edges(graph, k, middle):
    k = min(k, graph.n)
    targets = anonymous_targets(graph.degrees, k, middle=middle)
    assert targets.sum() % 2 == 0
    assert middle or (targets >= graph.degrees).all()
    assert targets.max() < graph.n
    assert np.unique(targets, return_counts=True)[1].min() >= k


@given(graphs(), st.integers(1, 6), st.integers(0, 9))
def test_edges_are_laid_only_where_wanted_and_new(graph, most, seed):
    rng = np.random.default_rng(seed)
    wanted = rng.integers(0, most, graph.n)
    left = wanted.copy()
    added = filled(graph.indptr, graph.indices, left, rng.permutation(graph.n))
    assert (np.bincount(added.ravel(), minlength=graph.n) == wanted - left).all()
    assert graph.with_edges(np.concatenate([graph.edges, added])).m == graph.m + len(added)
    assert (left >= 0).all()


@given(graphs(), st.integers(1, 14), st.sampled_from(["add", "move"]), st.integers(0, 9))
def test_every_degree_is_shared_by_k_nodes(graph, k, how, seed):
    k = min(k, graph.n)
    masked = KDegree(k=k, how=how).apply(graph, np.random.default_rng(seed))
    assert shares(masked).min() >= k
    if how == "add":
        assert pairs(graph) <= pairs(masked)


@pytest.mark.parametrize("k", [2, 7])
@pytest.mark.parametrize("how", ["add", "move"])
def test_a_star_needs_its_leaves(k, how):
    star = graph_of(400, [(0, leaf) for leaf in range(1, 400)])
    masked = KDegree(k=k, how=how).apply(star, np.random.default_rng(1))
    assert shares(masked).min() >= k


def test_moving_changes_fewer_edges_and_keeps_their_number():
    graph = power_law(1500)
    added, moved = (KDegree(k=8, how=how).apply(graph, np.random.default_rng(0)) for how in ("add", "move"))
    assert len(pairs(moved) - pairs(graph)) < 0.5 * len(pairs(added) - pairs(graph))
    assert abs(moved.m - graph.m) < 0.02 * graph.m
    assert abs(largest_eigenvalue(moved) / largest_eigenvalue(graph) - 1) < 0.15


def test_ten_thousand_nodes_need_few_edges_and_seconds():
    graph = power_law(10_000)
    KDegree(k=2).apply(power_law(50), np.random.default_rng(0))
    began = time.process_time()
    masked = KDegree(k=10).apply(graph, np.random.default_rng(0))
    assert time.process_time() - began < 10
    assert shares(masked).min() >= 10
    assert masked.m < 1.08 * graph.m


def test_one_seed_one_graph():
    graph, method = power_law(300), KDegree(k=9)
    first, again = (method.apply(graph, np.random.default_rng(4)) for _ in range(2))
    assert first.fingerprint == again.fingerprint


def test_what_cannot_be_done_is_refused():
    with pytest.raises(DataError, match=r"k = 5 needs as many nodes\. Got 3"):
        KDegree(k=5).apply(graph_of(3, []), np.random.default_rng(0))
    with pytest.raises(DataError, match="undirected"):
        KDegree(k=2).apply(graph_of(3, [(0, 1)], directed=True), np.random.default_rng(0))


@pytest.mark.parametrize("how", ["add", "move"])
def test_a_graph_that_is_anonymous_stays_as_it_is(how):
    ring = graph_of(9, [(i, (i + 1) % 9) for i in range(9)])
    assert pairs(KDegree(k=4, how=how).apply(ring, np.random.default_rng(1))) == pairs(ring)


def test_edges_that_gave_way_once_may_do_so_again():
    original, added = np.array([[0, 1], [4, 5]]), np.array([[2, 3]])
    wanted = np.array([1, 1, 0, 0, 1, 1])
    for seed in range(20):
        edges, unplaced = joined(original, added, wanted, np.random.default_rng(seed))
        assert unplaced == 0 and {(0, 1), (4, 5)} <= {*map(tuple, edges.tolist())}
        assert np.bincount(edges.ravel(), minlength=6).tolist() == [2, 2, 1, 1, 2, 2]
