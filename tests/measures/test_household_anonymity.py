"""Household anonymity counts households that look alike, by a slow and obvious twin."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data import Attribute, Schema, Table, edit_rule
from sfumato.datasets import household_survey
from sfumato.masking import make_masking
from sfumato.measures import HouseholdAnonymity, HouseholdRisk
from sfumato.search.maskings.gates import Gate

SCHEMA = Schema(
    [
        Attribute(name="home", scale="numeric", role="household"),
        Attribute(name="town", scale="nominal", role="key", categories=tuple("ab")),
        Attribute(name="age", scale="ordinal", role="key", categories=tuple("123")),
    ],
    rules=[edit_rule("same town in household")],
)
people = st.lists(
    st.tuples(st.integers(0, 5), st.integers(-1, 1), st.integers(-1, 2), st.booleans()),
    min_size=1,
    max_size=25,
)


def naive(original, masked, members):
    """What is seen of each household, as a list."""
    homes = {}
    for row in range(masked.n):
        hidden = np.isnan(masked["home"][row])
        own = original["home"][row]
        number = (True, f"row {row}" if np.isnan(own) else own) if hidden else (False, masked["home"][row])
        homes.setdefault(number, []).append(row)
    seen = []
    for (hidden, _), rows in homes.items():
        if hidden:
            seen.append(("hidden", masked["town"][rows[0]]))
        else:
            known = [(masked["town"][r], *(masked[name][r] for name in members)) for r in rows]
            seen.append(("linked", tuple(sorted(known))))
    counts = Counter(seen)
    return [counts[one] for one in seen]


@given(people, st.sampled_from([(), ("age",)]), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_households_are_counted_as_one_would_by_hand(rows, members, k):
    homes = np.array([row[0] for row in rows], float)
    columns = {"home": homes, "town": [row[1] for row in rows], "age": [row[2] for row in rows]}
    original = Table(SCHEMA, columns)
    masked = original.replace({"home": np.where([row[3] for row in rows], np.nan, homes)})
    score = HouseholdAnonymity(k=k, members=members).bind(original).score(masked)
    counts = naive(original, masked, members)
    assert score.parts["smallest"] == min(counts)
    assert score.parts["households"] == len(counts)
    assert score.value == pytest.approx(100 * np.mean([count < k for count in counts]))


def test_it_is_a_requirement_by_a_short_name():
    gate = Gate.parse("household_k >= 3")
    assert str(gate) == "household_anonymity.smallest >= 3"
    assert "is shared by at least 3 households" in gate.in_words
    survey = household_survey(300, seed=1)
    masked = make_masking("local_suppression(k=3)").apply(survey, np.random.default_rng(1))
    scores = {gate.label: gate.measure.bind(survey).score(masked)}
    assert gate.holds(scores)
    assert not gate.holds({gate.label: gate.measure.bind(survey).score(survey)})


def test_household_risk_is_a_requirement_with_weights_and_sees_which_links_are_released():
    survey = household_survey(300, seed=1)
    weighted, plain = HouseholdRisk().bind(survey), HouseholdRisk(weighted=False).bind(survey)
    assert weighted.score(survey).value < plain.score(survey).value
    gate = Gate.parse("household_risk(weighted=false) <= 40")
    assert not gate.holds({gate.label: plain.score(survey)})
    unlinked = survey.replace({"household": np.full(survey.n, np.nan)})
    found = plain.score(unlinked)
    assert found.value == pytest.approx(found.parts["individual"])
