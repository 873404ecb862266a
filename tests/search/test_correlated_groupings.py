"""The two recipes for groups by correlation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.search.grouping.correlated_groupings import by_recipe, correlated, likeness_of, uncorrelated
from sfumato.search.grouping.groupings import count, members


def pairs(seed=0, n=200, couples=3):
    """Attributes in pairs that go along with each other: 0 and 1, 2 and 3, …"""
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(n, couples)), 2, axis=1)
    return X + 0.1 * rng.normal(size=X.shape)


def test_pairs_come_together_or_apart():
    X = pairs()
    assert members(by_recipe("correlated 2", X)) == ((0, 1), (2, 3), (4, 5))
    for group in members(by_recipe("uncorrelated 3", X)):
        assert sorted(j // 2 for j in group) == [0, 1, 2]
    assert by_recipe("staff wages", X) is None


@given(size=st.integers(1, 7), n=st.integers(1, 9), seed=st.integers(0, 99))
def test_groups_are_no_larger_than_asked_and_as_few_as_can_be(size, n, seed):
    likeness = np.abs(np.corrcoef(np.random.default_rng(seed).normal(size=(5, n)), rowvar=False)).reshape(
        n, n
    )
    for recipe in (correlated, uncorrelated):
        found = recipe(likeness, size)
        assert len(found) == n and count(found) == -(-n // size)
        assert max(map(len, members(found))) <= size


def test_columns_without_variation_or_values_are_like_nothing():
    X = np.array([[1.0, 1, np.nan], [1, 2, 5], [1, 3, 7]])
    likeness = likeness_of(X)
    assert likeness[0, 1:].tolist() == [0, 0] and likeness[1, 2] == pytest.approx(1)
