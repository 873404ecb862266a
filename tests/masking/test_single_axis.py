import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, ParameterError, UnknownNameError
from sfumato.masking import OptimalUnivariate, SingleAxis
from sfumato.masking._axis import principal_components
from sfumato.masking.single_axis import block_labels


@given(st.integers(4, 60), st.integers(2, 9), st.sampled_from(["median", "modal", "last"]))
def test_blocks_hold_k_and_one_holds_the_rest(n, k, remainder):
    if n < 2 * k:
        return
    places = np.sort(np.random.default_rng(n * k).normal(size=n))
    labels = block_labels(places, k, remainder)
    sizes = np.bincount(labels)
    assert np.all(np.diff(labels) >= 0)
    assert sorted(sizes) == [k] * (len(sizes) - 1) + [k + n % k]
    if n % k and remainder == "median":
        assert sizes[labels[n // 2]] > k
    if n % k and remainder == "last":
        assert sizes[-1] > k


def test_the_modal_block_is_where_values_stand_closest():
    places = np.array([0.0, 1.0, 2.0, 3.0, 3.1, 3.2, 3.3, 9.0, 12.0, 14.0])
    assert np.bincount(block_labels(places, 3, "modal")).tolist() == [3, 4, 3]


def test_axes():
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1, 5, 0.1]
    rng = np.random.default_rng(0)
    for axis, place in {
        "first_component": X @ np.linalg.svd(X - X.mean(axis=0))[2][0],
        "sum_of_zscores": ((X - X.mean(axis=0)) / X.std(axis=0)).sum(axis=1),
    }.items():
        labels = SingleAxis(k=5, axis=axis).group(X, rng)
        groups = labels[np.argsort(place)]
        assert len(np.flatnonzero(np.diff(groups))) == 9
    labels = SingleAxis(k=5, axis="attribute", by="a").group(X, rng)
    assert len(np.flatnonzero(np.diff(labels[np.argsort(X[:, 0])]))) == 9
    assert np.abs(principal_components(X).T @ principal_components(X) - np.eye(3)).max() < 1e-12


def test_the_attribute_to_sort_by_must_be_masked_and_come_with_its_axis(mixed):
    table, rng = mixed(60), np.random.default_rng(0)
    by_income = SingleAxis(axis="attribute", by="income")
    assert by_income.targets(table) == ("income", "age")
    order = np.argsort(np.nan_to_num(table["income"], nan=np.nanmean(table["income"])), kind="stable")
    assert np.all(np.diff(by_income.partition(table, rng).labels[order]) >= 0)
    with pytest.raises(ParameterError, match="by must name an attribute where axis is attribute"):
        SingleAxis(axis="attribute")
    with pytest.raises(ParameterError, match=r"axis must be attribute where by is given. Got 'first_comp"):
        SingleAxis(by="income")
    with pytest.raises(DataError, match=r"by must be one of the columns to mask. Got column weight"):
        SingleAxis(axis="attribute", by="weight").apply(table, rng)
    with pytest.raises(UnknownNameError, match="Did you mean income"):
        SingleAxis(axis="attribute", by="incom").apply(table, rng)


@pytest.mark.parametrize("method", [SingleAxis, OptimalUnivariate])
def test_equal_records_stand_at_the_same_place(method):
    X = np.repeat(np.random.default_rng(3).normal(size=(7, 5)), 3, axis=0)
    mixed_up = np.random.default_rng(4).permutation(21)
    labels = method(k=3).group(X[mixed_up], np.random.default_rng(0))
    assert len({(label, record // 3) for label, record in zip(labels, mixed_up, strict=True)}) == 7
