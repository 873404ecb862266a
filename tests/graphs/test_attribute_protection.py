"""Algorithms 13 and 14 of Marés' thesis."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from profile_examples import COLUMNS, example, people, random_graph

from sfumato.core import DataError, ParameterError
from sfumato.data.graph import Graph
from sfumato.data.places import Places
from sfumato.graphs.attribute_protection import AttributeProtection
from sfumato.graphs.profile_distances import Branches
from sfumato.kernels.profile_refinement import cluster_cost

NAMES = ("location", *COLUMNS)


def rows(graph):
    """Every profile as names; None where a value is missing."""
    return list(zip(*(graph.nodes.to_arrow()[name].to_pylist() for name in NAMES), strict=True))


def slow_aggregate(profiles):
    """The closest common ancestor by branches, and Borda's votes by a counter."""
    places = Places.shipped()
    branches = [places.branch(profile[0]) for profile in profiles if profile[0]]
    common = [place for place in branches[0] if all(place in b for b in branches)] if branches else [None]
    votes = Counter()
    for profile in profiles:
        for weight, topic in zip((3, 2, 1), profile[1:], strict=True):
            if topic:
                votes[topic] += weight
    top = [topic for topic, _ in votes.most_common(3)]
    return (common[0], *top, *[None] * (3 - len(top)))


def slow_clusters(graph, k, order, *, farthest=False, one_way=False):
    """A seed and its nearest, by sorting all distances; seeds are the first free nodes, or far ones."""
    topics = graph.nodes.codes(COLUMNS)
    branches = Branches.of(graph.nodes.schema["location"])
    places = graph.nodes["location"]

    def apart(i, place, wanted):
        differing = int((topics[i] != wanted).sum())
        steps = branches.between(np.array([places[i]]), np.array([place]))[0]
        if one_way and place >= 0 and places[i] >= 0 and places[i] not in branches.paths[place]:
            steps = 1.0
        return differing, round(7 * steps)

    left, labels, seed = list(order), np.empty(graph.n, int), -1
    for cluster in range(graph.n // k - 1):
        here = left[0]
        if farthest:
            place, wanted = (
                (places[seed], topics[seed])
                if cluster % 2
                else (int(branches.paths[0, -1]), slow_favourites(topics[left]))
            )
            by_topics = sorted(left, key=lambda i: tuple(topics[i]))
            here = max(by_topics, key=lambda i, p=place, w=wanted: apart(i, p, w))
        seed = here
        others = sorted((i for i in left if i != seed), key=lambda i, s=seed: apart(i, places[s], topics[s]))
        chosen = [seed, *others[: k - 1]]
        labels[chosen] = cluster
        left = [i for i in left if i not in chosen]
    labels[left] = graph.n // k - 1
    return labels


def slow_favourites(topics):
    """The topics with most votes; of equal ones those listed first."""
    votes = np.zeros(6)
    for row in topics:
        for weight, topic in zip((3, 2, 1), row, strict=True):
            if topic >= 0:
                votes[topic] += weight
    return np.argsort(-votes, kind="stable")[:3]


def dbil(graph, released):
    """Eq. 6.7, cell by cell."""
    before, after = rows(graph), rows(released)
    places = Branches.of(released.nodes.schema["location"])
    total = 0.0
    for old, new in zip(before, after, strict=True):
        total += sum(a != b for a, b in zip(old[1:], new[1:], strict=True))
        total += places.distance(old[0], new[0]) if old[0] and new[0] else float(old[0] != new[0])
    return total / (4 * graph.n)


def test_the_example_of_the_source():
    """Figures 6.3 and 6.5: three users become United States, Technology, Politics, Sports."""
    released = AttributeProtection(k=3).apply(example(), np.random.default_rng(0))
    assert rows(released) == [("United States", "Technology", "Politics", "Sports")] * 3
    assert np.array_equal(released.edges, example().edges)


@pytest.mark.parametrize(
    ("places", "common"),
    [(("Brooklyn", "Washington DC"), "United States"), (("Manhattan", "Central Park"), "New York City")],
)
def test_closest_common_ancestors_of_the_source(places, common):
    graph = Graph(people([(place, "Sports", "", "") for place in places]), [(0, 1)])
    released = AttributeProtection(k=2).apply(graph, np.random.default_rng(0))
    assert rows(released) == [(common, "Sports", None, None)] * 2


@pytest.mark.parametrize("seeds", ["random", "farthest"])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 7])
def test_clusters_are_those_of_the_slow_twin(k, seeds):
    graph = random_graph(61, seed=k)
    labels = AttributeProtection(k=k, seeds=seeds).clusters(graph, np.random.default_rng(4))
    order = np.random.default_rng(4).permutation(61)
    assert np.array_equal(labels, slow_clusters(graph, k, order, farthest=seeds == "farthest"))
    assert np.bincount(labels)[-1] == k + 61 % k


