import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masking.synthesis.surveyed import FREE, survey
from sfumato.masking.synthesis.trees import _dealt, drawn_by_trees


@given(
    n=st.integers(1, 90),
    seed=st.integers(0, 10**6),
    leaf=st.sampled_from([1, 10, 80]),
    missing=st.sampled_from([0.0, 0.5]),
    fixed=st.lists(st.sampled_from(FREE), unique=True, max_size=3),
)
@settings(max_examples=20)
def test_each_record_gives_each_value_once(n, seed, leaf, missing, fixed):
    table = survey(n, seed=seed, missing=missing)
    donors = drawn_by_trees(table, FREE, fixed, leaf, np.random.default_rng(seed))
    for j, name in enumerate(FREE):
        column = donors[:, j] if name in fixed else np.sort(donors[:, j])
        np.testing.assert_array_equal(column, np.arange(n))


def test_values_come_from_their_leaf_as_far_as_there_are_any():
    """Twin: of each leaf as many are dealt within it as both sides have."""
    table, rng = survey(120), np.random.default_rng(1)
    leaves, new = rng.integers(0, 4, 120), np.minimum(rng.geometric(0.5, 120) - 1, 3)
    donors = _dealt(table, "income", leaves, new, rng)
    np.testing.assert_array_equal(np.sort(donors), np.arange(120))
    within = sum(min((leaves == leaf).sum(), (new == leaf).sum()) for leaf in range(4))
    assert within < 120
    assert (leaves[donors] == new).sum() >= within


@pytest.mark.parametrize(("leaf", "related"), [(1, 0.9), (20, 0.7), (150, 0.3)])
def test_smaller_leaves_keep_relations_closer(leaf, related):
    rng = np.random.default_rng(0)
    table = survey(150, missing=0.0).replace({"rent": np.arange(150.0), "food": np.arange(150.0)})
    donors = drawn_by_trees(table, ("rent", "food"), (), leaf, rng)
    told = np.corrcoef(donors[:, 0], donors[:, 1])[0, 1]
    assert told > related if leaf < 150 else abs(told) < related


def test_a_stream_fixes_the_draw():
    table = survey(80)
    one, same, other = (
        drawn_by_trees(table, FREE, (), 10, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).mean() > 0.9
