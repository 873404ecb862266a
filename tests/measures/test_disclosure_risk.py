import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import keys, pairs

from sfumato.measures import DisclosureRisk, DistanceLinkage, IntervalDisclosure, ProbabilisticLinkage


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


@settings(max_examples=60, deadline=None)
@given(pairs())
def test_with_both_linkages(pair):
    original, masked = pair
    score = DisclosureRisk(linkage="both").bind(original).score(masked)
    kinds = (IntervalDisclosure, DistanceLinkage, ProbabilisticLinkage)
    interval, distance, probabilistic = (k().bind(original).score(masked).value for k in kinds)
    if all(a.is_numeric for a in original.schema):
        assert score.value == pytest.approx(0.5 * interval + 0.25 * distance + 0.25 * probabilistic)
    else:
        assert score.value == pytest.approx((interval + max(distance, probabilistic)) / 2)
    assert (score.parts["distance"], score.parts["probabilistic"]) == (distance, probabilistic)
    alone = DisclosureRisk(linkage="probabilistic").bind(original).score(masked)
    assert alone.value == pytest.approx((interval + probabilistic) / 2)
