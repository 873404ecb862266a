"""What plain numpy does for small files is what the compiled kernel does, to the last bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels import fellegi_sunter, moments, pil

seeds = st.integers(0, 2**32)


def with_gaps(rng, shape):
    values = rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4)
    values[rng.random(shape) < rng.choice([0, 0.2, 0.9])] = np.nan
    return values


@given(st.integers(0, 60), st.integers(1, 5), seeds)
def test_moments(n, d, seed):
    rng = np.random.default_rng(seed)
    U, w, centre = with_gaps(rng, (n, d)), rng.random(n), rng.normal(size=d)
    if rng.random() < 0.3:
        U[:, 0] = 7.0
    sums = moments.compiled_pair_sums(U, w)
    np.testing.assert_array_equal(moments.plain_pair_sums(U, w), sums)
    found = moments.plain_statistics(sums, centre)
    np.testing.assert_array_equal(found, moments.compiled_statistics(sums, centre))


@given(st.integers(1, 5), seeds)
def test_losses_of_moments_and_quantiles(d, seed):
    rng = np.random.default_rng(seed)
    old, sd = with_gaps(rng, (4, d, d)), np.abs(rng.normal(size=(4, d, d))) * (rng.random((4, d, d)) < 0.8)
    new = np.where(rng.random(old.shape) < 0.3, old, with_gaps(rng, old.shape))
    expected = pil.compiled_moment_losses(new, old, sd)
    np.testing.assert_array_equal(pil.plain_moment_losses(new, old, sd), expected)
    columns = new[0, 0], old[0, 0], sd[0, 0]
    np.testing.assert_array_equal(pil.plain_losses(*columns), pil.compiled_quantile_losses(*columns))


def test_variations_by_hand():
    old, new = np.array([2.0, 0.0, 0.0, np.nan, np.nan, 1.0]), np.array([3.0, 0.0, 5.0, np.nan, 1.0, np.nan])
    assert moments.variations(old, new, 0.0).tolist() == [0.5, 0, 1, 0, 1, 1]


@given(st.integers(1, 9), seeds)
def test_steps_of_the_expectation(d, seed):
    rng = np.random.default_rng(seed)
    m, u = 0.05 + 0.9 * rng.random((2, d))
    np.testing.assert_array_equal(fellegi_sunter.plain_ratios(m, u), fellegi_sunter.likelihood_ratios(m, u))
    split = (d + 1) // 2
    table = rng.integers(0, 50, (1 << d - split, 1 << split)).astype(float)
    table[rng.random(len(table)) < 0.3] = 0
    low, high = (fellegi_sunter.plain_ratios(m[half], u[half]) for half in (slice(split), slice(split, d)))
    given_all = table, np.flatnonzero(table.sum(axis=1)), low, high, 0.3
    pairs = zip(
        fellegi_sunter.plain_matches(*given_all), fellegi_sunter._expected_matches(*given_all), strict=True
    )
    for plain, compiled in pairs:
        np.testing.assert_array_equal(plain, compiled)
    found = fellegi_sunter.plain_sums(low, high, d)
    np.testing.assert_array_equal(found, fellegi_sunter._by_attribute(low, high, d))
