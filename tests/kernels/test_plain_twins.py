"""What plain numpy does for small files is what the compiled kernel does, to the last bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels import box_tree, c_median, candidate_counts, fellegi_sunter, moments, pil

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


@given(st.integers(1, 70), st.integers(1, 4), st.sampled_from([1, 2, 12]), seeds)
def test_trees_of_boxes(n, d, leaf, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, d)).astype(float) if seed % 2 else rng.normal(size=(n, d))
    X[rng.random((n, d)) < rng.choice([0, 0.3])] = np.nan
    if seed % 3 == 0:
        X[:, 0] = np.nan
    scales = np.linspace(0.5, 2, d)
    for plain, compiled in zip(
        box_tree.plain_tree(X, scales, leaf), box_tree.compiled_tree(X, scales, leaf), strict=True
    ):
        np.testing.assert_array_equal(plain, compiled)


@given(st.integers(0, 40), st.integers(1, 5), st.integers(1, 4), seeds)
def test_nearest_centroids(n, clusters, d, seed):
    rng = np.random.default_rng(seed)
    X, centroids = with_gaps(rng, (n, d)).round(1), with_gaps(rng, (clusters, d)).round(1)
    if n:
        centroids[0] = X[0]
    given_all = X, centroids, rng.random(d) < 0.5, rng.random(d)
    pairs = zip(c_median.plain_assigned(*given_all), c_median.compiled_assigned(*given_all), strict=True)
    for plain, compiled in pairs:
        np.testing.assert_array_equal(plain, compiled)


@given(st.integers(1, 30), st.integers(1, 40), st.integers(1, 4), seeds)
def test_candidates_within_spans(n, known, d, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 6, (d, known)).astype(np.int32)
    codes = np.ascontiguousarray(codes[:, np.argsort(codes[0], kind="stable")])
    low = rng.integers(0, 6, (n, d))
    spans = np.stack([low, low + rng.integers(0, 4, (n, d))], axis=2)
    starts, ends = np.searchsorted(codes[0], spans[:, 0].T)
    given_all = spans, starts, ends, codes, rng.integers(1, 4, known)
    found = candidate_counts.plain_candidates(*given_all)
    np.testing.assert_array_equal(found, candidate_counts.compiled_candidates(*given_all))
