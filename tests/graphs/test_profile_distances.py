import numpy as np
import pytest
from profile_examples import random_graph

from sfumato.core import DataError
from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.data.places import LEVELS, Places
from sfumato.graphs.profile_distances import Branches, Topics, common_codes, topic_distance, with_places
from sfumato.kernels.profile_distances import place_distances


@pytest.fixture(scope="module")
def branches():
    return Branches.of(Places.shipped().attribute())


def slow_distance(places, one, other):
    """Eq. 6.1 by the branches themselves."""
    if other in places.branch(one) or one in places.branch(other):
        return abs(places[one].level - places[other].level) / max(LEVELS.values())
    return 1.0


def test_the_distances_that_the_source_gives(branches):
    assert branches.distance("Brooklyn", "United States") == 5 / 7
    assert branches.distance("New York City", "Washington DC") == 1.0


def test_distances_are_those_of_the_branches(branches):
    places = Places.shipped()
    count = range(len(branches.names))
    rows = [place_distances(branches.paths, branches.levels, place, False) for place in count]
    table = np.array(rows)[:, :-1] / branches.scale
    assert branches.names == places.names
    assert branches.levels.tolist() == [places[name].level for name in places.names]
    some = np.random.default_rng(0).integers(0, len(places), (3000, 2))
    for one, other in [*some.tolist(), *([i, i] for i in range(50))]:
        expected = slow_distance(places, places.names[one], places.names[other])
        assert table[one, other] == expected
    assert np.array_equal(branches.between(*some.T), table[some[:, 0], some[:, 1]])
    assert np.array_equal(table, table.T)
    assert table.diagonal().max() == 0


def test_one_way_only_the_places_that_one_lies_in_are_near(branches):
    """Eq. 6.1 to the letter: 1 unless the second lies on the branch of the first."""
    assert branches.distance("Brooklyn", "United States", one_way=True) == 5 / 7
    assert branches.distance("United States", "Brooklyn", one_way=True) == 1.0
    places = Places.shipped()
    for one, other in np.random.default_rng(1).integers(0, len(places), (2000, 2)).tolist():
        here, there = places.names[one], places.names[other]
        steps = abs(places[here].level - places[there].level) / max(LEVELS.values())
        expected = steps if there in places.branch(here) else 1.0
        assert place_distances(branches.paths, branches.levels, one, True)[other] / branches.scale == expected


def test_missing_places_are_alike(branches):
    assert branches.between(np.array([-1, -1, 3]), np.array([-1, 3, -1])).tolist() == [0, 1, 1]


def test_a_place_needs_a_hierarchy_with_one_root():
    flat = Attribute(name="town", scale="nominal", categories=("a", "b"))
    with pytest.raises(DataError, match="town: a location needs categories with a hierarchy"):
        Branches.of(flat)
    with pytest.raises(DataError, match="must end in one root"):
        Branches.of(flat.evolve(hierarchy=Hierarchy((("a", "x"), ("b", "y")))))
    with pytest.raises(DataError, match="no path for category 'b'"):
        Branches.of(flat.evolve(hierarchy=Hierarchy((("a", "x"),))))


def test_ancestors_become_categories_that_cover_what_lies_in_them():
    tree = Hierarchy((("a", "x", "all"), ("b", "x", "all"), ("c", "y", "all")))
    town = Attribute(name="town", scale="nominal", categories=("a", "b", "c"), hierarchy=tree)
    branches = Branches.of(town)
    wider = with_places(
        town, branches, np.array([branches.names.index("x"), 0, -1, branches.names.index("all")])
    )
    assert wider.categories == ("a", "b", "c", "x", "all")
    assert wider.covers == {"x": ("a", "b"), "all": ("a", "b", "c")}
    again = Branches.of(wider)
    assert again.distance("a", "x") == branches.distance("a", "x") == 0.5
    assert with_places(town, branches, np.array([0, 1])) is town


def test_topics_are_alike_or_not():
    graph = random_graph(30)
    topics = Topics.of(graph.nodes, ("topic1", "topic2", "topic3"))
    assert np.array_equal(topics.codes, graph.nodes.codes(("topic1", "topic2", "topic3")))
    assert topic_distance(topics.codes[:, 0], topics.codes[:, 0]).max() == 0


def test_codes_of_two_tables_are_those_of_one_list():
    def table(scale, values, categories=()):
        return Table(
            Schema([Attribute(name="x", scale=scale, categories=tuple(categories))]), {"x": np.array(values)}
        )

    one, other = table("nominal", [0, 1, -1], "ab"), table("nominal", [0, 1, 0], "bc")
    assert [codes.tolist() for codes in common_codes(one, other, "x")] == [[0, 1, -1], [1, 2, 1]]
    numbers = table("numeric", [3.0, 1.0, 3.0])
    first, second = common_codes(numbers, numbers, "x")
    assert first.tolist() == second.tolist() and first[0] == first[2] != first[1]
    for pair in ((one, numbers), (numbers, one)):
        with pytest.raises(DataError, match="Column x: it must be numeric in both graphs, or in none"):
            common_codes(*pair, "x")
