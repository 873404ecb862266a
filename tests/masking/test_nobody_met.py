"""No released record equals that of a unique person where none may, whatever rules and households ask for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masking.test_calibrated_synthesis import Notes, met
from masking.test_synthetic_households import assert_agreed
from sfumato.core import progress
from sfumato.data import Attribute, Schema, Table, broken_rules, edit_rule
from sfumato.masking import CalibratedSynthesis

APART = CalibratedSynthesis(coincidences=False, proposals=5)
RULES = (
    "never age < 2 and status in (married, widowed)",
    "never status = widowed and home = owned and age < 6",
    "wage <= income",
)
ATTRIBUTES = (
    Attribute(name="age", scale="numeric", decimals=0, low=0, high=9),
    Attribute(name="status", scale="nominal", categories=("single", "married", "widowed")),
    Attribute(name="home", scale="nominal", categories=("owned", "rented")),
    Attribute(name="wage", scale="numeric", decimals=0, low=0),
    Attribute(name="income", scale="numeric", decimals=0, low=0, missing=("-1",)),
)


def workers(n, *, seed=0, rules=RULES):
    """People with few values in each column, of whom some are alone with theirs, and some break rules."""
    rng = np.random.default_rng(seed)
    wage = rng.integers(0, 4, n).astype(float)
    columns = {
        "age": np.minimum(rng.poisson(4, n), 9).astype(float),
        "status": rng.choice(3, n, p=[0.5, 0.35, 0.15]),
        "home": rng.integers(0, 2, n),
        "wage": wage,
        "income": np.where(rng.random(n) < 0.1, np.nan, wage + rng.integers(-1, 3, n).clip(min=-wage)),
    }
    return Table(Schema(ATTRIBUTES, rules=[edit_rule(rule) for rule in rules]), columns)


def apply(masking, table, seed):
    notes = Notes()
    with progress.listening(notes):
        return masking.apply(table, np.random.default_rng(seed)), "\n".join(notes.told)


@given(
    n=st.integers(100, 300),
    seed=st.integers(0, 10**6),
    rules=st.lists(st.sampled_from(RULES), min_size=1, unique=True),
)
@settings(max_examples=20)
def test_a_rule_that_is_repaired_brings_nobody_back(n, seed, rules):
    table = workers(n, seed=seed, rules=rules)
    new, told = apply(APART, table, seed)
    assert not any(broken_rules(new).values())
    assert met(table, new) == 0 and "unique people" not in told
    for name in table.names:
        assert new.missing(name).sum() == table.missing(name).sum()


def test_a_total_that_is_made_brings_nobody_back():
    """What was dealt out as the total of a record is not what it shows."""
    table = workers(250, rules=["income = wage + age"])
    gaps = np.arange(250) % 6 == 0
    table = table.replace({"income": np.where(gaps, np.nan, table["wage"] + table["age"])})
    assert met(table, table) > 10
    for seed in range(4):
        new, _ = apply(APART, table, seed)
        assert not any(broken_rules(new).values()) and met(table, new) == 0


def homes(sizes, *, seed=0, rules=(), numbered=False):
    """Households whose members have few values each; some share theirs with members of other places only."""
    rng = np.random.default_rng(seed)
    label = np.repeat(np.arange(len(sizes)), sizes)
    n = len(label)
    place = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    attributes = [
        Attribute(name="hh", scale="numeric", role="household", decimals=0),
        Attribute(name="region", scale="nominal", categories=tuple("abcd")),
        Attribute(name="age", scale="numeric", decimals=0),
        Attribute(name="sex", scale="nominal", categories=("f", "m")),
        Attribute(name="pay", scale="numeric", decimals=0),
    ]
    columns = {
        "hh": label.astype(float),
        "region": np.minimum(rng.geometric(0.4, len(sizes)) - 1, 3)[label],
        "age": np.minimum(rng.geometric(0.3, n), 7).astype(float),
        "sex": rng.integers(0, 2, n),
        "pay": np.minimum(rng.poisson(2, n), 6).astype(float),
    }
    if numbered:
        attributes.append(Attribute(name="member", scale="numeric", decimals=0))
        columns["member"] = place + 1.0
    return Table(Schema(attributes, rules=[edit_rule(rule) for rule in rules]), columns)


def without_numbers(table):
    return table.select([name for name in table.names if name != "hh"])


@given(seed=st.integers(0, 10**6), ruled=st.booleans(), numbered=st.booleans())
@settings(max_examples=12)
def test_nobody_is_met_in_households(seed, ruled, numbered):
    """Neither by a person of the same place nor by one of another."""
    rules = ["same region in household", *(["never age < 3 and pay > 2"] if ruled else [])]
    table = homes([1] * 40 + [2] * 50 + [3] * 30 + [4] * 10, seed=seed, rules=rules, numbered=numbered)
    new, told = apply(APART, table, seed)
    assert not any(broken_rules(new).values())
    assert_agreed(new, ("region",))
    assert met(without_numbers(table), without_numbers(new)) == 0 and "unique people" not in told


def test_nobody_is_met_where_members_share_all():
    """Who lives alone is unique by what the household has."""
    table = homes([1] * 60 + [2] * 40, rules=["same region, age, sex, pay in household"])
    first = np.searchsorted(table["hh"], table["hh"])
    table = table.replace({name: table[name][first] for name in ("age", "sex", "pay")})
    assert met(without_numbers(table), without_numbers(table)) > 5
    new, _ = apply(APART, table, 1)
    assert met(without_numbers(table), without_numbers(new)) == 0
    assert_agreed(new, ("region", "age", "sex", "pay"))


@pytest.mark.parametrize("rules", [(), ("never a = y and b = y",)])
def test_what_stays_is_counted_after_all_was_tried(rules):
    """All pairs that may be are somebody: each record is one, and is told of once."""
    attributes = [Attribute(name=name, scale="nominal", categories=tuple("yn")) for name in "ab"]
    schema = Schema(attributes, rules=[edit_rule(rule) for rule in rules])
    table = Table(schema, {"a": [0, 1, 1], "b": [1, 0, 1]})
    new, told = apply(APART, table, 1)
    assert not any(broken_rules(new).values())
    assert f"{met(table, new)} records still equal those of unique people" in told
