import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_lines as naive
from sfumato import datasets
from sfumato.kernels.ward import sorted_ward_groups, ward_groups
from sfumato.masking import Kward, Kwd

value = st.one_of(st.integers(-9, 9).map(float), st.floats(-100, 100), st.floats(0, 12).map(np.exp))


@given(st.lists(value, min_size=4, max_size=70), st.integers(2, 6))
@settings(max_examples=80)
def test_groups_are_those_of_k_ward(values, k):
    X = np.sort(values)[:, None]
    if len(X) >= 2 * k:
        all_pairs, neighbours = ward_groups(X, k)[0], sorted_ward_groups(X, k)[0]
        assert naive.loss(X, neighbours) == pytest.approx(naive.loss(X, all_pairs), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_those_of_k_ward_also_where_full_groups_stand_between(seed):
    rng = np.random.default_rng(seed)
    X = np.sort(rng.lognormal(sigma=2.5, size=400))[:, None]
    for k in (2, 3, 7, 20):
        assert naive.as_sets(ward_groups(X, k)[0]) == naive.as_sets(sorted_ward_groups(X, k)[0])


@pytest.mark.classic
@pytest.mark.parametrize("classic", ["tarragona", "census"])
@pytest.mark.parametrize("axis", ["first_component", "sum_of_zscores"])
def test_same_loss_as_k_ward_at_a_hundredth_of_the_distances(classic, axis):
    table, rng = datasets.load(classic), np.random.default_rng(0)
    short, long = Kwd(k=3, axis=axis), Kward(k=3, axis=axis)
    np.testing.assert_array_equal(short.partition(table, rng).labels, long.partition(table, rng).labels)
    assert short.recursion(table).merges == long.recursion(table).merges
    assert short.recursion(table).distances < long.recursion(table).distances / 100


@pytest.mark.classic
@pytest.mark.parametrize("classic", ["tarragona", "census"])
def test_same_loss_as_k_ward_for_every_attribute(classic):
    """Table 3.3 of the source: the losses of kWD and k-Ward are the same; ours are by the groups."""
    table, rng = datasets.load(classic), np.random.default_rng(0)
    for name in table.names:
        short, long = Kwd(k=3, attributes=(name,)), Kward(k=3, attributes=(name,))
        assert short.partition(table, rng).il == pytest.approx(long.partition(table, rng).il, rel=1e-12)


def test_a_long_file_takes_few_distances_for_each_record():
    X = np.sort(np.random.default_rng(0).normal(size=20000))[:, None]
    assert sorted_ward_groups(X, 5)[1] < 20 * len(X)
    constant = np.zeros((20000, 1))
    assert sorted_ward_groups(constant, 5)[1] < 20 * len(constant)
