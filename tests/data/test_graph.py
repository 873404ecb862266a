"""Graphs as values: edges in one form, arrays that nobody can change, and numbers that follow from them."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.data.graph import Graph, sorted_distinct


def people(n: int) -> Table:
    return Table(
        Schema([Attribute(name="town", scale="nominal", categories=("a", "b"))]), {"town": np.arange(n) % 2}
    )


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Graph, set[tuple[int, int]]]:
    n = draw(st.integers(1, 8))
    node = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=20))
    directed = draw(st.booleans())
    listed = {(a, b) if directed else (min(a, b), max(a, b)) for a, b in edges if a != b}
    return Graph(people(n), edges, directed=directed), listed


@given(graphs())
def test_edges_are_a_sorted_set_of_pairs(drawn: tuple[Graph, set[tuple[int, int]]]) -> None:
    graph, listed = drawn
    assert [tuple(edge) for edge in graph.edges.tolist()] == sorted(listed)
    assert graph.m == len(listed)


@given(graphs())
def test_neighbours_and_degrees_are_those_of_the_pairs(drawn: tuple[Graph, set[tuple[int, int]]]) -> None:
    graph, listed = drawn
    both = listed if graph.directed else listed | {(b, a) for a, b in listed}
    for node in range(graph.n):
        others = sorted(b for a, b in both if a == node)
        assert graph.neighbours(node).tolist() == others
        assert graph.degrees[node] == len(others)


@given(graphs())
def test_a_pickled_graph_comes_back(drawn: tuple[Graph, set[tuple[int, int]]]) -> None:
    graph, _ = drawn
    assert pickle.loads(pickle.dumps(graph)).fingerprint == graph.fingerprint


@given(st.lists(st.integers(0, 9)))
def test_sorted_distinct_is_numpy_unique(keys: list[int]) -> None:
    assert sorted_distinct(np.array(keys, np.int64)).tolist() == sorted(set(keys))


def test_the_fingerprint_tells_values_edges_and_direction() -> None:
    graph = Graph(people(3), [(0, 1)])
    others = [
        graph.with_edges([(0, 2)]),
        graph.with_nodes(people(3).replace({"town": [0, 0, 0]})),
        Graph(people(3), [(0, 1)], directed=True),
    ]
    assert len({graph.fingerprint, *(other.fingerprint for other in others)}) == 4


def test_edges_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Graph(people(3), [(0, 1)]).edges[0, 0] = 2


def test_an_edge_to_nowhere_and_a_table_of_another_size_are_refused() -> None:
    with pytest.raises(DataError, match="a node that is not there: the graph has 2 nodes"):
        Graph(people(2), [(0, 2)])
    with pytest.raises(DataError, match=r"The graph has 2 nodes\. Got a table of 3 records"):
        Graph(people(2), []).with_nodes(people(3))
