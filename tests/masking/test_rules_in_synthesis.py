"""Declared rules hold in every synthetic file, whatever they are and whether the original obeyed them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masking.synthesis.surveyed import contents
from masking.test_synthetic_households import Ear, assert_agreed, homes
from sfumato.core import DataError, progress
from sfumato.data import Attribute, Schema, Table, broken_rules, edit_rule
from sfumato.masking import CalibratedSynthesis, TreeSynthesis

METHODS = (TreeSynthesis(leaf=20), CalibratedSynthesis(proposals=5))
each = pytest.mark.parametrize("masking", METHODS, ids=lambda masking: masking.name)
ATTRIBUTES = (
    Attribute(name="age", scale="numeric", decimals=0, low=0, high=99),
    Attribute(name="status", scale="nominal", categories=("single", "married", "widowed"), missing=("?",)),
    Attribute(name="degree", scale="ordinal", categories=("low", "middle", "high")),
    Attribute(name="wage", scale="numeric", decimals=1, low=0),
    Attribute(name="rent", scale="numeric", decimals=1, low=0),
    Attribute(name="income", scale="numeric", decimals=1, low=0, high=1500),
    Attribute(name="total", scale="numeric", decimals=1, low=0, high=2000),
)
FITTING = (
    "never age < 18 and status in (married, widowed)",
    "never age < 18 and degree = high and wage > 100",
    "wage <= income",
    "total = wage + rent",
)


def people(n, *, seed=0, rules=FITTING, missing=0.1, lax=False):
    """People who obey the rules that fit, unless they are lax."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 100, n).astype(float)
    degree = np.clip(rng.integers(0, 3, n), 0, np.where((age < 18) & (not lax), 1, 2))
    wage = np.round(np.minimum(rng.gamma(2, 150, n), 900), 1)
    rent = np.round(np.minimum(rng.gamma(2, 100, n), 900), 1)
    income = np.round(wage + np.minimum(rng.gamma(1, 80, n), 500) - (300 if lax else 0), 1)
    columns = {
        "age": age,
        "status": np.where((age < 18) & (not lax), 0, rng.integers(-1, 3, n)),
        "degree": degree,
        "wage": wage,
        "rent": np.where(rng.random(n) < missing, np.nan, rent),
        "income": np.where(rng.random(n) < missing, np.nan, np.clip(income, 0, 1500)),
    }
    columns["total"] = np.round(columns["wage"] + columns["rent"] + lax * rng.integers(0, 2, n), 1)
    return Table(Schema(ATTRIBUTES, rules=[edit_rule(rule) for rule in rules]), columns)


def apply(masking, table, seed=1):
    return masking.apply(table, np.random.default_rng(seed))


def assert_legal(table):
    for attribute in table.schema:
        values = table[attribute.name]
        if attribute.is_numeric:
            present = values[~np.isnan(values)]
            np.testing.assert_array_equal(present, attribute.conform(present))


@each
@given(n=st.integers(1, 120), seed=st.integers(0, 10**6), tight=st.booleans())
@settings(max_examples=10)
def test_rules_that_the_original_obeys_hold_and_margins_are_exact(masking, n, seed, tight):
    table = people(n, seed=seed, rules=FITTING if tight else [FITTING[0], FITTING[3]])
    assert not any(broken_rules(table).values())
    new = apply(masking.from_parameters({**masking.non_defaults(), "single": True}), table, seed)
    assert not any(broken_rules(new).values())
    assert_legal(new)
    same = [
        contents(new, name) == contents(table, name) for name in ("age", "status", "degree", "wage", "rent")
    ]
    assert all(same) or tight or n < 20  # some may find nobody to swap with
    assert (np.isnan(new["total"]) == np.isnan(new["wage"] + new["rent"])).all()


conditions = st.one_of(
    st.builds("age {} {}".format, st.sampled_from(["<", ">=", "="]), st.integers(0, 99)),
    st.builds(
        "status {} ({})".format,
        st.sampled_from(["in", "not in"]),
        st.sampled_from(["single", "married, widowed"]),
    ),
    st.builds("degree {} middle".format, st.sampled_from(["<", ">=", "=", "!="])),
    st.builds("wage > {}".format, st.integers(50, 800)),
    st.sampled_from(["rent is missing", "income is not missing"]),
)
orders = st.sampled_from(["wage <= income", "rent < wage", "wage + rent <= income + total", "income >= rent"])
sums = st.sampled_from(["total = wage + rent", "wage = total - rent", "income = total - wage"])
impossible = st.lists(conditions, min_size=2, max_size=4).map(lambda parts: f"never {' and '.join(parts)}")
rule_lists = st.lists(st.one_of(impossible, impossible, orders, sums), min_size=1, max_size=4, unique=True)


@each
@given(rules=rule_lists, seed=st.integers(0, 10**6), lax=st.booleans(), n=st.sampled_from([15, 60, 150]))
@settings(max_examples=10)
def test_no_rule_is_ever_broken(masking, rules, seed, lax, n):
    """It may be refused, if no record obeys all rules or if they say the same of a sum twice."""
    table = people(n, seed=seed, rules=rules, lax=lax)
    try:
        new = apply(masking, table, seed)
    except DataError as error:
        assert "rule" in str(error)
        return
    assert not any(broken_rules(new).values())
    assert_legal(new)


