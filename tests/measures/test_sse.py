import numpy as np
import pytest
from measure_tables import keys

from sfumato.data import Attribute, Schema, Table
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


def test_a_weight_of_two_is_two_records():
    weight = Attribute(name="w", scale="numeric", role="weight")
    plain = keys({"x": "numeric"}, {"x": [0.0, 2.0, 4.0, np.nan]})
    once = Table(Schema([*plain.schema, weight]), {"x": plain["x"], "w": [2.0, 1.0, 3.0, 1.0]})
    changed = [1.0, 5.0, 4.0, 3.0]
    rows = np.array([0, 0, 1, 2, 2, 2, 3])
    expected = Sse().bind(plain.take(rows)).score(plain.replace({"x": changed}).take(rows))
    score = Sse(weighted=True).bind(once).score(once.replace({"x": changed}))
    assert score.value == pytest.approx(expected.value)
    assert score.parts == pytest.approx(expected.parts)
