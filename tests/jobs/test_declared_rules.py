"""How many records break a declared rule is told of every release, beside how many of the original do."""

from functools import partial

import pytest

import sfumato
from masking.test_rules_in_synthesis import people
from sfumato.data import broken_rules, edit_rule
from sfumato.reports.protection import protection as report_of

RULE = "wage <= income"
FEW = "calibrated_synthesis(proposals=2)"
quick = {"seed": 3, "workers": 1, "with_verdict": False}


@pytest.fixture(scope="module")
def lax():
    table = people(120, lax=True, rules=[RULE], missing=0.0)
    return table.with_schema(
        table.schema.with_roles({"age": "key", "status": "key", "income": "confidential"})
    )


@pytest.mark.parametrize(
    "release",
    [partial(sfumato.protect, masking=FEW, **quick), partial(sfumato.evolve, synthesis=FEW, **quick)],
    ids=["protect", "evolve"],
)
def test_a_release_says_on_screen_in_record_and_report(lax, release):
    found, count = release(lax), broken_rules(lax)[RULE]
    assert count > 10
    told = [line for line in found.told() if isinstance(line, str)]
    assert "Records that break a rule, of the 120 of the original and of the release:" in told
    assert f"  {RULE}: {count}, 0" in told
    assert found.to_dict()["evaluation"]["rules"] == [{"rule": RULE, "before": count, "after": 0}]
    html = report_of(found, found.job)
    assert "<h3>Rules</h3>" in html and "wage &lt;= income" in html


def test_evaluate_counts_them_too(lax):
    masked = sfumato.mask(lax, "noise", seed=1)
    found = sfumato.evaluate(lax, masked, measures=["information_loss"])
    (one,) = found.rules
    assert (one.before, one.after) == (broken_rules(lax)[RULE], broken_rules(masked)[RULE])
    assert f"  {RULE}: {one.before}, {one.after}" in list(found.told())
    assert found.to_dict()["rules"] == [one._asdict()]


def test_a_column_that_does_not_go_out_is_told_of(lax):
    masked = lax.select([name for name in lax.names if name != "income"])
    found = sfumato.evaluate(lax, masked, measures=["information_loss"])
    assert found.rules[0].after is None
    assert f"  {RULE}: {found.rules[0].before}, not all its columns are there" in list(found.told())


def test_rules_that_hold_are_counted(lax):
    kept = lax.with_schema(lax.schema.with_rules([edit_rule("never age < 0 and income > 0")]))
    told = list(sfumato.evaluate(kept, kept, measures=["information_loss"]).told())
    assert told[-1] == "Rules that no record breaks, of the original or of the release: 1."


def test_without_rules_nothing_is_said(lax):
    plain = lax.with_schema(lax.schema.with_rules([]))
    found = sfumato.evaluate(plain, plain, measures=["information_loss"])
    assert "rules" not in found.to_dict() and not any("rule" in str(line) for line in found.told())
