"""§6.3 of Marés' thesis: the examples of Figures 6.6 to 6.8, and each measure against a slow twin."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from profile_examples import COLUMNS, example, people, random_graph

from sfumato.core import DataError
from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.data.graph import Graph
from sfumato.graphs.attribute_losses import _classes, _distances, aamil, cdil, dbil
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.graphs.profile_distances import Branches

NAMES = ("location", *COLUMNS)


@pytest.fixture(scope="module")
def pair():
    graph = example()
    return graph, AttributeProtection(k=3).apply(graph, np.random.default_rng(0))


def test_figure_6_6(pair):
    assert aamil(*pair, ["location"]) == {"location": 0.5}


def test_figure_6_6_with_both_ends_masked_loses_all(pair):
    assert aamil(*pair, ["location"], ends="both") == {"location": 1.0}


def test_figure_6_7(pair):
    assert cdil(*pair, ["topic1"]) == {"topic1": 1 / 3}


def test_figure_6_8():
    """User 2 alone: United States, Technology, Sports, Religion becomes United States, Technology, Politics, Sports."""
    before = Graph(people([("United States", "Technology", "Sports", "Religion")]), [])
    after = Graph(people([("United States", "Technology", "Politics", "Sports")]), [])
    losses = dbil(before, after, "location", COLUMNS)
    assert losses == {"location": 0, "topic1": 0, "topic2": 1, "topic3": 1}
    assert np.mean(list(losses.values())) == 0.5


def slow_losses(original, masked, name, ends):
    """Both matrices and both distributions as counters of names."""
    old, new = (graph.nodes.to_arrow()[name].to_pylist() for graph in (original, masked))
    was, now = Counter(), Counter()
    for graph, counter in ((original, was), (masked, now)):
        for u, v in graph.edges.tolist():
            for one, other in [(u, v)] if graph.directed else [(u, v), (v, u)]:
                if counter is was:
                    counter[old[one], old[other]] += 1
                else:
                    counter[old[one] if ends == "neighbour" else new[one], new[other]] += 1
    before, after = Counter(old), Counter(new)
    links = sum(abs(was[key] - now[key]) for key in was | now) / (2 * max(was.total(), 1))
    return links, sum(abs(before[key] - after[key]) for key in before | after) / (2 * before.total())


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 99), directed=st.booleans(), ends=st.sampled_from(["neighbour", "both"]))
def test_links_and_distributions_are_those_of_the_slow_twin(seed, directed, ends):
    graph = random_graph(40, seed, directed=directed)
    masked = AttributeProtection(k=4).apply(graph, np.random.default_rng(seed))
    for name in NAMES:
        links, values = slow_losses(graph, masked, name, ends)
        assert aamil(graph, masked, [name], ends=ends)[name] == pytest.approx(links)
        assert cdil(graph, masked, [name])[name] == pytest.approx(values)


def test_distances_are_those_of_the_cells():
    graph = random_graph(50, 7)
    masked = AttributeProtection(k=5).apply(graph, np.random.default_rng(7))
    branches = Branches.of(masked.nodes.schema["location"])
    old, new = (g.nodes.to_arrow()["location"].to_pylist() for g in (graph, masked))
    cells = [branches.distance(a, b) if a and b else float(a != b) for a, b in zip(old, new, strict=True)]
    losses = dbil(graph, masked, "location", COLUMNS)
    assert losses["location"] == pytest.approx(np.mean(cells))
    assert losses["topic2"] == np.mean(graph.nodes["topic2"] != masked.nodes["topic2"])


def test_nothing_is_lost_where_nothing_changes():
    graph = random_graph(30)
    for losses in (
        aamil(graph, graph, NAMES),
        cdil(graph, graph, NAMES),
        dbil(graph, graph, "location", COLUMNS),
    ):
        assert set(losses.values()) == {0.0}


def test_the_domain_may_be_declared_in_another_order():
    graph = random_graph(30, missing=0.2)
    schema = graph.nodes.schema
    turned = schema["topic1"].evolve(categories=schema["topic1"].categories[::-1])
    codes = graph.nodes["topic1"]
    same = graph.with_nodes(graph.nodes.replace({"topic1": np.where(codes < 0, -1, 5 - codes)}, [turned]))
    assert cdil(graph, same, ["topic1"]) == aamil(graph, same, ["topic1"]) == {"topic1": 0.0}


def test_what_cannot_be_compared_is_refused():
    graph = random_graph(10)
    with pytest.raises(DataError, match="5 nodes where the original has 10"):
        aamil(graph, Graph(graph.nodes.take(np.arange(5)), []), ["topic1"])
    with pytest.raises(DataError, match="one of neighbour, both"):
        aamil(graph, graph, ["topic1"], ends="none")
    other = Attribute(
        name="location", scale="nominal", categories=("moon",), hierarchy=Hierarchy((("moon", "space"),))
    )
    moon = Graph(Table(Schema([other]), {"location": np.zeros(10, int)}), [])
    with pytest.raises(DataError, match="location: no hierarchy holds the places of both graphs"):
        dbil(graph, moon, "location", [])


def test_where_nobody_had_a_number_all_numbers_are_alike():
    def ages(values):
        nodes = Table(Schema([Attribute(name="age", scale="numeric")]), {"age": np.array(values, float)})
        return Graph(nodes, np.array([[0, 1], [1, 2], [2, 3]]))

    before, after = _classes(ages([np.nan] * 4), ages([-1e300, np.nan, 1e-300, 1e300]), "age")
    assert before.tolist() == [-1] * 4 and after.tolist() == [0, -1, 0, 0]


def test_ordered_categories_are_as_far_apart_as_their_places_and_others_all_alike():
    def columns(grades, kinds):
        attributes = [
            Attribute(name=name, scale=scale, categories=("a", "b", "c"))
            for name, scale in (("grade", "ordinal"), ("kind", "nominal"))
        ]
        nodes = Table(Schema(attributes), {"grade": np.array(grades), "kind": np.array(kinds)})
        return Graph(nodes, np.array([[0, 1], [1, 2]]))

    pair = columns([0, 1, 2], [0, 1, 2]), columns([1, 1, 0], [1, 1, 0])
    assert _distances(*pair, "grade").tolist() == [0.5, 0.0, 1.0]
    assert _distances(*pair, "kind").tolist() == [1.0, 0.0, 1.0]
