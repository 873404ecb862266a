import numpy as np
import pytest
from grouping import labels_sse, least_sse, table_of
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato import datasets
from sfumato.core import ParameterError
from sfumato.masking import Mdav, lower_bound

small = st.integers(-9, 9).map(float)
few_records = arrays(float, st.tuples(st.integers(2, 9), st.integers(1, 2)), elements=small)


@given(few_records, st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_no_partition_goes_below(X, k):
    if len(X) < k:
        return
    neighbours, degree = lower_bound(X, k, how="neighbours"), lower_bound(X, k)
    assert neighbours <= degree + 1e-9
    assert degree <= least_sse(X, k) * (1 + 1e-9) + 1e-9


def test_far_pairs_left_out_change_nothing():
    X = np.random.default_rng(0).normal(size=(60, 2))
    assert lower_bound(X, 3) <= labels_sse(X, Mdav(k=3).group(X, np.random.default_rng(0)))
    assert lower_bound(X, 3) == pytest.approx(dense_degree_bound(X, 3), rel=1e-6)


def dense_degree_bound(X, k):
    """The degree program with every pair."""
    from scipy.optimize import linprog

    i, j = np.triu_indices(len(X), 1)
    degrees = np.zeros((len(X), len(i)))
    degrees[i, np.arange(len(i))] = degrees[j, np.arange(len(i))] = -1
    costs = ((X[i] - X[j]) ** 2).sum(axis=1)
    return linprog(costs, A_ub=degrees, b_ub=np.full(len(X), -(k - 1) / k), bounds=(0, 1 / k)).fun


def test_a_partition_says_what_is_unavoidable():
    table = table_of(np.random.default_rng(0).normal(size=(60, 2)))
    rng = np.random.default_rng(0)
    assert Mdav(k=3).partition(table, rng).lower_bound is None
    partition = Mdav(k=3).partition(table, rng, bound="degree")
    assert 0 < partition.lower_bound < partition.il
    assert f"at least {partition.lower_bound:.4g} % is unavoidable" in str(partition)
    assert partition.to_dict()["lower_bound"] == partition.lower_bound


def test_strata_and_missing_values(mixed):
    table, rng = mixed(80, strata=True, missing=0), np.random.default_rng(0)
    partition = Mdav(k=3).partition(table, rng, bound="degree")
    assert 0 < partition.lower_bound < partition.il
    assert Mdav(k=3).partition(mixed(80), rng, bound="degree").lower_bound is None


def test_unknown_bounds_are_refused():
    with pytest.raises(ParameterError, match=r"how must be one of neighbours, degree. Got 'best'"):
        lower_bound(np.zeros((9, 1)), 3, how="best")


@pytest.mark.classic
def test_census_is_bounded_to_nine_tenths():
    partition = Mdav(k=3).partition(datasets.load("census"), np.random.default_rng(0), bound="degree")
    assert 4.14 < partition.lower_bound < 4.668
