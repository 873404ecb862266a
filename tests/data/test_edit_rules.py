"""Rules that a schema declares: how they are read, kept, and counted."""

import pickle

import numpy as np
import pytest

from sfumato.core import DataError
from sfumato.data import Attribute, Schema, Table, broken_rules, edit_rule
from sfumato.data.edit_rules import Never, Same, Sums

ATTRIBUTES = (
    Attribute(name="hh", scale="numeric", role="household"),
    Attribute(name="age", scale="numeric", decimals=0),
    Attribute(
        name="civil status",
        scale="nominal",
        categories=("1", "2", "3"),
        labels={"2": "not married", "3": "widowed"},
    ),
    Attribute(name="degree", scale="ordinal", categories=("low", "middle", "high")),
    Attribute(name="wage", scale="numeric", decimals=2),
    Attribute(name="rent", scale="numeric", decimals=2),
    Attribute(name="total", scale="numeric", decimals=0),
)
SCHEMA = Schema(ATTRIBUTES)
RULES = (
    "never age < 15 and civil status in (widowed, 1)",
    "never degree >= high and age <= 17 and wage is not missing",
    "total = wage + rent",
    "rent <= total",
    "same civil status, degree in household",
)


def schema(*rules):
    return SCHEMA.with_rules(edit_rule(text) for text in rules)


def people(rules=RULES, **columns):
    n = len(next(iter(columns.values())))
    filled = {a.name: np.zeros(n) for a in ATTRIBUTES} | {"hh": np.arange(n)} | columns
    return Table(schema(*rules), filled)


def test_rules_come_back_as_they_were(tmp_path):
    declared = schema(*RULES)
    assert [type(rule) for rule in declared.rules] == [Never, Never, Sums, Sums, Same]
    (tmp_path / "s.toml").write_text(declared.to_toml(), encoding="utf-8")
    assert Schema.read(tmp_path / "s.toml") == declared != SCHEMA
    assert pickle.loads(pickle.dumps(declared)) == declared
    assert SCHEMA.to_toml().count("rules") == 0


def test_rules_go_with_their_columns_and_categories():
    declared = schema(*RULES)
    kept = declared.select(["wage", "rent", "total", "degree"])
    assert [rule.text for rule in kept.rules] == [RULES[2], RULES[3]]
    assert declared.with_roles({"age": "key"}).rules == declared.rules
    recoded = declared.replace([ATTRIBUTES[3].evolve(categories=("low", "more"))])
    assert RULES[1] not in [rule.text for rule in recoded.rules] and len(recoded.rules) == 4


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("never age <", "a column or value is missing"),
        ("never", "each condition is a column, a sign"),
        ("never age 15", "each condition is a column, a sign"),
        ("never degree in low", "in is followed by values in brackets"),
        ("never civil status > 1", "is nominal, and has no order"),
        ("never age < young", "'young' is no number"),
        ("never degree = PhD", "PhD"),
        ("never size = 3", "size"),
        ("wage", "a sum has one sign"),
        ("wage <= rent <= total", "a sum has one sign"),
        ("- wage <= rent", "begins with a column"),
        ("wage <= degree", "is ordinal, and sums are of numbers"),
        ("same degree in house", "ends with the words in household"),
        ("same colour in household", "colour"),
    ],
)
def test_what_is_no_rule_is_refused_by_file_rule_and_reason(tmp_path, rule, why):
    path = tmp_path / "s.toml"
    path.write_text(f"rules = [{rule!r}]\n" + SCHEMA.to_toml(), encoding="utf-8")
    with pytest.raises(DataError, match=r"s\.toml, rule") as caught:
        Schema.read(path)
    assert repr(rule) in str(caught.value) and why in str(caught.value)


@pytest.mark.parametrize("text", RULES)
def test_a_rule_shows_its_text(text):
    rule = edit_rule(text)
    assert repr(rule) == f"{type(rule).__name__}(text={text!r})"


def test_rules_are_a_list_of_texts():
    for wrong in ("rules = 3\n", 'rules = "age < 3"\n', "rules = [3]\n"):
        with pytest.raises(DataError, match="rules is a list of texts"):
            Schema.from_toml(wrong + SCHEMA.to_toml())


def test_conditions_on_every_scale():
    found = people(
        **{"age": [14, 14, 15, np.nan, 3], "civil status": [0, 1, 2, 2, 2], "wage": [1, 1, 1, 1, np.nan]},
        degree=[0, 2, 2, 2, 2],
        total=[1, 1, 1, 1, 7],
    )
    counts = broken_rules(found)
    assert list(counts) == list(RULES)
    assert counts[RULES[0]] == 2  # the first, and the last
    assert counts[RULES[1]] == 2  # the second and the third; a missing age or wage is none
    assert counts[RULES[2]] == 0  # a missing part says nothing


def test_all_signs():
    table = people(rules=(), age=[1, 2, 3, np.nan])
    for text, count in {
        "never age = 2": 1,
        "never age != 2": 2,
        "never age > 1 and age < 3": 1,
        "never age >= 2": 2,
        "never age not in (1, 2)": 1,
        "never age is missing": 1,
        "never age is not missing": 3,
        "never 'age' in (1, 3)": 2,
    }.items():
        assert broken_rules(table.with_schema(schema(text))) == {text: count}


def test_orders_and_rounded_sums():
    columns = {"wage": [1.25, 1.25, 5, np.nan], "rent": [1.5, 1.5, 1, 9], "total": [3, 2, 6, 1]}
    found = people(
        rules=("total = wage + rent", "wage < rent", "rent - wage >= wage", "wage <= rent"), **columns
    )
    assert list(broken_rules(found).values()) == [1, 1, 3, 1]


def test_members_agree_where_both_are_known():
    found = people(rules=RULES[4:], hh=[1, 1, 2, 2, np.nan, np.nan], degree=[0, 1, 0, -1, 1, 2])
    assert broken_rules(found) == {RULES[4]: 2}
