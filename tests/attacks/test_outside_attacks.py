"""Attacks whose success counts above that on people outside."""

import numpy as np
import pytest
from measure_tables import keys
from outside_cases import POPULATION, in_thirds

from sfumato.attacks import Copies, Learned, Membership
from sfumato.attacks.insiders import people
from sfumato.measures import Copies as CopiesMeasure
from sfumato.measures import Membership as MembershipMeasure

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("attack", [Copies(), Learned(), Membership()])
def test_the_original_gives_away_and_a_fresh_sample_does_not(attack):
    original, outside, fresh = in_thirds(POPULATION)
    itself = attack.run(original, original, RNG, outside=outside)
    assert itself.attack.low > itself.control.high
    other = attack.run(fresh, original, RNG, outside=outside)
    assert other.attack.low <= other.control.high
    assert other.attack.value < itself.attack.value


def test_membership_is_the_area_that_the_measure_tells():
    original, outside, fresh = in_thirds(POPULATION)
    result = Membership().run(fresh, original, RNG, outside=outside)
    score = MembershipMeasure().bind(original, outside).score(fresh)
    above = result.attack.value - result.control.value
    assert max(above, 0) == pytest.approx(score.value)
    assert result.baseline.value == 50


def test_some_people_of_many_are_asked_about(monkeypatch):
    monkeypatch.setattr(people, "MOST_PEOPLE", 100)
    original, outside, _ = in_thirds(POPULATION)
    outcomes = Membership().run(original, original, RNG, outside=outside).outcomes
    assert np.count_nonzero(~np.isnan(outcomes)) == 100
    assert np.nanmin(outcomes) > 0.9


def test_copies_are_those_of_the_measure_where_there_are_no_numbers():
    domain = ("nominal", [f"c{i}" for i in range(60)])
    rng = np.random.default_rng(1)
    original, outside, released = (keys({"v": domain}, {"v": rng.integers(0, 60, 50)}) for _ in range(3))
    result = Copies().run(released, original, RNG, outside=outside)
    parts = CopiesMeasure().bind(original, outside).score(released).parts
    found = parts["records"], parts["records_outside"]
    assert (result.attack.value, result.control.value) == pytest.approx(found)


def test_sought_columns_are_inferred_from_those_known():
    original, outside, _ = in_thirds(POPULATION)
    blind = Learned(attributes=("v",), sought=("x",)).run(original, original, RNG, outside=outside)
    seeing = Learned(attributes=("v", "y"), sought=("x",)).run(original, original, RNG, outside=outside)
    assert blind.attack.value < 30 < seeing.attack.value
    assert seeing.control.value < 30
    assert blind.baseline.value == pytest.approx(10, abs=1)
