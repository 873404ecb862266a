"""Routing rules are those of the questionnaire: true of every record, beyond chance, and of nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import datasets
from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table, edit_rule
from sfumato.data.routing import MOST_RECORDS, routing_rules, with_routing
from sfumato.data.rule_counts import records_that_break


def column(name, categories=(), **more):
    scale = more.pop("scale", "nominal") if categories else "numeric"
    return Attribute(name=name, scale=scale, categories=tuple(categories), **more)


def texts(table):
    return [rule.text for rule in routing_rules(table)]


def people(n=1_000, seed=0):
    """Ages, and a wage that is asked from 16 on."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 90, n).astype(float)
    wage = np.where(age < 16, np.nan, rng.normal(size=n))
    return Table(Schema([column("age"), column("wage")]), {"age": age, "wage": wage})


def test_a_question_asked_from_an_age_on_is_a_rule():
    assert texts(people()) == ["never age < 16 and wage is not missing"]


def test_who_is_not_asked_is_found_where_others_give_no_answer_either():
    table = people()
    wage = table["wage"].copy()
    wage[np.flatnonzero(table["age"] > 40)[::3]] = np.nan
    assert texts(table.replace({"wage": wage})) == ["never age < 16 and wage is not missing"]


def test_a_code_for_not_applicable_is_found_as_a_category_too():
    table = people()
    codes = np.where(np.isnan(table["wage"]), 0, 1 + (np.arange(table.n) % 3))
    schema = Schema([column("age"), column("work", ["not asked", "a", "b", "c"])])
    assert texts(Table(schema, {"age": table["age"], "work": codes})) == [
        'never age < 16 and work != "not asked"',
        'never age >= 16 and work = "not asked"',
    ]


def test_people_are_routed_by_categories():
    rng = np.random.default_rng(1)
    home = rng.integers(0, 3, 900)
    rent = np.where(home == 2, rng.normal(size=900), np.nan)
    schema = Schema([column("home", ["own", "free of rent", "rented"]), column("rent")])
    assert texts(Table(schema, {"home": home, "rent": rent})) == [
        'never home in (own, "free of rent") and rent is not missing'
    ]


def test_answers_that_are_missing_by_chance_make_no_rule():
    rng = np.random.default_rng(2)
    wage = np.where(rng.random(1_000) < 0.2, np.nan, rng.normal(size=1_000))
    assert texts(people().replace({"wage": wage})) == []


def test_the_number_of_one_person_is_in_no_rule():
    rng = np.random.default_rng(4)
    income = np.round(rng.lognormal(10, 1, 1_000), 2)
    benefit = np.where(income > np.quantile(income, 0.8), np.nan, rng.normal(size=1_000))
    schema = Schema([column("income"), column("benefit")])
    assert texts(Table(schema, {"income": income, "benefit": benefit})) == []
    rounded = np.round(income, -4)
    benefit[rounded > 30_000] = np.nan
    assert texts(Table(schema, {"income": rounded, "benefit": benefit})) == [
        "never income > 30000 and benefit is not missing"
    ]


def test_few_people_make_no_rule():
    assert texts(people(120)) == []


def test_a_column_made_of_another_is_no_routing():
    rng = np.random.default_rng(3)
    income = rng.normal(size=1_000)
    thirds = np.searchsorted(np.quantile(income, [1 / 3, 2 / 3]), income)
    schema = Schema([column("income"), column("third", ["low", "middle", "high"], scale="ordinal")])
    assert texts(Table(schema, {"income": income, "third": thirds})) == []


def test_a_rule_found_among_some_records_must_hold_for_all():
    table = people(MOST_RECORDS + 1_000)
    wage = table["wage"].copy()
    wage[np.flatnonzero(table["age"] == 3)[1]] = 7.0  # every second record is looked at
    changed = table.replace({"wage": wage})
    assert all(not records_that_break(rule, changed).any() for rule in routing_rules(changed))


def test_declared_rules_stand_alone():
    rules = [edit_rule("never age < 5 and wage is not missing")]
    table = people().with_schema(people().schema.with_rules(rules))
    assert with_routing(table).schema.rules == tuple(rules)


@given(st.lists(st.text(min_size=1, max_size=6), min_size=2, max_size=2, unique=True))
def test_names_are_quoted_so_that_rules_mean_them(names):
    table = people()
    try:
        schema = Schema([column(names[0]), column(names[1])])
    except DataError:
        return
    renamed = Table(schema, dict(zip(names, (table["age"], table["wage"]), strict=True)))
    wanted = 0 if any("'" in name and '"' in name for name in names) else 1
    found = routing_rules(renamed)
    assert len(found) == wanted and all(set(rule.columns) == set(names) for rule in found)


@given(st.integers(0, 2**32 - 1), st.integers(40, 400))
def test_no_record_breaks_a_rule_that_is_proposed(seed, n):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 6, n)
    y = np.where(x < rng.integers(1, 5), -1, rng.integers(0, 4, n))
    z = np.where(rng.random(n) < 0.1, np.nan, x + rng.normal(size=n))
    schema = Schema([column("x", "abcdef", scale="ordinal"), column("y", "pq r"), column("z")])
    table = Table(schema, {"x": x, "y": y, "z": z})
    assert all(not records_that_break(rule, table).any() for rule in routing_rules(table))


@pytest.mark.skipif(not datasets.available("massachusetts"), reason="the public arena's file is not here")
def test_what_the_american_community_survey_asks_of_whom_is_found():
    found = set(texts(datasets.massachusetts()))
    assert {
        "never AGEP < 15 and MSP != N",
        "never AGEP < 15 and PINCP is not missing",
        "never AGEP < 3 and EDU != N",
        "never AGEP < 5 and DREM != N",
    } <= found
