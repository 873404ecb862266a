import numpy as np
import pytest
from measure_tables import keys

from sfumato.measures import ExpectationRatio


def test_unchanged_released_and_never_released():
    original = keys({"v": ("nominal", "abc")}, {"v": [0, 0, 1, 2]})
    masked = original.replace({"v": np.array([0, 0, 1, 1])})
    bound = ExpectationRatio().bind(original)
    ratios = bound.ratios(masked)["v"]
    assert np.isposinf(ratios[0])
    assert ratios[1] == 1
    assert np.isnan(ratios[2])
    assert bound.score(masked).value == pytest.approx(100 * (2 * 1 + 1 * 0.5 + 1 * 0) / 4)
    assert bound.score(original).value == 100


def test_missing_values_are_no_category():
    original = keys({"v": ("nominal", "ab")}, {"v": [0, 0, -1, 1]})
    masked = original.replace({"v": np.array([0, -1, 0, 1])})
    bound = ExpectationRatio().bind(original)
    assert bound.ratios(masked)["v"].tolist() == [1.0, np.inf]  # a: one kept, one filled in
    assert bound.score(masked).value == pytest.approx(100 * (2 * 0.5 + 1) / 3)


def test_recoded_categories_are_draws_from_what_they_cover():
    original = keys({"v": ("nominal", "abc")}, {"v": [0, 1, 2]})
    wide = original.schema["v"].evolve(categories=("a or b", "c"), covers={"a or b": ("a", "b")})
    masked = original.replace({"v": np.array([0, 0, 1])}, [wide])
    # two records are half a and half b each: an a that is released is a true one every other time
    assert ExpectationRatio().bind(original).score(masked).value == pytest.approx(100 * (0.5 + 0.5 + 1) / 3)
