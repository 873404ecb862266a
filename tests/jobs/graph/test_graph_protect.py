import pytest

from sfumato.datasets.profile_graph import profile_graph
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.graphs.structure import KDegree
from sfumato.jobs.graph.evaluate import evaluate_graph
from sfumato.jobs.graph.protect import GraphProtect, protect_graph, protect_structure


@pytest.fixture(scope="module")
def graph():
    return profile_graph(80, seed=5)


def _done(job, **given):
    with job.work() as work:
        return job.settled(work).run(*job.read(work, **given), work=work)


def test_a_graph_in_memory_is_protected_as_the_library_does_it(graph):
    found = _done(GraphProtect(k=4, structure="k_degree(how=move)", seed=2), graph=graph)
    method, edges = AttributeProtection(k=4), KDegree(k=4, how="move")
    expected = protect_structure(protect_graph(graph, method, seed=2), edges, seed=2)
    assert (found.method, found.structure) == (method, edges)
    assert found.aligned.nodes.fingerprint == expected.nodes.fingerprint
    assert found.aligned.edges.tolist() == expected.edges.tolist()
    judged = evaluate_graph(graph, expected, structure=True, seed=2)
    assert found.to_dict().items() >= judged.to_dict().items()
    assert found.to_frame().equals(judged.to_frame())


def test_a_schema_given_says_what_is_dropped(graph):
    schema = graph.nodes.schema.with_roles({"user": "other"})
    assert "user" not in _done(GraphProtect(), graph=graph).graph.nodes
    assert "user" in _done(GraphProtect(), graph=graph, schema=schema).graph.nodes
