"""`sfumato graph protect --structure`: profiles and edges protected together."""

import json

import numpy as np
import pytest

from sfumato.data.files.graph_files import read_graph, write_graph
from sfumato.datasets.profile_graph import profile_graph
from sfumato.graphs.structure import KDegree, KNeighbourhood
from sfumato.jobs import Order
from sfumato.jobs.graph._profiles import StructureChoice


@pytest.fixture
def graph(tmp_path):
    graph = profile_graph(80, seed=3)
    write_graph(graph, tmp_path / "graph.graphml")
    return graph


def test_profiles_and_degrees_are_protected_together(run, graph, tmp_path):
    result = run(
        "graph", "protect", "graph.graphml", "-o", "out.graphml", "--k", "4", "--structure", "k_degree", "--json", "-q"
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    released = read_graph(tmp_path / "out.graphml")
    assert said["structure"] == {"method": "k_degree", "k": 4}
    assert np.unique(released.degrees, return_counts=True)[1].min() >= 4
    change = said["structure_evaluation"]["losses"]["lines"][0]["change"]
    assert change == pytest.approx(100 * (released.m / graph.m - 1))
    before, after = (said["structure_evaluation"][when][0]["success"] for when in ("before", "after"))
    assert after < before


@pytest.mark.parametrize(
    "structure", ["edge_randomisation(how=switch, p=30)", "edge-randomisation,how=switch,p=30"]
)
def test_parameters_of_the_structure_method_follow_its_name(run, graph, tmp_path, structure):
    result = run("graph", "protect", "graph.graphml", "-o", "out.graphml", "--structure", structure, "-q")
    assert result.exit_code == 0, result.output
    assert "edge_randomisation (p = 30.0, how = switch)" in result.stdout
    assert "average path length" in result.stdout
    assert "H3" in result.stdout
    released = read_graph(tmp_path / "out.graphml")
    assert sorted(released.degrees) == sorted(graph.degrees)
    order = Order.read(tmp_path / "out.private" / "order.csv")
    assert released.degrees.tolist() == graph.degrees[order.rows].tolist()
    assert released.take(order.back()).edges.tolist() != graph.edges.tolist()


@pytest.mark.parametrize(
    ("structure", "method"),
    [
        ("k_neighbourhood(only_add=true)", KNeighbourhood(k=4, only_add=True)),
        ("k_neighbourhood,only_add=true", KNeighbourhood(k=4, only_add=True)),
        ("k-neighbourhood, k=2, only-add=False", KNeighbourhood(k=2)),
        ({"method": "k_degree", "how": "move"}, KDegree(k=4, how="move")),
        ("k_degree(k=5)", KDegree(k=5)),
        (KDegree(), KDegree()),
    ],
)
def test_a_k_that_was_not_said_is_that_of_the_job(structure, method):
    choice = StructureChoice.convert(structure)
    assert choice.of_size(4) == method
    assert StructureChoice.convert(choice.plain()) == choice


@pytest.mark.parametrize(
    ("structure", "words"),
    [
        ("k_degre", "Did you mean k_degree?"),
        ("k_degree,q=3", "Unknown parameter of k_degree 'q'"),
        ("k_degree,3", "a parameter is written name=value"),
        ("k_degree,k=0", "k must be an integer of at least 1. Got 0"),
        ("k_neighbourhood,only_add=perhaps", "only_add must be true or false"),
        ("k_degree,k=500", "Got 80: choose a smaller k"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_written(run, graph, tmp_path, structure, words):
    result = run("graph", "protect", "graph.graphml", "-o", "out.graphml", "--structure", structure, "-q")
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert not (tmp_path / "out.graphml").exists()
