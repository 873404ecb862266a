"""SPSS files, which keep labels, measurement levels and up to three missing codes, or a range of them and one more."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.data.attribute import Attribute
from sfumato.data.formats._statistics import Spelling, StatisticsColumn, StatisticsFormat
from sfumato.data.table import Table

LONGEST_TEXT = 8
MOST_CODES = 3


class Spss(StatisticsFormat):
    """Files of SPSS.

    >>> age = Attribute(name="age", scale="numeric", missing=("-9", "-8"))
    >>> Spss().spelling(age, pa.array([31.0])).declared
    [-9.0, -8.0]
    """

    suffixes = (".sav", ".zsav")
    package = "SPSS"
    reader = "read_sav"
    writer = "write_sav"
    longest_name = 64
    marks = ".@#$"
    missing_option = "missing_ranges"

    def spelling(self, attribute: Attribute, values: pa.Array) -> Spelling:
        """Codes are written as they are, and declared."""
        is_numeric = pa.types.is_floating(values.type)
        return _numbers(attribute, values) if is_numeric else _texts(attribute.missing)

    def label_key(self, number: float) -> float | None:
        return number

    def text_labels(self, attribute: Attribute, values: list[str]) -> dict[Any, str]:
        """Labels of texts; pyreadstat makes room for the texts present and for plain letters only."""
        room = max((len(value.encode()) for value in values), default=1)
        return {t: label for t, label in attribute.labels.items() if t.isascii() or len(t.encode()) <= room}

    def declarations(
        self, table: Table, columns: Mapping[str, StatisticsColumn], target: Path
    ) -> dict[str, Any]:
        return {
            "compress": target.suffix.lower() == ".zsav",
            "variable_measure": {a.name: "scale" if a.is_numeric else a.scale for a in table.schema},
            "variable_format": _formats(table, columns),
        }


def _formats(table: Table, columns: Mapping[str, StatisticsColumn]) -> dict[str, str]:
    """Numbers show the decimals they have; without this SPSS shows two."""
    formats = {}
    for attribute in table.schema:
        decimals = 0 if attribute.storage in ("integer", "boolean") else attribute.decimals
        if columns[attribute.name].series.dtype == float and decimals is not None:
            formats[attribute.name] = f"F{decimals + 8}.{decimals}"
    return formats


def _texts(codes: tuple[str, ...]) -> Spelling:
    kept = [code for code in codes if len(code.encode()) <= LONGEST_TEXT][:MOST_CODES]
    return Spelling({code: code for code in kept}, kept)


def _numbers(attribute: Attribute, values: pa.Array) -> Spelling:
    numbers = {code: number for code in attribute.missing if (number := _finite(code)) is not None}
    codes = list(numbers.values())
    if len(codes) <= MOST_CODES:
        return Spelling(dict(numbers), list(codes))
    taken = np.asarray(values.drop_null(), dtype=float)
    domain = [number for text in attribute.categories if (number := _finite(text)) is not None]
    low, *middle, high = sorted(codes)
    candidates: list[tuple[float, float, list[float]]] = [
        (low, high, []),
        (middle[0], high, [low]),
        (low, middle[-1], [high]),
    ]
    for lo, hi, alone in candidates:
        if not np.any((np.array([*taken, *domain]) >= lo) & (np.array([*taken, *domain]) <= hi)):
            return Spelling(dict(numbers), [{"lo": lo, "hi": hi}, *alone])
    kept = dict(list(numbers.items())[:MOST_CODES])
    return Spelling(dict(kept), list(kept.values()))


def _finite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
