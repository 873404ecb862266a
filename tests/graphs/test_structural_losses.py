import math

import networkx as nx
import numpy as np
import pytest
from drawing import from_networkx, graph_of, graphs, power_law, to_networkx
from hypothesis import given
from scipy.stats import wasserstein_distance

from sfumato.core import DataError
from sfumato.graphs import structural_losses as losses
from sfumato.graphs.structural_losses import structural_losses
from sfumato.graphs.structure import EdgeRandomisation


@given(graphs())
def test_triangles_are_those_of_networkx(graph):
    whole, local = losses.clustering(graph)
    assert whole == pytest.approx(nx.transitivity(to_networkx(graph)))
    assert local == pytest.approx(nx.average_clustering(to_networkx(graph)))


@given(graphs())
def test_paths_are_those_of_networkx(graph):
    lengths = [
        length
        for source, found in nx.all_pairs_shortest_path_length(to_networkx(graph))
        for target, length in found.items()
        if target != source
    ]
    ours = losses.average_path_length(graph, np.arange(graph.n)).value
    assert ours == pytest.approx(np.mean(lengths)) if lengths else math.isnan(ours)


@given(graphs(least=2))
def test_the_spectrum_is_that_of_networkx(graph):
    assert losses.largest_eigenvalue(graph) == pytest.approx(
        max(nx.adjacency_spectrum(to_networkx(graph)).real), abs=1e-6
    )
    assert losses.algebraic_connectivity(graph) == pytest.approx(
        sorted(nx.laplacian_spectrum(to_networkx(graph)))[1], abs=1e-9
    )


def test_large_graphs_are_iterated_to_the_same_eigenvalues(monkeypatch):
    graph = power_law(150)
    exact = losses.largest_eigenvalue(graph), losses.algebraic_connectivity(graph)
    monkeypatch.setattr(losses, "DENSE_SPECTRUM", 10)
    iterated = losses.largest_eigenvalue(graph), losses.algebraic_connectivity(graph)
    assert iterated == pytest.approx(exact, rel=1e-5)
    monkeypatch.setattr(losses, "ITERATED_SPECTRUM", 10)
    assert math.isnan(losses.algebraic_connectivity(graph))


def test_sampled_paths_come_with_an_interval_that_holds_the_truth():
    graph = power_law(2500)
    exact = losses.average_path_length(graph, np.arange(graph.n))
    assert not exact.sampled
    assert exact.low == exact.value == exact.high
    rng, held = np.random.default_rng(1), 0
    for _ in range(100):
        found = losses.average_path_length(graph, rng.choice(graph.n, 60, replace=False))
        assert found.sampled
        held += found.low <= exact.value <= found.high
    assert held >= 85


@given(graphs(least=5, most=5), graphs(least=5, most=5))
def test_degrees_are_compared_as_distributions(first, second):
    distance, shift = losses.degree_differences(first.degrees, second.degrees)
    assert shift == pytest.approx(wasserstein_distance(first.degrees, second.degrees))
    assert 0 <= distance <= 100


def test_a_graph_loses_nothing_against_itself_and_more_the_more_changes():
    graph = from_networkx(nx.watts_strogatz_graph(400, 8, 0.05, seed=2))
    changes = []
    for p in (0, 10, 40):
        masked = EdgeRandomisation(p=p, how="switch").apply(graph, np.random.default_rng(2))
        found = structural_losses(graph, masked, np.random.default_rng(0))
        assert found.degree_distance == found.degree_shift == 0
        changes.append(found["clustering"].change)
    assert changes[0] == 0
    assert 0 > changes[1] > changes[2]


def test_directions_are_ignored_and_lines_become_rows():
    graph = graph_of(4, [(0, 1), (1, 0), (1, 2), (2, 0)], directed=True)
    found = structural_losses(graph, graph.with_edges([(0, 1)]), np.random.default_rng(0))
    assert found["clustering"].before.value == 1
    assert found["clustering"].change == -100
    assert found.to_frame().column("property").to_pylist()[:2] == ["edges", "clustering"]


def test_other_nodes_are_refused():
    with pytest.raises(DataError, match="Got 3 and 4"):
        structural_losses(graph_of(3, []), graph_of(4, []), np.random.default_rng(0))
    with pytest.raises(DataError, match="without nodes"):
        structural_losses(graph_of(0, []), graph_of(0, []), np.random.default_rng(0))
