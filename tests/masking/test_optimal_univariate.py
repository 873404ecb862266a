import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_lines as naive
from sfumato import datasets
from sfumato.kernels.optimal_univariate import line_groups
from sfumato.masking import Kward, Mdav, OptimalUnivariate, SingleAxis

numbers = st.lists(st.integers(-9, 9).map(float), min_size=4, max_size=9)


@given(numbers, st.integers(2, 4))
def test_no_partition_of_a_single_attribute_loses_less(values, k):
    X = np.sort(values)[:, None]
    if len(X) >= k:
        assert naive.loss(X, line_groups(X, k)) == pytest.approx(naive.least_loss(X, k), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [2, 3])
def test_no_cut_of_a_line_of_records_loses_less(seed, k):
    X = np.random.default_rng(seed).normal(size=(13, 3))
    cuts = [np.repeat(np.arange(len(sizes)), sizes) for sizes in naive.runs(len(X), k)]
    labels = line_groups(X, k)
    assert np.all(np.diff(labels) >= 0)
    assert naive.loss(X, labels) == pytest.approx(min(naive.loss(X, cut) for cut in cuts))


def test_far_from_zero_no_digit_is_lost():
    X = np.sort(np.random.default_rng(0).normal(size=200))[:, None]
    np.testing.assert_array_equal(line_groups(X, 4), line_groups(np.round(X, 6) + 2.0**24, 4))


@given(numbers, st.integers(2, 4))
def test_other_methods_lose_as_much_or_more(values, k):
    X = np.array(values)[:, None]
    if len(X) < 2 * k:
        return
    rng = np.random.default_rng(0)
    best = naive.loss(X, OptimalUnivariate(k=k).group(X, rng))
    for other in (Kward(k=k), SingleAxis(k=k), Mdav(k=k)):
        assert naive.loss(X, other.group(X, rng)) >= best - 1e-9


@pytest.mark.classic("census")
def test_census_attributes_lose_less_than_by_k_ward():
    census, rng = datasets.census(), np.random.default_rng(0)
    for name in census.names:
        optimal = OptimalUnivariate(k=3, attributes=(name,)).partition(census, rng)
        assert 3 <= optimal.smallest <= optimal.largest <= 5
        assert optimal.il <= Kward(k=3, attributes=(name,)).partition(census, rng).il
