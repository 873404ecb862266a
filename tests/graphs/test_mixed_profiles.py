import numpy as np
import pytest
from drawing import graph_of
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import ParameterError
from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.data.graph import Graph
from sfumato.graphs.attribute_losses import aamil, cdil, dbil
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.graphs.mixed_profiles import mixed_profiles
from sfumato.graphs.neighbourhood_risk import found_neighbourhoods
from sfumato.kernels.mixed_clusters import mixed_clusters, mixed_distance

TREE = Hierarchy((("a", "ab", "all"), ("b", "ab", "all"), ("c", "cd", "all"), ("d", "cd", "all")))
ATTRIBUTES = (
    Attribute(name="age", scale="numeric", decimals=0, storage="integer"),
    Attribute(name="pay", scale="numeric", missing=("-8", "-9")),
    Attribute(name="level", scale="ordinal", categories=("low", "mid", "high")),
    Attribute(name="sex", scale="nominal", categories=("f", "m")),
    Attribute(name="town", scale="nominal", categories=("a", "b", "c", "d"), hierarchy=TREE),
)
NAMES = tuple(a.name for a in ATTRIBUTES)


def people(n, seed, missing=0.1):
    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.integers(18, 80, n).astype(float),
        "pay": rng.lognormal(7, 1, n),
        "level": rng.integers(0, 3, n),
        "sex": rng.integers(0, 2, n),
        "town": rng.integers(0, 4, n),
    }
    gone = {name: rng.random(n) < missing for name in NAMES}
    for attribute in ATTRIBUTES:
        columns[attribute.name] = np.where(
            gone[attribute.name], np.nan if attribute.is_numeric else -1, columns[attribute.name]
        )
    why = np.where(gone["pay"], rng.integers(1, 3, n), 0)
    return Table(Schema(ATTRIBUTES), columns, reasons={"pay": why})


def plain_distance(table, i, j):
    """By the words of the documentation, one column after the other."""
    total = 0.0
    for attribute in ATTRIBUTES:
        values = table[attribute.name]
        absent = np.isnan(values) if attribute.is_numeric else values < 0
        if absent[i] or absent[j]:
            total += absent[i] != absent[j]
        elif attribute.is_numeric:
            total += abs(values[i] - values[j]) / (np.nanmax(values) - np.nanmin(values))
        elif attribute.scale == "ordinal":
            total += abs(float(values[i]) - float(values[j])) / 2
        else:
            total += values[i] != values[j]  # two leaves of a tree are at 1
    return total


def test_distances_are_those_of_the_words():
    table = people(12, 3)
    records = mixed_profiles(table, "", (), NAMES)
    for i in range(12):
        for j in range(12):
            assert mixed_distance(records, i, j) == pytest.approx(plain_distance(table, i, j))


def test_a_place_is_nearer_to_the_one_it_lies_in():
    inner = ATTRIBUTES[4].evolve(
        categories=("a", "b", "c", "d", "ab"), hierarchy=Hierarchy((*TREE.rows, ("ab",) * 2 + ("all",)))
    )
    records = mixed_profiles(Table(Schema([inner]), {"town": [0, 4, 2]}), "", (), ("town",))
    assert [mixed_distance(records, 0, j) for j in range(3)] == [0.0, 0.5, 1.0]


@given(st.integers(1, 6), st.integers(0, 99))
def test_each_cluster_is_a_seed_and_its_nearest(k, seed):
    table = people(25, seed)
    labels = mixed_clusters(mixed_profiles(table, "", (), NAMES), k, False)
    free = list(range(25))
    for cluster in range(25 // k - 1):
        start = free[0]
        far = {i: plain_distance(table, start, i) for i in free if i != start}
        mine = [i for i in free if labels[i] == cluster]
        assert start in mine and len(mine) == k
        assert sorted(far[i] for i in mine if i != start) == pytest.approx(sorted(far.values())[: k - 1])
        free = [i for i in free if i not in mine]
    assert {labels[i] for i in free} == {25 // k - 1}


@given(st.integers(2, 6), st.integers(0, 99), st.sampled_from(["random", "farthest"]))
def test_k_nodes_are_alike_in_all_that_is_released(k, seed, seeds):
    graph = graph_of(40, [(0, 1)]).with_nodes(people(40, seed))
    method = AttributeProtection(
        k=k, seeds=seeds, location="town", topics=("sex",), others=("age", "pay", "level")
    )
    nodes = method.apply(graph, np.random.default_rng(seed)).nodes
    rows = [tuple(map(str, row.values())) for row in nodes.to_arrow(text=True).to_pylist()]
    assert min(map(rows.count, rows)) >= k
    assert nodes.reasons("pay") is None  # which code a missing value had would tell two apart


def test_what_a_cluster_releases():
    columns = {
        "age": [20, 31, np.nan],
        "pay": [1.5, 2.5, 3.5],
        "level": [0, 2, 2],
        "sex": [1, 1, 0],
        "town": [0, 1, -1],
    }
    graph = Graph(Table(Schema(ATTRIBUTES), columns), [(0, 1)])
    nodes = (
        AttributeProtection(k=3, location="", topics=(), others=NAMES)
        .apply(graph, np.random.default_rng(0))
        .nodes
    )
    assert (
        nodes.to_arrow().to_pylist()
        == [{"age": 26, "pay": 2.5, "level": "high", "sex": "m", "town": "ab"}] * 3
    )


def test_losses_of_any_columns_are_nothing_where_nothing_changed():
    graph = graph_of(60, [(i, i + 1) for i in range(59)]).with_nodes(people(60, 1))
    moved = AttributeProtection(k=5, location="", topics=(), others=NAMES).apply(
        graph, np.random.default_rng(0)
    )
    for other, least in ((graph, 0.0), (moved, 0.01)):
        for losses in (
            aamil(graph, other, NAMES),
            cdil(graph, other, NAMES),
            dbil(graph, other, "", (), NAMES),
        ):
            assert set(losses) == set(NAMES)
            assert (sum(losses.values()) > least) == bool(least)
    assert found_neighbourhoods(graph, graph, {"all": NAMES})["all"].all()
    assert found_neighbourhoods(graph, moved, {"all": NAMES})["all"].mean() < 0.5


def test_columns_are_named_once_and_refined_by_location_and_topics_only():
    with pytest.raises(ParameterError, match="must be different columns"):
        AttributeProtection(others=("location",))
    with pytest.raises(ParameterError, match="no column to protect"):
        AttributeProtection(location="", topics=())
    with pytest.raises(ParameterError, match="refined by location and topics only"):
        AttributeProtection(refine=1, others=("age",))
