import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import ParameterError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Intervals


def table_of(values, **details):
    attribute = Attribute(name="x", scale="numeric", role="key", **details)
    return Table(Schema([attribute]), {"x": np.array(values, float)})


def cut(values, details=None, **parameters):
    return Intervals(**parameters).apply(table_of(values, **(details or {})), np.random.default_rng(0))["x"]


def test_whole_numbers_become_the_middle_of_what_can_be_in_their_interval():
    ages = {"low": 0, "high": 100, "decimals": 0}
    found = cut([3, 18, 29, 30, 64, 65, 99, np.nan], ages, cuts=(18, 30, 65))
    np.testing.assert_array_equal(found, [8, 24, 24, 47, 47, 82, 82, np.nan])  # 0–17, 18–29, 30–64, 65–100


def test_a_cut_belongs_to_the_side_that_is_closed():
    ages = {"low": 0, "high": 100, "decimals": 0}
    assert cut([18, 19], ages, cuts=(18,), closed="left").tolist() == [59, 59]
    assert cut([18, 19], ages, cuts=(18,), closed="right").tolist() == [9, 60]  # 0–18 and 19–100


def test_an_interval_without_an_end_releases_what_is_next_to_its_cut():
    assert cut([-50, 5, 900], cuts=(0, 10)).tolist() == [0, 5, 10]
    assert cut([-50, 5, 900], {"decimals": 1}, cuts=(0, 10)).tolist() == pytest.approx(
        [-0.1, 5, 10], abs=0.06
    )


def test_means_keep_the_total_and_tell_nobody_of_two_others():
    values = [1, 2, 6, 11, 19, 21, 30]
    found = cut(values, {"low": 0, "high": 40, "decimals": 0}, cuts=(10, 20), value="mean")
    assert found.tolist() == [3, 3, 3, 14, 14, 30, 30]  # of two records, the middle of 10–19 and of 20–40


def test_an_interval_of_one_number_keeps_it():
    assert cut([19, 20], {"decimals": 0}, cuts=(19, 20, 21)).tolist() == [19, 20]


@pytest.mark.parametrize("cuts", [(), (3, 3), (5, 4)])
def test_cuts_that_do_not_grow_are_refused(cuts):
    with pytest.raises(ParameterError, match="cuts must be numbers in growing order"):
        Intervals(cuts=cuts)


numbers = st.integers(-40, 40)


@given(
    st.lists(st.one_of(numbers.map(float), st.just(np.nan)), min_size=1, max_size=30),
    st.lists(numbers, min_size=1, max_size=5, unique=True).map(sorted),
    st.sampled_from(["left", "right"]),
    st.sampled_from(["middle", "mean"]),
    st.sampled_from([{}, {"low": -40, "high": 40}]),
)
def test_released_numbers_stay_in_their_interval_and_in_order(values, cuts, closed, value, bounds):
    table = table_of(values, decimals=0, **bounds)
    masking = Intervals(cuts=tuple(cuts), closed=closed, value=value)
    found = masking.apply(table, np.random.default_rng(0))["x"]
    there = ~np.isnan(table["x"])
    np.testing.assert_array_equal(np.isnan(found), ~there)
    np.testing.assert_array_equal(masking.placed(found[there]), masking.placed(table["x"][there]))
    for place in np.unique(masking.placed(table["x"][there])):
        members = masking.placed(table["x"]) == place
        released = np.unique(found[members & there])
        assert len(released) == 1
        if value == "mean" and (members & there).sum() >= 3:
            assert abs(released[0] - table["x"][members & there].mean()) <= 0.5
