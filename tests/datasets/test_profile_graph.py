"""Generated profile graphs: the shape of a small world, and communities that share places and topics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from sfumato.core import ParameterError, UnknownNameError
from sfumato.data.graph import Graph
from sfumato.datasets.profile_graph import PRESET_EDGES, PRESETS, TOPICS, preset, profile_graph


def ways(graph: Graph) -> np.ndarray:
    """The lengths of the shortest ways between all pairs of different nodes."""
    lengths = sparse.csgraph.shortest_path(graph.adjacency.astype(float), unweighted=True)
    return lengths[~np.eye(graph.n, dtype=bool)]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_the_published_numbers_of_nodes_and_edges(name: str) -> None:
    graph = preset(name)
    assert (graph.n, graph.m) == (PRESETS[name], PRESET_EDGES[name])


@pytest.mark.parametrize(("name", "published"), [("small", 7.597), ("large", 4.2595)])  # thesis, §6.5
def test_ways_in_the_presets_are_about_as_long_as_published(name: str, published: float) -> None:
    means = [ways(preset(name, seed=seed)).mean() for seed in range(1 if name == "large" else 3)]
    assert abs(np.mean(means) - published) < 1


def test_the_world_is_small() -> None:
    """More triangles than in a random graph with the same edges, and ways of a few steps."""
    graph = profile_graph(2000, seed=3, mean_degree=10)
    rng = np.random.default_rng(0)
    random = graph.with_edges(rng.integers(0, graph.n, (graph.m, 2)))
    assert triangles(graph) > 5 * triangles(random)
    assert ways(graph).mean() < 6
    assert graph.degrees.max() > 4 * graph.degrees.mean()


def triangles(graph: Graph) -> int:
    links = graph.adjacency.astype(np.int64)
    return int((links @ links).multiply(links).sum()) // 6


@pytest.mark.parametrize("name", ["location", "topic1", "topic2"])
def test_neighbours_share_places_and_topics(name: str) -> None:
    graph = profile_graph(3000, seed=5)
    values = graph.nodes[name]
    alike = np.mean(values[graph.edges[:, 0]] == values[graph.edges[:, 1]])
    shares = np.bincount(values) / graph.n
    assert alike > 1.2 * np.sum(shares**2)


def test_the_three_topics_of_a_user_differ() -> None:
    table = profile_graph(500).nodes
    topics = table.codes(["topic1", "topic2", "topic3"])
    assert all(len(set(row)) == 3 for row in topics.tolist())
    assert table.schema["topic1"].categories == TOPICS
    assert len(TOPICS) == 18


def test_every_category_of_the_location_has_a_path_with_the_levels_of_table_6_1() -> None:
    location = profile_graph(10).nodes.schema["location"]
    assert location.hierarchy is not None
    location.hierarchy.check_covers("location", location.categories)
    assert location.hierarchy.depth == 7
    assert {row[7] for row in location.hierarchy.rows} == {"World"}


@given(
    st.integers(0, 60), st.integers(0, 5), st.floats(0, 80), st.booleans(), st.sampled_from([0.0, 0.3, 1.0])
)
def test_any_size_gives_a_graph_that_hangs_together(
    n: int, seed: int, mean_degree: float, directed: bool, missing: float
) -> None:
    graph = profile_graph(n, seed=seed, mean_degree=mean_degree, directed=directed, missing=missing)
    assert graph.n == n
    room = n * (n - 1) // (1 if directed else 2)
    assert max(n - 1, 0) <= graph.m <= max(room, 0)
    assert graph.m <= max(n - 1, round(n * mean_degree / 2), 0)
    parts, _ = sparse.csgraph.connected_components(graph.adjacency, directed=False)
    assert parts == min(n, 1)


def test_missing_is_the_share_without_a_location() -> None:
    table = profile_graph(4000, missing=0.25).nodes
    for name in ("location", "topic3"):
        assert abs(table.missing(name).mean() - 0.25) < 0.03
    assert not table.missing("topic1").any()


def test_a_seed_fixes_the_graph() -> None:
    assert profile_graph(200, seed=7).fingerprint == profile_graph(200, seed=7).fingerprint
    assert profile_graph(200, seed=7).fingerprint != profile_graph(200, seed=8).fingerprint


def test_what_makes_no_graph_is_refused() -> None:
    with pytest.raises(ParameterError, match="mean_degree must be at least 0"):
        profile_graph(5, mean_degree=-1)
    with pytest.raises(ParameterError, match="missing must be from 0 to 1"):
        profile_graph(5, missing=2)
    with pytest.raises(UnknownNameError, match="Did you mean small"):
        preset("smal")
