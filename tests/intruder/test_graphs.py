"""Nodes, profiles and edges of a released graph are in no order that tells of the original."""

import numpy as np
import pytest

from intruder.edges import edge_guesses, edge_truth
from intruder.intrusion import intrusion
from intruder.judgement import MOST, gain, repeated
from intruder.releases import graph_release, secretly
from sfumato.core import registry
from sfumato.data.graph import Graph
from sfumato.datasets import profile_graph

PROFILE = ["location", "topic1", "topic2", "topic3"]
METHODS = registry.names("structure")
EVERY_WAY = [f"edge_randomisation(p=20, how={how})" for how in ("add_delete", "switch")]
NODES = {"k_degree": 100, "k_neighbourhood": 100, "super_nodes": 100, "k_neighbourhood(tries=0)": 100}
LONG = pytest.param("k_neighbourhood", marks=pytest.mark.slow)  # minutes
WAYS = [
    LONG if name == "k_neighbourhood" else name for name in (*METHODS, *EVERY_WAY, "k_neighbourhood(tries=0)")
]


def sorted_graph(n, seed):
    """A graph whose nodes are listed by place, as a file of users by country would be."""
    graph = profile_graph(n, seed=seed)
    order = np.argsort(graph.nodes["location"], kind="stable")
    return Graph(graph.nodes.take(order), np.argsort(order)[graph.edges])


@pytest.mark.parametrize("suffix", [".graphml", pytest.param(".jsonl", marks=pytest.mark.slow)])
def test_profiles_are_not_undone(suffix, tmp_path):
    def once(number):
        release = graph_release(
            sorted_graph(300, number), tmp_path / str(number), suffix=suffix, **secretly(number)
        )
        return intrusion(release, PROFILE, range(20), halves=number)

    found = repeated(once)
    assert found.holds, f"more than {MOST} point: {found}"


@pytest.mark.parametrize("suffix", [".graphml", ".jsonl"])
def test_neither_nodes_nor_edges_are_in_the_order_of_the_original(suffix, tmp_path):
    release = graph_release(sorted_graph(600, 1), tmp_path, suffix=suffix, **secretly(1))
    first = np.full(600, np.inf)
    for at, pair in enumerate(release.public.graph.edges):
        first[pair] = np.minimum(first[pair], at)
    for shown in (np.arange(600), first):
        met = np.isfinite(shown)
        assert abs(np.corrcoef(shown[met], release.rows[met])[0, 1]) < 4 / np.sqrt(met.sum())


@pytest.mark.parametrize("structure", WAYS)
def test_false_edges_are_not_told_from_true_ones(structure, tmp_path):
    def once(number):
        original = sorted_graph(NODES.get(structure, 200), number)
        release = graph_release(
            original, tmp_path / str(number), structure=structure, suffix=".jsonl", **secretly(number)
        )
        truth = edge_truth(release, original)
        released = {name: np.full_like(cells, "true") for name, cells in truth.cells.items()}
        return gain(
            truth,
            released,
            [("as it is", released)],
            edge_guesses(release.public, range(30)),
            seed=number,
        )

    found = repeated(once, most=12)
    assert found.holds, f"{structure}: more than {MOST} point: {found}"


def test_with_a_seed_and_the_order_false_edges_are_told_from_true_ones(tmp_path):
    original = sorted_graph(300, 1)
    release = graph_release(original, tmp_path, structure="edge_randomisation(p=20)", suffix=".jsonl", seed=0)
    truth = edge_truth(release, original)
    public = release.with_order().public
    released = {name: np.full_like(cells, "true") for name, cells in truth.cells.items()}
    found = gain(truth, released, [("as it is", released)], edge_guesses(public, range(3)))
    assert found.cells[0] < 85
    assert found.cells[1] > 98
