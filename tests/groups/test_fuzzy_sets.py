import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import DataError, UnknownNameError
from sfumato.data import Attribute
from sfumato.groups.fuzzy_sets import FuzzySet

AGE = Attribute(name="age", scale="numeric")
SCHOOL = Attribute(name="school", scale="ordinal", categories=("none", "some", "much"))
CODES = Attribute(name="codes", scale="nominal", categories=("10", "50", "70"))
POINTS = st.lists(st.integers(-20, 20), min_size=4, max_size=4).map(sorted)


def test_shapes_by_hand():
    x = np.array([0.0, 10, 15, 20, 25, 30, 40, np.nan])
    assert FuzzySet("trapezoid", (10, 20, 25, 35)).membership(AGE, x).tolist() == [0, 0, 0.5, 1, 1, 0.5, 0, 0]
    assert FuzzySet("triangle", (10, 20, 40)).membership(AGE, x).tolist() == [0, 0, 0.5, 1, 0.75, 0.5, 0, 0]
    assert FuzzySet("set", ("10", "25.0")).membership(AGE, x).tolist() == [0, 1, 0, 0, 1, 0, 0, 0]
    bell = FuzzySet("gaussian", (20, 5)).membership(AGE, x)
    assert bell[[2, 3, 4, 7]].tolist() == pytest.approx([math.exp(-0.5), 1, math.exp(-0.5), 0])


def test_upright_edges_belong_to_the_set():
    crisp = FuzzySet("trapezoid", (10, 10, 20, 20))
    assert crisp.membership(AGE, np.array([9.9, 10, 20, 20.1])).tolist() == [0, 1, 1, 0]


@given(POINTS, st.floats(-30, 30))
def test_a_trapezoid_is_what_its_definition_says(points, x):
    a, b, c, d = points
    grade = float(FuzzySet("trapezoid", tuple(points)).membership(AGE, np.array([x]))[0])
    if b <= x <= c:
        assert grade == 1
    elif x <= a or x >= d:
        assert grade == 0
    else:
        assert grade == pytest.approx((x - a) / (b - a) if x < b else (d - x) / (d - c))


def test_categories_are_read_by_name_number_or_place():
    codes = np.array([0, 1, 2, -1])
    assert FuzzySet("set", ("50",)).membership(CODES, codes).tolist() == [0, 1, 0, 0]
    assert FuzzySet("trapezoid", (40, 60, 80, 90)).membership(CODES, codes).tolist() == [0, 0.5, 1, 0]
    assert FuzzySet("triangle", (1, 3, 4)).membership(SCHOOL, codes).tolist() == [0, 0.5, 1, 0]


@pytest.mark.parametrize(
    ("shape", "points", "complaint"),
    [
        ("trapezoid", (1, 2, 3), "takes 4 numbers"),
        ("triangle", (3, 2, 4), "must not fall"),
        ("gaussian", (3, 0), "greater than 0"),
        ("gaussian", (3, math.nan), "takes 2 numbers"),
        ("triangle", (1, "2", 3), "takes 3 numbers"),
        ("set", (), "at least one"),
    ],
)
def test_wrong_points_are_explained(shape, points, complaint):
    with pytest.raises(DataError, match=complaint):
        FuzzySet(shape, points)


def test_words_must_fit_the_attribute():
    with pytest.raises(UnknownNameError, match="value of codes in the word walked '51'"):
        FuzzySet("set", ("51", "52")).check_known(CODES, "walked")
    FuzzySet("set", ("51", "50")).check_known(
        CODES, "walked"
    )  # a value that nobody has is none of our business
    FuzzySet("triangle", (1, 2, 3)).check_known(SCHOOL, "low")
    FuzzySet("set", ("51",)).check_known(AGE, "young")
    with pytest.raises(DataError, match="numeric; young must list numbers"):
        FuzzySet("set", ("few",)).check_fits(AGE, "young")
    place = Attribute(name="place", scale="nominal", categories=("a", "b"))
    with pytest.raises(DataError, match="categories are no numbers; near must be a set"):
        FuzzySet("triangle", (1, 2, 3)).check_fits(place, "near")