@each
@given(seed=st.integers(0, 10**6), lax=st.booleans())
@settings(max_examples=8)
def test_rules_hold_in_households(masking, seed, lax):
    rules = [
        "never age < 40 and region = a",
        "never region = b and wealth > 4000",
        "never sex = f and pay < 2000 and region != c",
        "same region in household",
    ]
    table = homes([1] * 20 + [2] * 20 + [3] * 20, seed=seed, rules=rules)
    if lax:
        table = table.replace(
            {"age": np.where(table["region"] == 0, np.maximum(table["age"], 40), table["age"])}
        )
    new = apply(masking, table, seed)
    assert not any(broken_rules(new).values())
    assert_agreed(new)


@each
def test_what_the_original_breaks_is_counted_and_told(masking):
    table = people(200, lax=True, rules=["wage <= income"])
    told = []
    with progress.listening(Ear(told)):
        new = apply(masking, table)
    count = broken_rules(table)["wage <= income"]
    assert count > 20
    assert told == [
        f"{masking.name}: {count} of 200 records break the rule about wage and income; no released one does."
    ]
    assert broken_rules(new) == {"wage <= income": 0}


@each
def test_a_found_sum_keeps_its_bounds_and_stays_a_sum(masking):
    """Nobody declared it: large parts never meet, since nobody's total is above the bound."""
    rng = np.random.default_rng(0)
    wage, rent = rng.integers(0, 1000, 400).astype(float), rng.integers(0, 1000, 400).astype(float)
    rent = np.where(wage + rent > 1000, 1000 - wage, rent)
    attributes = [
        Attribute(name=name, scale="numeric", decimals=0, low=0, high=1000)
        for name in ("wage", "rent", "total")
    ]
    table = Table(Schema(attributes), {"wage": wage, "rent": rent, "total": wage + rent})
    new = apply(masking, table)
    np.testing.assert_array_equal(new["total"], new["wage"] + new["rent"])
    assert new["total"].max() <= 1000


@each
def test_a_total_with_gaps_of_its_own_keeps_them(masking):
    table = people(150, rules=["total = wage + rent"])
    total = table["total"].copy()
    total[::7], total[3] = np.nan, 50.0
    table = table.replace({"total": total})
    new = apply(masking, table)
    assert np.isnan(new["total"]).sum() == np.isnan(total).sum()
    assert not any(broken_rules(new).values())


@each
def test_two_breakdowns_of_one_total_both_hold(masking):
    table = people(150, rules=["total = wage + rent", "total = age + other"], missing=0.0)
    other = Attribute(name="other", scale="numeric", decimals=1)
    schema = Schema(
        [*table.schema, other], rules=[edit_rule("total = wage + rent"), edit_rule("total = age + other")]
    )
    columns = {name: table[name] for name in table.names} | {
        "other": np.round(table["total"] - table["age"], 1)
    }
    new = apply(masking, Table(schema, columns))
    assert not any(broken_rules(new).values())


@each
def test_a_total_of_what_a_household_has_and_what_a_member_has(masking):
    rules = ["sum = wealth + pay", "never member = 1 and age < 30", "same wealth in household"]
    table = homes([1] * 30 + [2] * 30 + [3] * 20, seed=2)
    total = Attribute(name="sum", scale="numeric", decimals=0, low=0)
    schema = Schema([*table.schema, total], rules=[edit_rule(rule) for rule in rules])
    columns = {name: table[name] for name in table.names} | {"sum": table["wealth"] + table["pay"]}
    new = apply(masking, Table(schema, columns))
    assert not any(broken_rules(new).values())
    assert np.isfinite(new["sum"]).sum() > 80
    np.testing.assert_array_equal(new["sum"], new["wealth"] + new["pay"])


@each
def test_a_rule_about_what_stays_is_not_claimed_to_hold(masking):
    table = people(60, lax=True, rules=["wage <= income"])
    only = masking.from_parameters({**masking.non_defaults(), "attributes": ("age", "rent")})
    told = []
    with progress.listening(Ear(told)):
        new = apply(only, table)
    count = broken_rules(table)["wage <= income"]
    assert broken_rules(new) == broken_rules(table)
    assert told == [
        f"{masking.name}: {count} of 60 records break the rule about wage and income; {count} released ones do: "
        "it is about columns that stay as they are."
    ]


def test_rules_that_say_the_same_twice_are_refused():
    with pytest.raises(DataError, match="says of no column what it is"):
        apply(
            TreeSynthesis(),
            people(30, rules=["total = wage + rent", "wage = total - rent", "rent = total - wage"]),
        )


def test_what_is_told_by_a_column_of_a_rule_goes_with_it():
    """A bracket that the income determines obeys a rule about it, by the incomes that are dealt out."""
    rng = np.random.default_rng(1)
    income, age = rng.integers(0, 60, 400) * 100.0, rng.integers(0, 90, 400).astype(float)
    income = np.where(age < 20, np.minimum(income, 900), income)
    bracket = np.digitize(income, [1000, 3000])
    attributes = [
        Attribute(name="age", scale="numeric", decimals=0),
        Attribute(name="income", scale="numeric", decimals=0),
        Attribute(name="bracket", scale="ordinal", categories=("low", "middle", "high")),
    ]
    schema = Schema(attributes, rules=[edit_rule("never age < 20 and bracket > low")])
    table = Table(schema, {"age": age, "income": income, "bracket": bracket})
    new = apply(TreeSynthesis(leaf=20), table)
    assert not any(broken_rules(new).values())
    np.testing.assert_array_equal(new["bracket"], np.digitize(new["income"], [1000, 3000]))
