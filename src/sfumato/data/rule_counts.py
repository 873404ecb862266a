"""How many records break the edit rules that their schema declares."""

import numpy as np

from sfumato.data.edit_rules import EditRule, RecordRule
from sfumato.data.households import together
from sfumato.data.table import Table


def broken_rules(table: Table) -> dict[str, int]:
    """For each rule of the schema, by its text, how many records break it.

    Members of a household break the rule that they agree if two of them have different values; a missing one is not
    different.

    >>> from sfumato.data import Attribute, Schema, edit_rule
    >>> numbers = [Attribute(name=name, scale="numeric") for name in ("wage", "income")]
    >>> schema = Schema(numbers, rules=[edit_rule("wage <= income")])
    >>> broken_rules(Table(schema, {"wage": [1, 5, 3], "income": [4, 4, np.nan]}))
    {'wage <= income': 1}
    """
    return {rule.text: int(np.count_nonzero(records_that_break(rule, table))) for rule in table.schema.rules}


def records_that_break(rule: EditRule, table: Table) -> np.ndarray:
    """Which records break a rule."""
    if isinstance(rule, RecordRule):
        return rule.broken({name: table[name] for name in rule.columns}, table.schema)
    labels = together(table)
    return np.asarray(np.logical_or.reduce([_at_odds(table, name, labels) for name in rule.columns]))


def _at_odds(table: Table, name: str, labels: np.ndarray) -> np.ndarray:
    """Members of households in which two have different values."""
    present = ~table.missing(name)
    values = table[name][present].astype(np.float64)
    low, high = np.full(table.n, np.inf), np.full(table.n, -np.inf)  # by household: there are no more of them
    np.minimum.at(low, labels[present], values)
    np.maximum.at(high, labels[present], values)
    return np.asarray((low < high)[labels])
