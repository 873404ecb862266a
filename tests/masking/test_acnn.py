import math

import numpy as np
import pytest
from grouping import table_of
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core import DataError
from sfumato.masking import Acnn, Mdav
from sfumato.masking.acnn import (
    MOST,
    NOTHING,
    _first_associations,
    associated_clusters,
    characteristic_labels,
    small_joined,
)


def literal(X, cycles, tolerance):
    """Algorithm 11, steps 1 to 12, sum by sum."""
    n, mean = len(X), X.mean(axis=0)
    alpha = math.sqrt(n) / (sum(((x - mean) ** 2).sum() for x in X) / n)
    a = [[math.exp(-((x - z) ** 2).sum() / alpha) for z in X] for x in X]
    for _ in range(cycles):
        y = [[0.0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                for p in range(n):
                    if i != j and p not in (i, j) and a[i][p] > 0 and a[p][j] > 0:
                        y[i][j] += a[i][p] * a[p][j]
        new = [[1.0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                if i != j:
                    theta = sum(y[p][i] + y[p][j] for p in range(n)) / (2 * (n - 1))
                    e = math.exp(y[i][j] - theta)
                    new[i][j] = (e - 1) / (e + 1)
        change = sum(abs(new[i][j] - a[i][j]) for i in range(n) for j in range(n))
        a = new
        if change <= tolerance * n * n:
            break
    return np.array(a) > NOTHING


@pytest.mark.parametrize("seed", range(6))
def test_the_network_equals_its_twin(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(14, 2)) + 3 * rng.integers(0, 3, (14, 1))
    np.testing.assert_array_equal(associated_clusters(X, 5, 1e-9), characteristic_labels(literal(X, 5, 1e-9)))


def test_first_associations_do_not_hang_on_how_they_are_computed():
    X = np.random.default_rng(0).normal(size=(250, 3))
    few = np.exp(
        -((X[:, None] - X) ** 2).sum(axis=2) * ((X - X.mean(axis=0)) ** 2).sum(axis=1).mean() / np.sqrt(250)
    )
    np.testing.assert_allclose(_first_associations(X), few)


def test_clusters_that_stand_apart_are_found():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(10, 2)) * 0.1 + centre for centre in ([0, 0], [9, 0], [0, 9])])
    labels = associated_clusters(X, 50, 1e-9)
    assert [len(set(labels[part])) for part in (slice(0, 10), slice(10, 20), slice(20, 30))] == [1, 1, 1]
    assert len(set(labels)) == 3


def test_small_clusters_join_the_nearest_large_one():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [9.0], [3.0]])
    labels = np.array([0, 0, 0, 1, 1, 1, 2, -1])
    assert small_joined(X, labels, 3).tolist() == [0, 0, 0, 1, 1, 1, 1, 0]
    assert small_joined(X, labels, 4).tolist() == [0] * 8


@given(st.integers(4, 30), st.integers(2, 5), st.integers(0, 9))
@settings(max_examples=40)
def test_groups_hold_k_to_2k_minus_1_records(n, k, seed):
    X = np.random.default_rng(seed).integers(0, 4, (n, 2)).astype(float)
    if n >= 2 * k:
        partition = Acnn(k=k).partition(table_of(X), np.random.default_rng(0))
        assert k <= partition.smallest <= partition.largest < 2 * k


def test_without_any_cluster_it_is_mdav():
    X = np.random.default_rng(0).permutation(61)[:, None] * 1e3
    assert (associated_clusters(X, 50, 1e-6) == -1).all()
    acnn, mdav = (method(k=3).group(X, np.random.default_rng(0)) for method in (Acnn, Mdav))
    np.testing.assert_array_equal(acnn, mdav)


def test_too_many_records_are_refused():
    with pytest.raises(DataError, match="takes at most"):
        Acnn(k=3).group(np.zeros((MOST + 1, 1)), np.random.default_rng(0))
