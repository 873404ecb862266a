"""Bar: a household survey is protected so that no member contradicts another, rules hold, and households are k."""

import numpy as np
import pytest

from sfumato import protect
from sfumato.data import broken_rules, edit_rule
from sfumato.data.households import together
from sfumato.datasets import household_survey
from sfumato.masking import make_masking
from sfumato.search.maskings.gates import Gate

RULES = (
    "same region, wealth in household",
    "never age < 16 and marital in (married, widowed, divorced, separated)",
    "never age >= 16 and employment = child",
    'never employment in (child, student, retired, unemployed) and occupation != "not in work"',
)
REQUIRED = (
    "household_k >= 3",
    "household_risk <= 5",
    "household_risk(weighted=false).largest <= 90",
    "k >= 3",
)


@pytest.fixture(scope="module")
def survey():
    people = household_survey(400, seed=7)
    return people.with_schema(people.schema.with_rules(map(edit_rule, RULES)))


def assert_consistent(table):
    """Every pair of neighbours in a household shows the same region, and no rule is broken."""
    labels = together(table)
    order = np.argsort(labels, kind="stable")
    same = labels[order][1:] == labels[order][:-1]
    region = np.array(table.select(["region"]).to_arrow(text=True)["region"].to_pylist(), object)[order]
    assert (region[1:] == region[:-1])[same].all()
    assert same.any()
    assert not any(broken_rules(table).values())


@pytest.mark.parametrize(
    "spec",
    [
        *("mdav_generic(k=3)", "mondrian(k=3)", "local_suppression(k=3)", "clustered(k=3)"),
        *("global_recoding(p=3) + local_suppression(k=3)", "top_bottom_coding + mondrian(k=3)"),
        "mdav_generic(k=3, l=2, t=0.4, confidential=health)",
    ],
)
def test_k_anonymous_maskings_meet_what_is_required_of_households(spec, survey):
    masked = make_masking(spec).apply(survey, np.random.default_rng(1))
    assert_consistent(masked)
    for gate in map(Gate.parse, REQUIRED[:3]):
        reading = gate.read({gate.label: gate.measure.bind(survey).score(masked)})
        assert reading.holds, (str(gate), reading.reading)


def test_protect_releases_households_that_meet_what_is_required(survey):
    found = protect(
        survey.take(np.arange(200)),
        require=(*REQUIRED, "broken_rules <= 0"),
        methods=("mdav_generic",),
        score="max",
        rehearsals=0,
        seed=1,
    )
    assert all(gate.holds for gate in found.gates)
    assert_consistent(found.aligned)
    assert_consistent(found.release)


@pytest.mark.slow
def test_the_policy_scientific_releases_households_that_meet_what_is_required():
    people = household_survey(1000, seed=7)
    people = people.with_schema(people.schema.with_rules(map(edit_rule, RULES)))
    required = ("household_k >= 3", "household_risk <= 5", "broken_rules <= 0")
    found = protect(people, policy="scientific", require=required, seed=1)
    assert {str(gate.gate) for gate in found.gates} >= {
        "people_found <= 5",
        "household_anonymity.smallest >= 3",
    }
    assert all(gate.holds for gate in found.gates)
    assert_consistent(found.aligned)
