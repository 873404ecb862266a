import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import ParameterError
from sfumato.search.fitness import Fitness
from sfumato.search.trade_off import LARGEST, MEAN, TradeOff

percents = st.floats(0, 100)


@given(percents, percents, st.floats(0, 1))
def test_loss_and_risk_in_one_number(loss, risk, weight):
    assert LARGEST.of((loss, risk)) == max(loss, risk)
    assert MEAN.of((loss, risk)) == (loss + risk) / 2
    weighed = TradeOff("weighted", weight).of((loss, risk))
    assert weighed == weight * loss + (1 - weight) * risk
    assert Fitness(how="weighted", weight=weight).score((loss, risk)) == weighed


def test_more_than_two_costs_have_a_largest_and_a_mean():
    assert (LARGEST.of((1.0, 5.0, 3.0)), MEAN.of((1.0, 5.0, 3.0))) == (5.0, 3.0)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"how": "largest"}, "how must be one of max, mean, weighted. Got 'largest'"),
        ({"how": "weighted", "weight": 1.5}, "weight must be from 0 to 1. Got 1.5"),
    ],
)
def test_what_is_no_trade_off_is_refused(given, rule):
    with pytest.raises(ParameterError, match=rule):
        TradeOff(**given)
