"""Columns on their way to a harmonised attribute: joined, renamed, turned into numbers or into codes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sfumato.core import DataError
from sfumato.data import MISSING, Attribute
from sfumato.data.attribute import as_number
from sfumato.kernels.distinct_records import distinct


@dataclass(frozen=True)
class HarmonisedColumn:
    """Numbers with NaN for missing; or, with labels, codes into these with −1 for missing.

    `attribute` is what is known of the first column it came from.
    """

    attribute: Attribute
    values: np.ndarray
    labels: tuple[str, ...] | None

    @property
    def is_numeric(self) -> bool:
        """Whether values are numbers."""
        return self.labels is None

    @property
    def missing(self) -> np.ndarray:
        """Which records have no value."""
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
        places = np.array([*(position.get(label, MISSING) for label in self.labels or ()), MISSING])
        codes: np.ndarray = places[self.values]
        return codes


def from_columns(columns: Sequence[tuple[Attribute, np.ndarray]], separator: str) -> HarmonisedColumn:
    """One column as it is, or several joined label by label; a record that misses one of them misses all."""
    single = [_source(attribute, values) for attribute, values in columns]
    if len(single) == 1:
        return single[0]
    parts = [labelled(column) for column in single]
    gone = np.any([part.missing for part in parts], axis=0)
    found = distinct([np.where(gone, MISSING, part.values) for part in parts])
    codes = np.where(gone, MISSING, found.labels)
    labels = tuple(
        separator.join((part.labels or ())[part.values[record]] for part in parts) for record in found.first
    )
    return HarmonisedColumn(parts[0].attribute, codes, labels)


def merged(
    column: HarmonisedColumn, values: Mapping[str, tuple[str, ...]], otherwise: str | None
) -> HarmonisedColumn:
    """Old values put together under new ones; unlisted ones become `otherwise`, or missing without it.

    >>> sex = Attribute(name="sex", scale="nominal", categories=("1", "2", "9"))
    >>> column = HarmonisedColumn(sex, np.array([0, 1, 2, -1]), sex.categories)
    >>> merged(column, {"man": ("1",)}, "other").values.tolist()
    [0, 1, 1, -1]
    """
    column = labelled(column)
    names = (*values, *(() if otherwise is None or otherwise in values else (otherwise,)))
    rest = MISSING if otherwise is None else names.index(otherwise)
    new = {old: code for code, olds in enumerate(values.values()) for old in olds}
    places = np.array([*(new.get(label, rest) for label in column.labels or ()), MISSING])
    return HarmonisedColumn(column.attribute, places[column.values], names)


def labelled(column: HarmonisedColumn) -> HarmonisedColumn:
    """Numbers as labels, in their order; labels stay."""
    if column.labels is not None:
        return column
    there = ~column.missing
    numbers, codes = np.unique(column.values[there], return_inverse=True)
    values = np.full(len(column.values), MISSING, np.int64)
    values[there] = codes
    return replace(column, values=values, labels=tuple(f"{number:.15g}" for number in numbers.tolist()))


def numbered(column: HarmonisedColumn, where: str) -> HarmonisedColumn:
    """Labels as the numbers they are, or a refusal; numbers stay."""
    if column.labels is None:
        return column
    numbers = np.array([_number(label) for label in column.labels] + [np.nan])
    values = numbers[column.values]
    if np.any(np.isnan(values) & ~column.missing):
        raise DataError(f"{where}: some of its values are no numbers; list them under values instead.")
    return replace(column, values=values, labels=None)


def _source(attribute: Attribute, values: np.ndarray) -> HarmonisedColumn:
    return HarmonisedColumn(attribute, values, None if attribute.is_numeric else attribute.categories)


def _number(label: str) -> float:
    number = as_number(label)
    return np.nan if number is None else number
