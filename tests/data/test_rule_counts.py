"""Broken rules of an original beside those of a release, in memory and from disk."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data import Attribute, Schema, Table, broken_rules, edit_rule, rules_kept
from sfumato.data.blocks import BlockWriter

RULES = ("never age < 15 and civil in (married, widowed)", "wage <= income", "same region in household")
SCHEMA = Schema(
    [
        Attribute(name="hh", scale="nominal", role="household", categories=tuple("pqrs")),
        Attribute(name="age", scale="numeric"),
        Attribute(name="civil", scale="nominal", categories=("single", "married", "widowed")),
        Attribute(name="region", scale="nominal", categories=("n", "s")),
        Attribute(name="wage", scale="numeric"),
        Attribute(name="income", scale="numeric"),
    ],
    rules=[edit_rule(rule) for rule in RULES],
)


def people(n, seed):
    rng = np.random.default_rng(seed)
    return Table(
        SCHEMA,
        {
            "hh": rng.integers(-1, 4, n),
            "age": rng.integers(0, 40, n).astype(float),
            "civil": rng.integers(-1, 3, n),
            "region": rng.integers(-1, 2, n),
            "wage": rng.integers(0, 5, n).astype(float),
            "income": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 5, n)),
        },
    )


@given(n=st.integers(1, 40), seed=st.integers(0, 10**6))
@settings(max_examples=20)
def test_both_files_are_counted_by_the_same_rules(n, seed):
    before, after = people(n, seed), people(n, seed + 1)
    expected = [broken_rules(before), broken_rules(after)]
    for one in rules_kept(before, after):
        assert (one.before, one.after) == (expected[0][one.rule], expected[1][one.rule])


def test_a_release_is_read_by_the_words_of_the_original():
    """It has other categories in another order, other numbers of households and no rules of its own."""
    before = people(60, 1)
    civil = Attribute(name="civil", scale="nominal", categories=("widowed", "married or single", "married"))
    homes = Attribute(name="hh", scale="nominal", categories=("4", "1", "9", "7"))
    schema = Schema([homes, SCHEMA["age"], civil, SCHEMA["region"]])
    columns = {name: before[name] for name in ("hh", "age", "region")}
    columns["civil"] = np.array([1, 2, 0, -1])[
        before["civil"]
    ]  # those who are single are one with the married
    found = {one.rule: one for one in rules_kept(before, Table(schema, columns))}
    assert found[RULES[0]].after == found[RULES[0]].before > 0
    assert found[RULES[1]].after is None  # wage and income do not go out
    assert found[RULES[2]].after == found[RULES[2]].before > 0


def test_they_are_counted_from_disk_too(tmp_path):
    """Members of a household lie in several blocks."""
    tables = people(50, 1), people(50, 2)
    blocks = [
        BlockWriter(tmp_path / str(at), SCHEMA).write_all(
            [one.take(np.arange(20)), one.take(np.arange(20, 50))]
        )
        for at, one in enumerate(tables)
    ]
    assert rules_kept(*blocks) == rules_kept(*tables)
