import naive_categories as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_tables import keys, pairs

from sfumato.kernels.c_median import c_medians, farthest_first
from sfumato.measures import Clustering
from sfumato.measures.clustering import _similarities


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_similarities(labels):
    a, b = np.array(labels).T
    found = _similarities(a, b, None)
    assert tuple(found.values()) == pytest.approx(naive.partition_similarities(a, b))


def test_wallace_is_symmetric_in_the_source():
    # two clusters of two against one of four: r = 2, s = 0, t = 4, u = 0
    found = _similarities(np.array([0, 0, 1, 1]), np.zeros(4, int), None)
    assert found == pytest.approx({"rand": 2 / 6, "jaccard": 2 / 6, "wallace": 2 / np.sqrt(2 * 6)})


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32), c=st.integers(1, 4))
def test_c_medians_against_the_twin(seed, c):
    rng = np.random.default_rng(seed)
    n, nominal = 15, np.array([False, True, False])
    X = rng.integers(0, 4, (n, 3)).astype(float)
    X[rng.random((n, 3)) < 0.15] = np.nan
    scales = np.array([1.0, 1.0, 0.25])
    start = X[farthest_first(X, c, 0, nominal, scales)]
    labels, centroids, total = c_medians(X, start, nominal, scales, np.ones(n))

    def plain(rows):
        return [[None if np.isnan(v) else v for v in row] for row in rows.tolist()]

    assert labels.tolist() == naive.c_median_labels(plain(X), plain(start), nominal, scales)
    assert centroids.shape == start.shape
    assert total >= 0


def test_weights_are_repeated_records():
    rng = np.random.default_rng(1)
    X, weights = rng.integers(0, 9, (20, 2)).astype(float), rng.integers(1, 4, 20)
    nominal, scales = np.array([False, True]), np.ones(2)
    labels, centroids, total = c_medians(X, X[:3], nominal, scales, weights.astype(float))
    many = c_medians(np.repeat(X, weights, axis=0), X[:3], nominal, scales, np.ones(weights.sum()))
    assert np.array_equal(np.repeat(labels, weights), many[0])
    assert np.array_equal(centroids, many[1])
    assert total == pytest.approx(many[2])


def test_clear_clusters_survive_a_little_noise():
    rng = np.random.default_rng(2)
    centre = np.repeat([0.0, 100.0, 200.0], 30)
    original = keys({"x": "numeric"}, {"x": centre + rng.normal(size=90)})
    bound = Clustering(c=3).bind(original)
    assert bound.score(original.replace({"x": original["x"] + rng.normal(size=90)})).value == 0
    mixed = bound.score(original.replace({"x": rng.permutation(original["x"])}))
    assert mixed.value > 40
    assert set(mixed.parts) == {"rand", "jaccard", "wallace"}


def test_recoded_ordinal_categories_are_the_middle_of_what_they_cover():
    original = keys({"u": ("ordinal", "abcdef")}, {"u": [0, 1, 2, 3, 4, 5]})
    halves = original.schema["u"].evolve(
        categories=("low", "high"), covers={"low": tuple("abc"), "high": tuple("def")}
    )
    masked = original.replace({"u": np.array([0, 0, 0, 1, 1, 1])}, [halves])
    assert Clustering(c=2).bind(original).score(masked).value == 0


@settings(max_examples=30, deadline=None)
@given(pairs(), st.integers(2, 5))
def test_random_tables(pair, c):
    bound = Clustering(c=c).bind(pair[0])
    assert 0 <= bound.score(pair[1]).value <= 100
    assert bound.score(pair[0]).value == 0


def test_of_several_starts_the_nearest_partition_counts():
    """§5.4.3 of the thesis: the best of 20; they never leave records farther from their centroids than the first does."""
    rng = np.random.default_rng(3)
    original = keys(
        {"a": ("ordinal", "abcdefgh"), "b": ("ordinal", "abcdefgh")},
        {"a": rng.integers(0, 8, 60), "b": rng.integers(0, 8, 60)},
    )
    totals = []
    for runs in (1, 5, 20):
        bound = Clustering(c=4, runs=runs).bind(original)
        X, _, amounts = bound._records(original)
        totals.append(c_medians(X, bound.start, bound.nominal, bound.scales, amounts)[2])
        assert bound.score(original).value == 0
    assert max(totals[1:]) <= totals[0]
