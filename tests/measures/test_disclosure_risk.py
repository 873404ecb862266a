import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import keys, pairs

from sfumato.measures import DisclosureRisk, DistanceLinkage, IntervalDisclosure


@settings(max_examples=60, deadline=None)
@given(pairs())
def test_it_is_the_mean_of_interval_disclosure_and_linkage(pair):
    original, masked = pair
    score = DisclosureRisk().bind(original).score(masked)
    parts = [m().bind(original).score(masked).value for m in (IntervalDisclosure, DistanceLinkage)]
    assert list(score.parts.values()) == parts
    assert score.value == pytest.approx(sum(parts) / 2)


def test_by_hand():
    original = keys({"v": ("nominal", "ab")}, {"v": [0, 0, 1, 1]})
    score = DisclosureRisk().bind(original).score(original.replace({"v": np.array([0, 0, 0, 1])}))
    assert score.parts == {"interval": 75.0, "linkage": 37.5}
    assert score.value == 56.25
