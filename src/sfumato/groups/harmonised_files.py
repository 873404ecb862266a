"""Harmonised files: a microfile and an auxiliary file brought to the same attributes, values and ranges."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

from sfumato.core import DataError, Result
from sfumato.data import Attribute, Schema, Table
from sfumato.data.attribute import as_number
from sfumato.groups.harmonisation import SIDES, Harmonisation, Rule
from sfumato.groups.harmonised_columns import HarmonisedColumn, from_columns, labelled, merged, numbered

__all__ = ["SIDES", "Harmonisation", "Harmonised", "harmonise"]


class Harmonised(Result):
    """A file after harmonisation, and how many records it lost, by the first attribute that was not acceptable."""

    table: Table = field(repr=False)
    records: int
    dropped: dict[str, int]

    def _rows(self) -> list[dict[str, Any]]:
        return [{"attribute": name, "dropped": count} for name, count in self.dropped.items()]


def harmonise(microfile: Table, auxiliary: Table, spec: Harmonisation) -> tuple[Harmonised, Harmonised]:
    """Bring both files to the attributes of the spec, under one schema but for optional attributes.

    A record goes if the value of an attribute is not acceptable: outside the range, not listed, or missing
    where there is a range or a list. Elsewhere missing values stay missing.
    """
    both = [_columns(table, spec, side) for side, table in zip(SIDES, (microfile, auxiliary), strict=True)]
    refused = [_refused(columns, spec) for columns in both]
    kept = [
        ~np.any([*out.values()], axis=0) if out else np.ones(_length(columns), bool)
        for columns, out in zip(both, refused, strict=True)
    ]
    attributes = {
        name: _attribute(
            name, rule, [(c[name], rows) for c, rows in zip(both, kept, strict=True) if name in c]
        )
        for name, rule in spec.rules.items()
        if any(name in columns for columns in both)
    }
    first, second = map(_finished, (attributes, attributes), both, refused, kept)
    return first, second


def _columns(table: Table, spec: Harmonisation, side: str) -> dict[str, HarmonisedColumn]:
    found = {}
    for name, rule in spec.rules.items():
        needed = rule.columns_of(name, side)
        absent = [column for column in needed if column not in table]
        if absent and rule.optional:
            continue
        if absent:
            raise DataError(
                f"harmonisation, {name}: the {side} has no column {absent[0]}; name its columns with "
                "from or auxiliary, or make the attribute optional."
            )
        column = from_columns([(table.schema[c], table[c]) for c in needed], rule.separator)
        if rule.values:
            column = merged(column, rule.values, rule.otherwise)
        elif rule.scale == "numeric":
            column = numbered(column, f"harmonisation, {name}, {side}")
        elif rule.scale is not None:
            column = labelled(column)
        found[name] = column
    return found


def _refused(columns: Mapping[str, HarmonisedColumn], spec: Harmonisation) -> dict[str, np.ndarray]:
    """The records whose value is not acceptable, for each attribute that asks for something."""
    found = {}
    for name, column in columns.items():
        rule = spec.rules[name]
        if rule.range is not None:
            found[name] = column.outside(*rule.range)
        elif rule.values:
            found[name] = column.missing
    return found


def _attribute(name: str, rule: Rule, columns: list[tuple[HarmonisedColumn, np.ndarray]]) -> Attribute:
    """One attribute for both files, made of the columns and the records that are kept."""
    kinds = {column.is_numeric for column, _ in columns}
    if len(kinds) > 1:
        raise DataError(
            f"harmonisation, {name}: it is numeric in one file and categorical in the other; give its scale."
        )
    first = columns[0][0].attribute
    if kinds == {True}:
        return Attribute(
            name=name, scale="numeric", role=first.role, storage=first.storage, label=first.label
        )
    if rule.values:
        categories = columns[0][0].labels or ()
    else:
        categories = _in_order({label for column, kept in columns for label in column.used(kept)}, first)
    return Attribute(
        name=name,
        scale=rule.scale or ("ordinal" if first.scale == "ordinal" else "nominal"),
        role=first.role,
        storage=first.storage if not rule.values and len(rule.columns_of(name, SIDES[0])) == 1 else "text",
        categories=categories,
        label=first.label,
        labels={label: shown for label, shown in first.labels.items() if label in categories},
    )


def _in_order(labels: set[str], first: Attribute) -> tuple[str, ...]:
    """As the first file declares them; the others by number, then by letter."""
    declared = {label: place for place, label in enumerate(first.categories)}

    def rank(label: str) -> tuple[int, float, str]:
        number = as_number(label)
        return declared.get(label, len(declared)), np.inf if number is None else number, label

    return tuple(sorted(labels, key=rank))


def _finished(
    attributes: Mapping[str, Attribute],
    columns: Mapping[str, HarmonisedColumn],
    refused: Mapping[str, np.ndarray],
    kept: np.ndarray,
) -> Harmonised:
    dropped, gone = {}, np.zeros(len(kept), bool)
    for name, out in refused.items():
        dropped[name] = int(np.count_nonzero(out & ~gone))
        gone |= out
    values = {
        name: column.values[kept] if column.is_numeric else column.coded(attributes[name].categories)[kept]
        for name, column in columns.items()
    }
    schema = Schema(attribute for name, attribute in attributes.items() if name in columns)
    return Harmonised(table=Table(schema, values), records=len(kept), dropped=dropped)


def _length(columns: Mapping[str, HarmonisedColumn]) -> int:
    return max((len(column.values) for column in columns.values()), default=0)
