"""Microdata of graphs: the degree beside the attributes, for every masking and measure."""

import numpy as np
import pytest

from sfumato import evaluate, mask
from sfumato.core import DataError, UnknownNameError
from sfumato.data import Attribute, Schema, Table
from sfumato.data.graph import Graph
from sfumato.datasets.profile_graph import preset, profile_graph
from sfumato.graphs.microdata import microdata


def test_one_record_per_node_with_the_values_of_the_node() -> None:
    graph = profile_graph(150, seed=2, missing=0.2)
    table = microdata(graph)
    assert table.names == ("degree", "location", "topic1", "topic2", "topic3")
    assert table["degree"].tolist() == graph.degrees.tolist()
    for name in table.names[1:]:
        assert table[name].tolist() == graph.nodes[name].tolist()
        assert table.schema[name] == graph.nodes.schema[name]


def test_in_a_directed_graph_both_directions_count() -> None:
    nodes = Table(Schema([Attribute(name="x", scale="numeric")]), {"x": [1, 2, 3]})
    graph = Graph(nodes, [(0, 1), (1, 0), (2, 1)], directed=True)
    assert microdata(graph)["degree"].tolist() == [2, 3, 1]


def test_why_a_value_is_missing_is_kept() -> None:
    x = Attribute(name="x", scale="numeric", missing=("refused",))
    nodes = Table(Schema([x]), {"x": [1, np.nan]}, reasons={"x": np.array([0, 1])})
    reasons = microdata(Graph(nodes, [(0, 1)])).reasons("x")
    assert reasons is not None
    assert reasons.tolist() == [0, 1]


def test_attributes_may_be_chosen() -> None:
    graph = profile_graph(20)
    assert microdata(graph, ["topic1", "user"]).names == ("degree", "topic1", "user")
    with pytest.raises(UnknownNameError, match="Unknown column"):
        microdata(graph, ["topic"])


def test_a_second_degree_is_refused() -> None:
    nodes = Table(Schema([Attribute(name="degree", scale="numeric")]), {"degree": [1]})
    with pytest.raises(DataError, match="Column degree is there already"):
        microdata(Graph(nodes, []))


@pytest.mark.parametrize(
    ("method", "k_anonymous"), [({"method": "mdav_generic", "k": 4}, True), ({"method": "pram"}, False)]
)
def test_any_masking_and_measure_takes_it(method: dict[str, object], k_anonymous: bool) -> None:
    table = microdata(preset("small"))
    masked = mask(table, method, seed=1)
    scores = evaluate(table, masked)
    assert scores is not None
    alike = masked.codes(["location", "topic1", "topic2", "topic3"])
    records = np.column_stack([masked["degree"].astype(int), alike])
    _, counts = np.unique(records, axis=0, return_counts=True)
    assert (counts.min() >= 4) == k_anonymous
