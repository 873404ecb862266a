"""How many records break the edit rules that their schema declares."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sfumato.data.blocks import Blocks, joined
from sfumato.data.edit_rules import EditRule, RecordRule
from sfumato.data.encoding import MISSING
from sfumato.data.households import together
from sfumato.data.schema import Schema
from sfumato.data.table import Table


class RuleCount(NamedTuple):
    """How many records of the original break a rule, and of a release; nothing where it has not all columns for it."""

    rule: str
    before: int
    after: int | None


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


def rules_kept(original: Table | Blocks, released: Table | Blocks) -> tuple[RuleCount, ...]:
    """The rules of an original, and how many of its records and of a release's break each.

    A release is read by the categories of the original; one that covers several is as good as missing. Records are
    counted block by block; of rules about households only their columns are brought together.
    """
    known = original.schema
    return tuple(
        RuleCount(rule.text, _count(rule, original, known) or 0, _count(rule, released, known))
        for rule in known.rules
    )


def _count(rule: EditRule, data: Table | Blocks, known: Schema) -> int | None:
    """How many records break a rule, whose words are those of a schema; nothing where a column is not there."""
    homes = () if isinstance(rule, RecordRule) else known.with_role("household")
    names = tuple(dict.fromkeys([*homes, *rule.columns]))
    if not all(name in data.schema and _is_alike(name, data.schema, known) for name in names):
        return None
    pieces = _pieces(data, names, apart=isinstance(rule, RecordRule))
    return sum(
        int(np.count_nonzero(records_that_break(rule, _as_known(one, homes, known)))) for one in pieces
    )


def _is_alike(name: str, schema: Schema, known: Schema) -> bool:
    return schema[name].is_numeric == known[name].is_numeric


def _pieces(data: Table | Blocks, names: Sequence[str], *, apart: bool) -> Iterator[Table]:
    if isinstance(data, Table):
        yield data.select(names)
    elif apart:
        yield from data.tables(names)
    else:
        yield joined(list(data.tables(names)), data.schema.select(names))


def _as_known(table: Table, homes: Sequence[str], known: Schema) -> Table:
    """The table by the categories of another schema; numbers of households are what they are."""
    columns = {}
    for attribute in table.schema:
        values, name = table[attribute.name], attribute.name
        if not attribute.is_numeric and name not in homes:
            places = {category: code for code, category in enumerate(known[name].categories)}
            lookup = [places.get(category, MISSING) for category in attribute.categories]
            values = np.array([*lookup, MISSING], np.int64)[values]
        columns[name] = values
    attributes = [
        (table.schema if name in homes else known)[name].evolve(role=known[name].role) for name in columns
    ]
    return Table(Schema(attributes), columns)


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
