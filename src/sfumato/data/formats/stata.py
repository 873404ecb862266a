"""Stata files, which keep labels of whole numbers, and missing codes as .a to .z."""

from collections.abc import Mapping
from pathlib import Path
from string import ascii_lowercase
from typing import Any, ClassVar

import pyarrow as pa

from sfumato.data.attribute import Attribute
from sfumato.data.formats._statistics import Spelling, StatisticsColumn, StatisticsFormat, as_number
from sfumato.data.table import Table

LARGEST_LABELLED = 2**31 - 28  # the integers above are missing values


class Stata(StatisticsFormat):
    """Files of Stata.

    >>> age = Attribute(name="age", scale="numeric", missing=("-9", "-8"))
    >>> Stata().spelling(age, pa.array([31.0])).cells
    {'-9': 'a', '-8': 'b'}
    """

    suffixes: ClassVar[tuple[str, ...]] = (".dta",)
    package: ClassVar[str] = "Stata"
    reader: ClassVar[str] = "read_dta"
    writer: ClassVar[str] = "write_dta"

    def spelling(self, attribute: Attribute, values: pa.Array) -> Spelling:
        """A letter for each code of a number; texts as they are."""
        if pa.types.is_floating(values.type):
            return Spelling(_letters(attribute.missing), renamed=True)
        return Spelling({code: code for code in attribute.missing})

    def number_labels(self, attribute: Attribute, words: Spelling) -> dict[Any, str]:
        """Labels of whole numbers and of the letters of missing codes."""
        labels: dict[Any, str] = {}
        for text, label in attribute.labels.items():
            value = words.cells.get(text) if text in attribute.missing else as_number(text)
            if isinstance(value, float):
                value = int(value) if value.is_integer() and abs(value) < LARGEST_LABELLED else None
            if value is not None:
                labels[value] = label
        return labels

    def text_labels(self, attribute: Attribute, values: list[str]) -> dict[Any, str]:
        """None."""
        return {}

    def declarations(
        self, table: Table, columns: Mapping[str, StatisticsColumn], target: Path
    ) -> dict[str, Any]:
        """Labels and missing codes."""
        return {
            "variable_value_labels": {
                name: column.labels for name, column in columns.items() if column.labels
            },
            "missing_user_values": {
                name: column.missing for name, column in columns.items() if column.missing
            },
        }


def _letters(codes: tuple[str, ...]) -> dict[str, str]:
    """A letter for each code: its own for .a to .z, the next free one for any other."""
    own = {
        code: code[1] for code in codes if len(code) == 2 and code[0] == "." and code[1] in ascii_lowercase
    }
    free = [letter for letter in ascii_lowercase if letter not in own.values()]
    others = [code for code in codes if code not in own]
    return {**own, **dict(zip(others, free, strict=False))}
