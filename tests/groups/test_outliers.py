"""The modified Thompson technique against examples worked by hand and a slow twin."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sfumato.core import ParameterError, UnknownNameError
from sfumato.groups.outliers import median_and_scale, mttt, outliers, thompson
from sfumato.groups.signals import RecordPlaces

# n = 8: median 4.5; halves 1 2 3 4 and 5 6 7 30 give quartiles 2.5 and 6.5, so S = 4 / 1.349 = 2.965;
# tau = 1.749 (ASME), so that 30 (25.5 away, above 5.19) goes and of 1..7 (median 4, quartiles 2.5 and 5.5,
# S = 2.224, tau 1.711, bound 3.805) nothing, as 3 is the largest deviation
ONE = np.array([1.0, 2, 3, 4, 5, 6, 7, 30])


def test_one_outlier_by_hand():
    assert median_and_scale(ONE) == (4.5, pytest.approx(4 / 1.349))
    assert thompson(8, 0.05) == pytest.approx(1.7491, abs=2e-4)
    assert median_and_scale(ONE[:7]) == (4.0, pytest.approx(3 / 1.349))
    assert mttt(ONE) == [7]


def test_the_order_of_removal_is_that_of_the_deviations():
    # 40, then -20, then 18 are the farthest from medians of 5, 5 and 5
    values = np.array([18.0, 4, 5, 6, 5, 4, 40, 6, 5, -20])
    assert mttt(values, alpha=0.05) == [6, 9, 0]


def test_quartiles_of_an_odd_number_share_the_middle_value():
    # halves 1 2 3 and 3 10 20
    assert median_and_scale(np.array([20.0, 1, 3, 2, 10])) == (3.0, pytest.approx(8 / 1.349))


def test_published_tau():
    """The table of tau for a level of 5 % that engineering handbooks print."""
    printed = {3: 1.1511, 4: 1.4250, 5: 1.5712, 6: 1.6563, 7: 1.7110, 8: 1.7491, 9: 1.7770, 10: 1.7984}
    for n, tau in printed.items():
        assert thompson(n, 0.05) == pytest.approx(tau, abs=2e-4), n


def test_where_most_values_agree_not_all_others_are_outliers():
    values = np.array([0.0] * 20 + [1, 1, 1, 80])
    assert mttt(values, alpha=0.001) == [23]
    # with the standard deviation as scale the small ones are ordinary
    assert mttt(np.array([0.0] * 12 + [1, 1, 1]), alpha=0.001) == []
    assert mttt(np.zeros(30)) == []


def test_small_and_missing_signals():
    assert mttt(np.array([])) == mttt(np.array([1.0, 99])) == []
    assert mttt(np.array([np.nan, *ONE, np.nan])) == [8]


def test_sides():
    values = np.concatenate([ONE, [-30.0]])
    assert mttt(values, side="high") == [7]
    assert mttt(values, side="low") == [8]


@given(
    st.lists(st.integers(-50, 50), max_size=40),
    st.sampled_from([0.2, 0.05, 0.001]),
)
def test_a_slow_twin_agrees(values, alpha):
    assert mttt(np.array(values, float), alpha=alpha) == slow(values, alpha)


@given(st.lists(st.integers(-9, 9), max_size=20))
def test_a_value_that_most_places_share_is_no_outlier(others):
    values = np.array([4.0] * (len(others) + 1) + others)
    assert not np.any(values[mttt(values, alpha=0.05)] == 4)


def slow(values, alpha):
    left, found = dict(enumerate(values)), []
    while len(left) >= 3:
        n, ordered = len(left), sorted(left.values())
        half = math.ceil(n / 2)
        scale = (statistics.median(ordered[n - half :]) - statistics.median(ordered[:half])) / 1.349
        if scale == 0:
            scale = statistics.stdev(ordered)
        t = stats.t.ppf(1 - alpha / 2, n - 2)
        tau = t * (n - 1) / (math.sqrt(n) * math.sqrt(n - 2 + t * t))
        centre = statistics.median(ordered)
        worst = max(left, key=lambda index: (abs(left[index] - centre), -index))
        if abs(left[worst] - centre) <= tau * scale:
            break
        found.append(worst)
        del left[worst]
    return found


def signal():
    return RecordPlaces(tuple("abcdefgh"), np.repeat(np.arange(8), ONE.astype(int))).signal(np.ones(58))


def test_an_expert_strikes_places_by_index_or_name():
    assert outliers(signal()).names == ("h",)
    for struck in ([7], ["h"], ["a", "h"]):
        found = outliers(signal(), strike=struck)
        assert found.names == () and found.found == (7,)
    assert outliers(signal()).flags.tolist() == [False] * 7 + [True]
    assert outliers(signal(), strike=["h"]).to_dict() == {"alpha": 0.05, "outliers": [], "struck": ["h"]}
    assert outliers(signal(), strike=["h"]).to_frame().to_pylist() == [{"place": "h", "struck": True}]


def test_wrong_words_are_explained():
    with pytest.raises(UnknownNameError, match="place to strike 'z'"):
        outliers(signal(), strike=["z"])
    with pytest.raises(ParameterError, match="run from 0 to 7"):
        outliers(signal(), strike=[8])
    with pytest.raises(ParameterError, match="alpha must lie between 0 and 1"):
        mttt(ONE, alpha=0)
    with pytest.raises(ParameterError, match="side must be one of"):
        mttt(ONE, side="up")