@pytest.mark.parametrize("seeds", ["random", "farthest"])
def test_clusters_by_the_distance_as_printed_are_those_of_the_slow_twin(seeds):
    """Eq. 6.1 to the letter: a seed is near to the places it lies in alone."""
    graph = random_graph(200, seed=3)
    order = np.random.default_rng(4).permutation(200)
    both, one_way = (
        AttributeProtection(k=4, seeds=seeds, one_way=how).clusters(graph, np.random.default_rng(4))
        for how in (False, True)
    )
    assert np.array_equal(one_way, slow_clusters(graph, 4, order, farthest=seeds == "farthest", one_way=True))
    assert not np.array_equal(one_way, both)
    with pytest.raises(ParameterError, match="one_way is for clusters of a location and topics"):
        AttributeProtection(one_way=True, refine=2)


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(1, 60),
    k=st.integers(1, 9),
    seeds=st.sampled_from(["random", "farthest"]),
    refine=st.sampled_from([0, 3]),
    seed=st.integers(0, 99),
)
def test_every_profile_is_shared_by_k_and_is_that_of_its_cluster(n, k, seeds, refine, seed):
    graph = random_graph(n, seed, missing=0.3)
    method = AttributeProtection(k=k, seeds=seeds, refine=refine)
    if n < k:
        with pytest.raises(DataError, match=f"needs at least {k} nodes"):
            method.apply(graph, np.random.default_rng(seed))
        return
    labels = method.clusters(graph, np.random.default_rng(seed))
    assert np.bincount(labels).min() >= k
    assert np.bincount(labels).max() < 2 * k
    released = method.apply(graph, np.random.default_rng(seed))
    before, after = rows(graph), rows(released)
    for cluster in range(labels.max() + 1):
        inside = np.flatnonzero(labels == cluster)
        assert {after[i] for i in inside} == {slow_aggregate([before[i] for i in inside])}
    assert min(Counter(after).values()) >= k
    assert np.array_equal(released.edges, graph.edges)


def test_refinement_lowers_the_distance_to_what_is_released():
    graph = random_graph(300, 3)
    losses = [
        dbil(graph, AttributeProtection(k=5, refine=refine).apply(graph, np.random.default_rng(1)))
        for refine in (0, 2, 60)
    ]
    assert losses[0] >= losses[1] >= losses[2]
    assert losses[2] < 0.97 * losses[0]


def test_the_cost_of_clusters_is_the_distance_to_what_they_release():
    graph = random_graph(83, 2, missing=0.2)
    method = AttributeProtection(k=4)
    labels = method.clusters(graph, np.random.default_rng(0))
    branches = Branches.of(graph.nodes.schema["location"])
    profiles = graph.nodes.codes(NAMES)
    costs = [
        cluster_cost(
            profiles, np.flatnonzero(labels == c), branches.paths, branches.levels, np.zeros(6, np.int64)
        )
        for c in range(labels.max() + 1)
    ]
    assert sum(costs) == pytest.approx(7 * 4 * graph.n * dbil(graph, method.released(graph, labels)))


def test_farthest_seeds_begin_with_a_far_profile():
    """All but one are alike: the odd one is farthest from their aggregate, and gets the first cluster."""
    profiles = [("Brooklyn", "Sports", "Politics", "Culture")] * 9 + [
        ("Brooklyn", "Weather", "Religion", "Sports")
    ]
    graph = Graph(people(profiles), [(0, 1)])
    labels = AttributeProtection(k=2, seeds="farthest").clusters(graph, np.random.default_rng(0))
    assert labels[9] == 0


def test_columns_must_differ_and_be_there():
    with pytest.raises(ParameterError, match="must be different columns"):
        AttributeProtection(topics=("a", "a"))
    with pytest.raises(LookupError, match="job"):
        AttributeProtection(topics=("job",)).apply(example(), np.random.default_rng(0))


def test_one_seed_fixes_the_release():
    graph = random_graph(100, 5)
    one, same, other = (
        AttributeProtection(k=4, refine=2).apply(graph, np.random.default_rng(s)).fingerprint
        for s in (1, 1, 2)
    )
    assert one == same != other
