from itertools import combinations, product

import numpy as np
import pytest
from grouping import labels_sse, least_sse, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.masking import Approx, make_masking
from sfumato.masking._pairs_and_triples import lightest_factor, stars
from sfumato.masking.approx import MOST


def lightest_by_trying_all(X):
    """Every set of edges of a few records that gives each one or two."""
    n = len(X)
    edges = list(combinations(range(n), 2))
    best = np.inf
    for chosen in product([0, 1], repeat=len(edges)):
        taken = [edge for edge, one in zip(edges, chosen, strict=True) if one]
        degree = np.bincount(np.array(taken, int).ravel(), minlength=n)
        if degree.min() >= 1 and degree.max() <= 2:
            best = min(best, sum(((X[i] - X[j]) ** 2).sum() for i, j in taken))
    return best


@pytest.mark.parametrize("seed", range(4))
def test_the_factor_is_the_lightest_of_all(seed):
    X = np.random.default_rng(seed).normal(size=(5, 2))
    edges, weight = lightest_factor(X)
    assert weight == pytest.approx(lightest_by_trying_all(X))
    degree = np.bincount(edges.ravel(), minlength=5)
    assert degree.min() >= 1 and degree.max() <= 2


@given(st.integers(4, 9), st.integers(0, 99))
@settings(max_examples=30)
def test_at_most_twice_the_least_and_the_bound_is_true(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) if seed % 2 else rng.integers(0, 4, (n, 2)).astype(float)
    labels, bound = Approx(k=2, tight=True).solve(X, rng)
    least, ours = least_sse(X, 2), labels_sse(X, labels)
    sizes = np.bincount(labels)
    assert sizes.min() >= 2 and sizes.max() <= 3
    assert bound <= least + 1e-9
    assert ours <= 2 * least + 1e-9


def test_chains_of_near_records_are_far_from_all_edges():
    """Edges that are not among those of the nearest records are found by their prices."""
    X = np.concatenate([np.zeros((11, 1)), [[1.0], [50.0]]])
    partition = make_masking("2-approximation(standardise=none)").partition(
        table_of(X), np.random.default_rng(0)
    )
    assert partition.largest <= 3
    assert len(set(partition.labels[[11, 12]])) == 1


@pytest.mark.parametrize("standardise", ["none", "zscore"])
def test_copies_and_very_large_numbers(standardise):
    """Where all near records are the same few, there still is a graph."""
    X = np.concatenate([np.zeros((40, 2)), np.full((5, 2), 1e9), np.full((1, 2), -1e9)])
    partition = Approx(k=2, tight=True, standardise=standardise).partition(
        table_of(X), np.random.default_rng(0)
    )
    assert 2 <= partition.smallest <= partition.largest <= 3


def test_edges_between_two_rows_of_two_edges_go():
    """A path of five and a cycle of three."""
    path = np.array([[0, 1], [1, 2], [2, 3], [3, 4]])
    assert stars(path, np.array([1.0, 2.0, 3.0, 1.0]), 5).tolist() == [0, 0, 0, 1, 1]
    assert stars(np.array([[0, 1], [0, 2], [1, 2]]), np.array([3.0, 1.0, 2.0]), 3).tolist() == [0, 0, 0]


def test_other_sizes_are_grouped_as_without():
    X = np.random.default_rng(0).normal(size=(30, 2))
    one, other = (Approx(k=3, tight=tight).group(X, np.random.default_rng(0)) for tight in (False, True))
    np.testing.assert_array_equal(one, other)


def test_too_many_records_are_refused():
    with pytest.raises(DataError, match="takes at most"):
        Approx(k=2, tight=True).group(np.zeros((MOST + 1, 1)), np.random.default_rng(0))
