import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data import Attribute
from sfumato.masking.synthesis.single_values import ENDS, REACH, without_single_values

PAY = Attribute(name="pay", scale="numeric")


def drawn(values, attribute=PAY, seed=0):
    return without_single_values(attribute, np.asarray(values, float), np.random.default_rng(seed))


@given(
    values=st.lists(st.one_of(st.integers(-40, 40), st.just(np.nan)), max_size=60),
    decimals=st.sampled_from([None, 0, 1]),
    seed=st.integers(0, 1000),
)
@settings(max_examples=60)
def test_only_single_values_are_drawn_and_stay_legal(values, decimals, seed):
    old = np.array(values, float)
    attribute = Attribute(name="pay", scale="numeric", decimals=decimals, low=-40, high=40)
    new = drawn(old, attribute, seed)
    np.testing.assert_array_equal(np.isnan(new), np.isnan(old))
    distinct, counts = np.unique(old[~np.isnan(old)], return_counts=True)
    kept = np.isin(old, distinct[counts > 1])
    np.testing.assert_array_equal(new[kept], old[kept])
    present = new[~np.isnan(new)]
    np.testing.assert_array_equal(present, attribute.conform(present))


def test_each_is_drawn_between_its_neighbours_and_is_not_itself():
    old = np.random.default_rng(1).permutation(np.random.default_rng(0).lognormal(7, 1, 80))
    order, new = np.argsort(old), drawn(old)
    assert not np.isin(new, old).any()
    for place in range(ENDS, 80 - ENDS):
        low, high = old[order[place - REACH]], old[order[place + REACH]]
        assert low <= new[order[place]] <= high


@pytest.mark.parametrize("seed", range(5))
def test_the_largest_and_smallest_keep_their_sums_and_do_not_stand_out(seed):
    old = np.sort(np.random.default_rng(seed).lognormal(7, 2, 60))
    new = drawn(old, seed=seed)
    for end in (slice(0, ENDS), slice(-ENDS, None)):
        assert new[end].sum() == pytest.approx(old[end].sum())
    assert new.max() < old.max()  # it lay far from the others, which pulls it to their mean


def test_whole_numbers_do_not_come_back_as_themselves():
    attribute = Attribute(name="pay", scale="numeric", decimals=0)
    old = np.arange(0, 300, 3.0)
    same = np.mean([(drawn(old, attribute, seed) == old).mean() for seed in range(5)])
    assert same < 0.01


@pytest.mark.parametrize("values", [[], [np.nan], [5.0], [np.nan, 5.0, 5.0], [1.0, 2.0]])
def test_few_values(values):
    new = drawn(values)
    assert len(new) == len(values)
    np.testing.assert_array_equal(np.isnan(new), np.isnan(values))
