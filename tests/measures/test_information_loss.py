import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import keys, pairs

from sfumato.measures import Ctbil, Dbil, Ebil, InformationLoss, Pil, Sse


@settings(max_examples=60, deadline=None)
@given(pairs())
def test_it_is_the_mean_of_its_parts_by_number_of_attributes(pair):
    original, masked = pair
    score = InformationLoss().bind(original).score(masked)
    numeric = tuple(a.name for a in original.schema if a.is_numeric)
    others = tuple(a.name for a in original.schema if not a.is_numeric)
    expected = 0.0
    if numeric:
        expected += len(numeric) * min(100, Sse(attributes=numeric).bind(original).score(masked).value)
    if others:
        three = [m(attributes=others).bind(original).score(masked).value for m in (Dbil, Ctbil, Ebil)]
        expected += len(others) * sum(three) / 3
    assert score.value == pytest.approx(expected / len(original.names), abs=1e-9)


def test_parts():
    original = keys({"x": "numeric", "v": ("nominal", "ab")}, {"x": [1.0, 2.0], "v": [0, 1]})
    score = InformationLoss().bind(original).score(original.replace({"x": [9.0, -9.0]}))
    assert set(score.parts) == {"numeric", "categorical", "sse", "dbil", "ctbil", "ebil"}
    assert score.parts["sse"] > 100
    assert (score.parts["numeric"], score.value) == (100, 50)
    only = InformationLoss(attributes=("v",)).bind(original).score(original.replace({"v": np.array([1, 0])}))
    assert set(only.parts) == {"categorical", "dbil", "ctbil", "ebil"}


@settings(max_examples=40, deadline=None)
@given(pairs(("numeric",)))
def test_numbers_can_be_judged_by_pil(pair):
    original, masked = pair
    score = InformationLoss(numeric="pil").bind(original).score(masked)
    assert score.value == pytest.approx(Pil().bind(original).score(masked).value, abs=1e-9)
    assert set(score.parts) == {"numeric", "pil"}
