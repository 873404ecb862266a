import numpy as np
import pytest
from hypothesis import given, settings
from measure_tables import keys, pairs

from sfumato.core import DataError, ParameterError, UnknownNameError
from sfumato.measures import Balance, DisclosureRisk, InformationLoss


@settings(max_examples=40, deadline=None)
@given(pairs())
def test_it_combines_loss_and_risk(pair):
    original, masked = pair
    loss = InformationLoss().bind(original).score(masked).value
    risk = DisclosureRisk().bind(original).score(masked).value
    expected = {"max": max(loss, risk), "mean": (loss + risk) / 2, "weighted": 0.2 * loss + 0.8 * risk}
    for how, value in expected.items():
        score = Balance(how=how, weight=0.2).bind(original).score(masked)
        assert score.value == pytest.approx(value, abs=1e-9)
        assert score.parts == {"information_loss": loss, "disclosure_risk": risk}


def test_each_measure_takes_the_attributes_it_can():
    original = keys({"x": "numeric", "v": ("nominal", "ab")}, {"x": [1.0, 2.0, 3.0], "v": [0, 1, 1]})
    masked = original.replace({"v": np.array([1, 0, 0])})
    score = Balance(loss="sse", risk="k_anonymity").bind(original).score(masked)
    assert score.parts == {"sse": 0.0, "k_anonymity": 100.0}
    with pytest.raises(DataError, match="sse takes numeric; none of the columns is"):
        Balance(loss="sse", attributes=("v",)).bind(original)


def test_measures_of_the_wrong_sense_are_refused():
    original = keys({"x": "numeric"}, {"x": [1.0, 2.0]})
    with pytest.raises(ParameterError, match=r"loss must name a measure of loss. Got 'k_anonymity'"):
        Balance(loss="k_anonymity").bind(original)
    with pytest.raises(ParameterError, match=r"risk must name a measure of risk. Got 'balance'"):
        Balance(risk="balance").bind(original)
    with pytest.raises(UnknownNameError, match="Did you mean dbil"):
        Balance(loss="dbill").bind(original)
