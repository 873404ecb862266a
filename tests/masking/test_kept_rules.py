"""Declared rules hold after maskings that change values, by a change that no smaller one could take the place of."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core import progress
from sfumato.data import Attribute, Schema, Table, broken_rules, edit_rule
from sfumato.datasets import household_survey
from sfumato.kernels.distinct_records import distinct
from sfumato.masking import make_masking
from sfumato.masking._kept_rules import Alike, with_rules_kept
from sfumato.measures import BrokenRules, KAnonymity

SURVEY_RULES = (
    "same region in household",
    "never age < 16 and marital in (married, widowed, divorced, separated)",
    "never age < 16 and employment in (employed, retired)",
    "never age >= 16 and employment = child",
    'never employment in (child, student, retired, unemployed) and occupation != "not in work"',
    'never hours > 0 and occupation = "not in work"',
)
MASKINGS = (
    *("mdav_generic(k=3)", "mondrian(k=3)", "local_suppression(k=3)", "generalisation(k=3, suppress=5)"),
    *("pram", "noise", "rank_swapping(p=20)", "shuffling", "data_swapping", "mdav(k=3) + pram"),
    *("clustered(k=3)", "top_bottom_coding", "rounding", "fuzzy", "record_swapping(p=50)", "tree_synthesis"),
)


@pytest.fixture(scope="module")
def survey():
    people = household_survey(600, seed=4)
    return people.with_schema(people.schema.with_rules(map(edit_rule, SURVEY_RULES)))


@pytest.mark.parametrize("spec", MASKINGS)
def test_no_record_of_a_survey_becomes_impossible(spec, survey):
    assert set(broken_rules(survey).values()) == {0}
    masking = make_masking(spec)
    masked = masking.apply(survey, np.random.default_rng(1))
    assert set(broken_rules(masked).values()) == {0}
    assert BrokenRules().bind(survey).score(masked).value == 0
    if masking.k_anonymous:
        names = masking.targets(survey)
        assert KAnonymity(attributes=names).bind(survey).score(masked).parts["smallest"] >= 3


def test_records_would_be_impossible_without_repair(survey):
    free = survey.with_schema(survey.schema.with_rules(()))
    for spec in ("pram", "shuffling", "mdav_generic(k=3)"):
        masked = make_masking(spec).apply(free, np.random.default_rng(1))
        again = Table(
            masked.schema.with_rules(survey.schema.rules),
            {name: masked[name] for name in masked.names},
        )
        assert BrokenRules().bind(survey).score(again).value > 0


def small(rules, **columns):
    attributes = [
        Attribute(name="age", scale="numeric", role="key", decimals=0, low=0, high=99),
        Attribute(name="wage", scale="numeric", role="key", decimals=1),
        Attribute(name="rent", scale="numeric", role="key", decimals=1),
        Attribute(name="total", scale="numeric", role="key", decimals=1),
        Attribute(name="state", scale="nominal", role="key", categories=("single", "married", "widowed")),
        Attribute(name="school", scale="ordinal", role="key", categories=("none", "low", "high")),
    ]
    chosen = [one for one in attributes if one.name in columns]
    return Table(Schema(chosen, rules=map(edit_rule, rules)), columns)


def kept(table, names=None, *, invents=True, least=1):
    alike = Alike(least)
    return with_rules_kept(table, names or table.names, table.schema.rules, invents=invents, alike=alike)


def test_the_nearest_value_is_taken():
    rules = ["never age < 15 and state in (married, widowed)"]
    table = small(rules, age=[14, 2, 30, 40, 50], state=[1, 1, 0, 1, 0])
    found = kept(table)
    assert found["age"].tolist() == [15, 15, 30, 40, 50]
    assert found["state"].tolist() == [1, 1, 0, 1, 0]
    found = kept(table, ("state",))  # of these the most frequent that helps
    assert found["state"].tolist() == [0, 0, 0, 1, 0]
    ordinal = small(["never age < 15 and school = high"], age=[9, 10, 11, 60], school=[2, 0, 1, 2])
    assert kept(ordinal, ("school",))["school"].tolist() == [1, 0, 1, 2]


def test_a_method_that_changes_no_value_empties_a_cell():
    rules = ["never age < 15 and state in (married, widowed)"]
    table = small(rules, age=[14, 30], state=[1, 0])
    found = kept(table, ("state",), invents=False)
    assert found["state"].tolist() == [-1, 0]


def test_orders_and_sums_are_mended():
    table = small(["wage <= total"], wage=[5.0, 1.0], total=[4.0, 3.0])
    assert kept(table, ("wage",))["wage"].tolist() == [4.0, 1.0]
    assert kept(table, ("total",))["total"].tolist() == [5.0, 3.0]
    table = small(["wage < total"], wage=[5.0, 1.0], total=[5.0, 3.0])
    assert kept(table, ("wage",))["wage"].tolist() == [4.9, 1.0]
    parts = {"wage": [5.0, 1.0, 2.0], "rent": [1.0, 1.0, np.nan], "total": [9.0, 2.0, 1.0]}
    table = small(["total = wage + rent"], **parts)
    assert kept(table, ("total",))["total"].tolist() == [6.0, 2.0, 1.0]
    assert kept(table, ("rent",))["rent"].tolist()[:2] == [4.0, 1.0]


def test_all_records_that_are_alike_change_alike():
    table = small(["wage <= total"], wage=[5.0, 5.0, 5.0, 1.0], total=[6.0, 4.0, 4.5, 9.0])
    assert kept(table, ("wage",))["wage"].tolist() == [5.0, 4.0, 4.5, 1.0]
    for least in (2, None):
        assert kept(table, ("wage",), least=least)["wage"].tolist() == [4.0, 4.0, 4.0, 1.0]


def test_a_class_is_cut_where_enough_are_on_either_side():
    wage, total = [5.0] * 5, [6.0, 7.0, 8.0, 4.0, 3.0]
    table = small(["wage <= total"], wage=wage, total=total)
    assert kept(table, ("wage",), least=2)["wage"].tolist() == [5.0, 5.0, 5.0, 3.0, 3.0]
    assert kept(table, ("wage",), least=3)["wage"].tolist() == [3.0] * 5


def test_what_cannot_be_mended_is_told_and_can_be_refused(survey):
    said = []

    class Notes(progress.Listener):
        def noted(self, message):
            said.append(message)

    rules = [edit_rule("never region = 'Arno City' and sex = male")]
    table = survey.with_schema(survey.schema.with_rules(rules))
    with progress.listening(Notes()):
        masked = make_masking("record_swapping(p=20)").apply(table, np.random.default_rng(1))
    (count,) = broken_rules(masked).values()
    assert count > 0
    assert any(f"{count:,} of {masked.n:,} records break the rule about region" in text for text in said)
    assert BrokenRules().bind(table).score(masked).parts["records"] == count


ages, codes = st.lists(st.integers(0, 30), min_size=1, max_size=12), st.integers(0, 2)


@given(
    data=st.data(),
    ages=ages,
    limit=st.integers(1, 29),
)
@settings(max_examples=60, deadline=None)
def test_of_single_changes_none_is_smaller(data, ages, limit):
    """By enumeration of all values of all cells of a record."""
    states = data.draw(st.lists(codes, min_size=len(ages), max_size=len(ages)))
    rules = [f"never age < {limit} and state in (married, widowed)"]
    table = small(rules, age=np.array(ages, float), state=states)
    found = kept(table, ("age",))
    assert set(broken_rules(found).values()) == {0}
    for old, state, new in zip(ages, states, found["age"].tolist(), strict=True):
        allowed = [v for v in range(100) if not (v < limit and state > 0)]
        assert abs(new - old) == min(abs(v - old) for v in allowed)


@given(data=st.data(), n=st.integers(2, 20))
@settings(max_examples=25, deadline=None)
def test_any_rules_hold_where_cells_may_be_emptied(data, n):
    """Rules that never ask for a value are always kept; classes of equal records are not cut."""
    pool = [
        "never age < 15 and state in (married, widowed)",
        "never school = high and age < 18",
        "never state = widowed and school = none",
        "wage <= total",
        "total = wage + rent",
    ]
    rules = data.draw(st.lists(st.sampled_from(pool), min_size=1, unique=True))
    number = st.integers(0, 60).map(float)
    columns = {name: data.draw(st.lists(number, min_size=n, max_size=n)) for name in ("age", "wage", "rent")}
    columns["total"] = data.draw(st.lists(number, min_size=n, max_size=n))
    columns |= {name: data.draw(st.lists(codes, min_size=n, max_size=n)) for name in ("state", "school")}
    table = small(rules, **columns)
    before = distinct(table.shown(table.names)).labels
    for invents, least in itertools.product((True, False), (1, 2, None)):
        found = kept(table, invents=invents, least=least)
        assert set(broken_rules(found).values()) == {0}
        after = distinct(found.shown(found.names)).labels
        for a, b in itertools.combinations(range(n), 2):
            assert before[a] != before[b] or after[a] == after[b]
