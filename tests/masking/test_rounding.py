import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Rounding
from sfumato.masking.rounding import _round_number


def table_of(values, **details):
    attribute = Attribute(name="x", scale="numeric", role="key", **details)
    return Table(Schema([attribute]), {"x": np.array(values, float)})


def rounded(table, seed=0, **parameters):
    return Rounding(**parameters).apply(table, np.random.default_rng(seed))["x"]


def test_hand_worked_example():
    values = [0, 4, 5, 6, 15, 25, -4, -5, -6, np.nan]
    expected = [0, 0, 0, 10, 20, 20, 0, 0, -10, np.nan]  # halves go to the even multiple
    np.testing.assert_array_equal(rounded(table_of(values), base=10), expected)


def test_a_bound_takes_the_place_of_a_multiple_beyond_it():
    # in tens, 16 stands for 10 and 99 for 100; 18 lies halfway
    values, details = [16, 17, 18, 19, 94, 95, 99], {"low": 16, "high": 99, "decimals": 0}
    assert rounded(table_of(values, **details), base=10).tolist() == [16, 16, 20, 20, 90, 99, 99]
    narrow = table_of([3, 4, 5], low=3, high=5, decimals=0)
    assert rounded(narrow, base=10).tolist() == [3, 3, 5]


@pytest.mark.parametrize("details", [{}, {"low": 1, "high": 17}])
def test_random_rounding_is_unbiased(details):
    for value in (3.0, 12.5, 16.0):
        drawn = rounded(table_of(np.full(100_000, value), **details), base=10, kind="random")
        assert len(np.unique(drawn)) == 2
        assert drawn.mean() == pytest.approx(value, abs=0.06)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20),
    st.sampled_from([0.25, 1.0, 3.0, 1000.0]),
    st.sampled_from(["deterministic", "random"]),
)
def test_values_become_multiples_nearby_and_multiples_stay(values, base, kind):
    table = table_of(values)
    after = rounded(table, base=base, kind=kind)
    np.testing.assert_array_equal(after / base, np.round(after / base))
    reach = base / 2 if kind == "deterministic" else base
    assert np.abs(after - table["x"]).max() <= reach * (1 + 1e-9)
    np.testing.assert_array_equal(rounded(table_of(after), base=base, kind=kind), after)


def test_base_by_spread():
    values = [12.0, 95.0, 31.0, 40.0, 8.0, 25.0]  # standard deviation 28.8
    assert Rounding(share=1).bases(table_of(values)) == {"x": 20.0}
    assert Rounding(share=0.2).bases(table_of(values)) == {"x": 5.0}
    assert Rounding(share=0.01).bases(table_of(values)) == {"x": 0.2}
    assert Rounding(share=0.01).bases(table_of(values, decimals=0)) == {"x": 2.0}
    assert Rounding(base=7).bases(table_of(values)) == {"x": 7.0}


def test_without_a_spread():
    assert rounded(table_of([7.0, 7.0])).tolist() == [7.0, 7.0]
    assert np.isnan(rounded(table_of([np.nan]))).all()
    assert Rounding(share=0.5).bases(table_of([7.0, np.nan])) == {"x": 2.0}  # half of 7 is 3.5
    assert rounded(table_of([7.0]), base=5).tolist() == [5.0]


@given(st.floats(1e-9, 1e9))
def test_round_numbers_are_the_largest_below(limit):
    number = _round_number(limit)
    assert number <= limit * (1 + 1e-8)
    assert limit < 2.5 * number * (1 + 1e-9)
    assert round(number / 10 ** math.floor(math.log10(number * 1.0001))) in (1, 2, 5)
