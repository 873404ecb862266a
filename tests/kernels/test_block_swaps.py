"""Swaps that stay within blocks, by the costs of all swaps."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.swapped_records import case
from sfumato.kernels.block_swaps import Blocks, calibrate_within
from sfumato.kernels.random_draws import state_from


@given(seed=st.integers(0, 10**6), n=st.integers(2, 14), kinds=st.text("nmc", min_size=1, max_size=4))
@settings(max_examples=25)
def test_values_stay_in_their_block_and_the_cost_falls(seed, n, kinds):
    made, rng = case(seed, n=n, kinds=kinds, ban=0.0), np.random.default_rng(seed)
    block = np.unique(rng.integers(0, 3, n), return_inverse=True)[1]
    before = made.cost()
    kept = calibrate_within(*made.parts, made.movable, Blocks.of(block), 300, state_from(seed))
    assert made.cost() <= before + 1e-9 and (kept == 0) == (made.cost() > before - 1e-9)
    np.testing.assert_allclose(made.tables.gap, made.gaps(), atol=1e-9)
    for donors in made.records.donor.T:
        assert sorted(donors) == list(range(n))
        np.testing.assert_array_equal(block[donors], block)
