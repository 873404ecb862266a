import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table
from sfumato.kernels.mdav import mdav_groups
from sfumato.masking import Mdav
from sfumato.masking._microaggregation import standardised

small = st.integers(-9, 9).map(float)
records = arrays(float, st.tuples(st.integers(1, 40), st.integers(1, 3)), elements=small)
with_gaps = arrays(
    float, st.tuples(st.integers(1, 40), st.integers(1, 3)), elements=st.one_of(small, st.just(np.nan))
)


def table_of(X, **details):
    names = [f"x{j}" for j in range(X.shape[1])]
    schema = Schema(Attribute(name=name, scale="numeric", role="key", **details) for name in names)
    return Table(schema, dict(zip(names, X.T, strict=True)))


def masked_numbers(X, **parameters):
    table = table_of(X)
    return Mdav(**parameters).apply(table, np.random.default_rng(0)).numbers(table.names)


@given(records, st.integers(1, 6))
def test_kernel_equals_its_twin(X, k):
    if len(X) >= k:
        np.testing.assert_array_equal(mdav_groups(X, k), naive.mdav_groups(X, k))


@pytest.mark.parametrize("k", [2, 3, 7])
def test_kernel_equals_its_twin_on_real_numbers(k):
    X = np.random.default_rng(k).normal(size=(100, 4))
    np.testing.assert_array_equal(mdav_groups(X, k), naive.mdav_groups(X, k))


@given(with_gaps, st.integers(1, 6), st.sampled_from(["zscore", "range", "none"]))
def test_groups_hold_k_to_2k_minus_1_records(X, k, standardise):
    masking, table = Mdav(k=k, standardise=standardise, missing="impute"), table_of(X)
    if len(X) < k:
        with pytest.raises(DataError, match=f"k = {k} needs at least {k} records. Got {len(X)}"):
            masking.partition(table, np.random.default_rng(0))
        return
    partition = masking.partition(table, np.random.default_rng(0))
    assert k <= partition.smallest <= partition.largest < 2 * k
    assert partition.sizes.sum() == len(X)
    assert partition.groups == len(partition.sizes)
    assert 0 <= partition.sse <= partition.sst + 1e-9
    masked = masking.apply(table, np.random.default_rng(0)).numbers(table.names)
    for group in range(partition.groups):
        rows = masked[partition.labels == group]
        np.testing.assert_array_equal(rows, np.broadcast_to(rows[0], rows.shape))


@given(with_gaps, st.integers(1, 6))
def test_missing_values_that_are_like_any_stay(X, k):
    if len(X) >= k:
        masked = masked_numbers(X, k=k, missing="any")
        np.testing.assert_array_equal(np.isnan(masked), np.isnan(X))
        means = np.nansum(masked, axis=0), np.nansum(X, axis=0)
        np.testing.assert_allclose(*means, atol=1e-9)


def test_a_missing_value_stands_at_the_mean_also_without_scaling():
    X = np.array([[101.0], [np.nan], [109.0]])
    assert standardised(X, "none").tolist()[0] == [-4.0]
    far = np.array([[100.0, 0.0], [100.0, 0.1], [np.nan, 0.2], [100.0, 0.3]])
    assert Mdav(k=2, standardise="none", missing="any").partition(
        table_of(far), np.random.default_rng(0)
    ).labels.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("standardise", ["zscore", "range", "none"])
def test_records_that_miss_the_same_come_together(standardise):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 2)) * [1.0, 50.0]
    X[rng.random(400) < 0.3, 1] = np.nan
    masked = masked_numbers(X, k=4, standardise=standardise)
    changed = (np.isnan(masked) != np.isnan(X)).sum()
    before = Mdav(k=4, standardise=standardise, missing="any").partition(table_of(X), rng)
    share = np.bincount(before.labels, weights=np.isnan(X[:, 1])) / before.sizes
    assert changed < 0.5 * (np.minimum(share, 1 - share) * before.sizes).sum()


def test_a_group_releases_what_more_than_half_of_it_have():
    X = np.array(
        [[1.0, np.nan], [1.0, 4.0], [1.0, 6.0], [9.0, np.nan], [9.0, np.nan], [9.0, 7.0], [9.0, 7.0]]
    )
    masked = masked_numbers(X, k=3)
    np.testing.assert_array_equal(masked[:, 1], [5.0] * 3 + [np.nan] * 4)  # half is not more than half


def test_k_of_one_is_the_identity():
    X = np.random.default_rng(0).normal(size=(50, 3))
    np.testing.assert_array_equal(masked_numbers(X, k=1), X)


@pytest.mark.parametrize("n", [5, 6, 9])
def test_fewer_than_2k_records_make_one_group(n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    np.testing.assert_allclose(masked_numbers(X, k=5), np.broadcast_to(X.mean(axis=0), X.shape))


def test_constants_and_duplicates():
    np.testing.assert_array_equal(masked_numbers(np.full((20, 2), 0.1), k=3), 0.1)
    assert Mdav(k=3).partition(table_of(np.full((20, 2), 0.1)), np.random.default_rng(0)).il == 0
    twins = np.repeat(np.arange(10) / 10, 3)[:, None]
    np.testing.assert_array_equal(masked_numbers(twins, k=3), twins)


def test_the_order_of_records_plays_no_part_where_no_distance_is_tied():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    mixed_up = rng.permutation(60)
    np.testing.assert_allclose(masked_numbers(X, k=4)[mixed_up], masked_numbers(X[mixed_up], k=4))


def test_means_are_rounded_to_the_declared_decimals():
    X = np.array([[1.0], [2.0], [4.0]])
    masked = Mdav(k=3).apply(table_of(X, decimals=1), np.random.default_rng(0))
    assert masked["x0"].tolist() == [2.3, 2.3, 2.3]


def test_strata_are_grouped_apart_and_named_when_too_small(mixed):
    table = mixed(40, strata=True)
    partition = Mdav(k=3).partition(table, np.random.default_rng(0))
    for _, rows in table.strata():
        outside = np.setdiff1d(np.arange(table.n), rows)
        assert not set(partition.labels[rows]) & set(partition.labels[outside])
    for work in (Mdav(k=11).partition, Mdav(k=11).apply):
        with pytest.raises(DataError, match="Stratum sector = a: mdav: k = 11 needs at least 11 records"):
            work(table, np.random.default_rng(0))


def test_an_empty_table_has_no_partition(mixed):
    with pytest.raises(DataError, match="Got 0"):
        Mdav().partition(mixed(0, strata=True), np.random.default_rng(0))


def test_partition_as_frame_and_dictionary():
    partition = Mdav(k=2).partition(table_of(np.arange(5.0)[:, None]), np.random.default_rng(0))
    assert partition.to_frame().to_pylist() == [{"group": 0, "size": 2}, {"group": 1, "size": 3}]
    assert partition.to_dict()["k"] == 2
