"""Broken rules: records that cannot be, by the edit rules that the schema declares."""

import numpy as np

from sfumato.data import Schema, Table
from sfumato.data.rule_counts import records_that_break
from sfumato.measures._contract import Bound, Judged, Measure


class BrokenRules(Measure):
    """Percent of released records that break at least one rule of the original's schema.

    All rules are looked at, or with `attributes` those about one of these. A rule whose columns or categories are not released any more, as after recoding, cannot be broken. Missing values
    break a rule only if it says so; a household breaks the rule that its members agree with all of them. From 0, where
    no record is impossible, to 100. The parts are `records`, how many they are, `original`, the percent of records of
    the original that break one, and `rules`, the number of rules that were looked at.

    An intruder learns from an impossible record that it was changed; an analyst loses trust in all others. It does not see
    what is impossible but not declared.

    Source: ours; edit rules as in Hundepool et al. (2012), §3.5.

    >>> from sfumato.data import Attribute, Schema, edit_rule
    >>> numbers = [Attribute(name=name, scale="numeric", role="key") for name in ("wage", "income")]
    >>> schema = Schema(numbers, rules=[edit_rule("wage <= income")])
    >>> file = Table(schema, {"wage": [1.0, 5.0], "income": [4.0, 6.0]})
    >>> BrokenRules().bind(file).score(file.replace({"wage": np.array([5.0, 5.0])})).value
    50.0
    """

    sense = "risk"
    joinable = False
    aligned = False

    def tells(self, schema: Schema) -> bool:
        return bool(schema.rules)

    def bound(self, original: Table, names: tuple[str, ...]) -> Bound:
        return BoundBrokenRules(self, original, names)


class BoundBrokenRules(Bound):
    """The measure with the rules of the original."""

    def judge(self, masked: Table) -> Judged:
        named = set(self.measure.attributes)
        rules = [rule for rule in self.original.schema.rules if not named or named & set(rule.columns)]
        rules = [rule for rule in rules if rule.fits(masked.schema)]
        broken = np.zeros(masked.n, bool)
        before = np.zeros(self.original.n, bool)
        for rule in rules:
            broken |= records_that_break(rule, masked)
            before |= records_that_break(rule, self.original)
        parts = {"records": float(broken.sum()), "original": 100 * float(before.mean())}
        return 100 * float(broken.mean()), {**parts, "rules": float(len(rules))}
