"""Harmonised files: a microfile and an auxiliary file brought to the same attributes, values and ranges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sfumato.core import DataError, Result
from sfumato.data import MISSING, Attribute, Schema, Table
from sfumato.data.attribute import as_number
from sfumato.groups.harmonisation import SIDES, Harmonisation, Rule
from sfumato.kernels.distinct_records import distinct

__all__ = ["SIDES", "Harmonisation", "Harmonised", "harmonise"]


class Harmonised(Result):
    """A file after harmonisation, and how many records it lost, by the first attribute that was not acceptable.

    `rows` says which record of the original each one is.
    """

    table: Table = field(repr=False)
    rows: np.ndarray = field(repr=False)
    records: int
    dropped: dict[str, int]

    def _rows(self) -> list[dict[str, Any]]:
        return [{"attribute": name, "dropped": count} for name, count in self.dropped.items()]


@dataclass(frozen=True)
class _Column:
    """Numbers with NaN for missing; or, with labels, codes into these with −1 for missing.

    `attribute` is what is known of the first column it came from.
    """

    attribute: Attribute
    values: np.ndarray
    labels: tuple[str, ...] | None

    @property
    def is_numeric(self) -> bool:
        return self.labels is None

    @property
    def missing(self) -> np.ndarray:
        return np.isnan(self.values) if self.labels is None else self.values < 0

    def outside(self, low: float, high: float) -> np.ndarray:
        """Which records have no value from low to high; a label that is no number lies outside."""
        if self.labels is None:
            between: np.ndarray = (self.values >= low) & (self.values <= high)
            return ~between
        inside = np.array([*(low <= _number(label) <= high for label in self.labels), False])
        outside: np.ndarray = ~inside[self.values]
        return outside

    def used(self, kept: np.ndarray) -> tuple[str, ...]:
        """The labels that records among the kept ones have, in order."""
        labels = self.labels or ()
        codes = self.values[kept & ~self.missing]
        counts = np.bincount(codes, minlength=len(labels))
        return tuple(label for label, count in zip(labels, counts.tolist(), strict=True) if count)

    def coded(self, categories: Sequence[str]) -> np.ndarray:
        """The codes as positions among these categories, missing where a label is not among them."""
        position = {category: code for code, category in enumerate(categories)}
        places = [*(position.get(label, MISSING) for label in self.labels or ()), MISSING]
        return np.array(places).take(self.values)


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


def _columns(table: Table, spec: Harmonisation, side: str) -> dict[str, _Column]:
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
        column = _from_columns([(table.schema[c], table[c]) for c in needed], rule.separator)
        if rule.values:
            column = _merged(column, rule.values, rule.otherwise)
        elif rule.scale == "numeric":
            column = _numbered(column, f"harmonisation, {name}, {side}")
        elif rule.scale is not None:
            column = _labelled(column)
        found[name] = column
    return found


def _refused(columns: Mapping[str, _Column], spec: Harmonisation) -> dict[str, np.ndarray]:
    """The records whose value is not acceptable, for each attribute that asks for something."""
    found = {}
    for name, column in columns.items():
        rule = spec.rules[name]
        if rule.range is not None:
            found[name] = column.outside(*rule.range)
        elif rule.values:
            found[name] = column.missing
    return found


def _attribute(name: str, rule: Rule, columns: list[tuple[_Column, np.ndarray]]) -> Attribute:
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
    columns: Mapping[str, _Column],
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
    rows = np.flatnonzero(kept)
    return Harmonised(table=Table(schema, values), rows=rows, records=len(kept), dropped=dropped)


def _length(columns: Mapping[str, _Column]) -> int:
    return max((len(column.values) for column in columns.values()), default=0)


def _from_columns(columns: Sequence[tuple[Attribute, np.ndarray]], separator: str) -> _Column:
    """One column as it is, or several joined label by label; a record that misses one of them misses all."""
    single = [_Column(a, values, None if a.is_numeric else a.categories) for a, values in columns]
    if len(single) == 1:
        return single[0]
    parts = [_labelled(column) for column in single]
    gone = np.any([part.missing for part in parts], axis=0)
    found = distinct([np.where(gone, MISSING, part.values) for part in parts])
    codes = np.where(gone, MISSING, found.labels)
    labels = tuple(
        separator.join((part.labels or ())[part.values[record]] for part in parts) for record in found.first
    )
    return _Column(parts[0].attribute, codes, labels)


def _merged(column: _Column, values: Mapping[str, tuple[str, ...]], otherwise: str | None) -> _Column:
    """Old values put together under new ones; unlisted ones become `otherwise`, or missing without it.

    >>> sex = Attribute(name="sex", scale="nominal", categories=("1", "2", "9"))
    >>> column = _Column(sex, np.array([0, 1, 2, -1]), sex.categories)
    >>> _merged(column, {"man": ("1",)}, "other").values.tolist()
    [0, 1, 1, -1]
    """
    column = _labelled(column)
    names = (*values, *(() if otherwise is None or otherwise in values else (otherwise,)))
    rest = MISSING if otherwise is None else names.index(otherwise)
    new = {old: code for code, olds in enumerate(values.values()) for old in olds}
    places = np.array([*(new.get(label, rest) for label in column.labels or ()), MISSING])
    return _Column(column.attribute, places[column.values], names)


def _labelled(column: _Column) -> _Column:
    """Numbers as labels, in their order; labels stay."""
    if column.labels is not None:
        return column
    there = ~column.missing
    numbers, codes = np.unique(column.values[there], return_inverse=True)
    values = np.full(len(column.values), MISSING, np.int64)
    values[there] = codes
    return replace(column, values=values, labels=tuple(f"{number:.15g}" for number in numbers.tolist()))


def _numbered(column: _Column, where: str) -> _Column:
    """Labels as the numbers they are, or a refusal; numbers stay."""
    if column.labels is None:
        return column
    numbers = np.array([_number(label) for label in column.labels] + [np.nan])
    values = numbers[column.values]
    if np.any(np.isnan(values) & ~column.missing):
        raise DataError(f"{where}: some of its values are no numbers; list them under values instead.")
    return replace(column, values=values, labels=None)


def _number(label: str) -> float:
    number = as_number(label)
    return np.nan if number is None else number
