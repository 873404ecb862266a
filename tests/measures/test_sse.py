import numpy as np
import pytest
from measure_tables import keys

from sfumato.measures import Sse


def test_two_attributes_by_hand():
    original = keys(
        {"x": "numeric", "y": "numeric"}, {"x": [0.0, 2.0, 4.0, 6.0], "y": [0.0, 0.0, 100.0, 100.0]}
    )
    masked = original.replace({"x": [1.0, 1.0, 5.0, 5.0]})
    score = Sse().bind(original).score(masked)
    assert score.parts == pytest.approx({"x": 20.0, "y": 0.0})
    assert score.value == pytest.approx(10)


def test_the_mean_loses_everything_and_so_does_a_missing_value():
    original = keys({"x": "numeric"}, {"x": [0.0, 2.0, 4.0, 6.0]})
    for lost in (3.0, np.nan):
        assert Sse().bind(original).score(original.replace({"x": [lost] * 4})).value == pytest.approx(100)


def test_a_constant_is_constant_whatever_its_digits():
    original = keys({"x": "numeric", "y": "numeric"}, {"x": [0.1, 0.1, 0.1], "y": [1.0, 2.0, 3.0]})
    score = Sse().bind(original).score(original.replace({"x": [0.1, 0.1, 0.2]}))
    assert score.value == pytest.approx(100 * 0.01 / 3)
