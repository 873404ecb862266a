"""The columns of SPSS, Stata and SAS files, and the labels, measurement levels and missing codes these declare."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.data.arrow_columns import LARGEST_EXACT_INTEGER, as_text
from sfumato.data.attribute import Scale
from sfumato.data.inference import Declared

MEASURES: dict[str, Scale] = {"nominal": "nominal", "ordinal": "ordinal", "scale": "numeric"}


def declared_columns(
    columns: Mapping[str, Iterable[Any]], meta: Any
) -> tuple[pa.Table, Mapping[str, Declared]]:
    """What pyreadstat found, as columns and what is declared about each.

    Numbers that are all whole become integers. Special missing values of Stata and SAS (.a to .z, ._)
    make a column of texts, in which they have these names.
    """
    special = _special_missing(meta)
    arrays = {
        name: _array(list(values), meta.readstat_variable_types[name] == "string", special.get(name, ()))
        for name, values in columns.items()
    }
    declared = {name: _declared(name, arrays[name], meta, special.get(name, ())) for name in arrays}
    return pa.table(arrays), declared


def _special_missing(meta: Any) -> dict[str, tuple[str, ...]]:
    """The letters that stand for missing values, by column: those used, and those that only have a label."""
    letters = {name: set(found) for name, found in meta.missing_user_values.items()}
    for name, labels in meta.variable_value_labels.items():
        if meta.readstat_variable_types.get(name) != "string":
            letters.setdefault(name, set()).update(value for value in labels if isinstance(value, str))
    return {name: tuple(sorted(found)) for name, found in letters.items()}


def _array(values: list[Any], is_text: bool, letters: tuple[str, ...]) -> pa.Array:
    if is_text:
        return pa.array([value or None for value in values], pa.string())
    if any(isinstance(value, str) for value in values):
        numbers = _numbers([None if isinstance(value, str) else value for value in values])
        texts = as_text(numbers).to_pylist()
        named = [
            f".{v}" if isinstance(v, str) and v in letters else t for v, t in zip(values, texts, strict=True)
        ]
        return pa.array(named, pa.string())
    array = pa.array(values, from_pandas=True)
    if pa.types.is_time(array.type):
        return as_text(array)
    if pa.types.is_date(array.type) or pa.types.is_timestamp(array.type):
        return array
    return _numbers(values)


def _numbers(values: Iterable[Any]) -> pa.Array:
    """Integers where all are whole, as a statistics package shows them; else floats."""
    array = pa.array(values, pa.float64(), from_pandas=True)
    present = array.drop_null().to_numpy()
    whole = np.all(present == np.floor(present)) and np.all(np.abs(present) < LARGEST_EXACT_INTEGER)
    return array.cast(pa.int64()) if whole else array


def _declared(name: str, array: pa.Array, meta: Any, letters: tuple[str, ...]) -> Declared:
    is_text = meta.readstat_variable_types[name] == "string"
    labels = {
        _text(value, is_text): label for value, label in meta.variable_value_labels.get(name, {}).items()
    }
    ranges = meta.missing_ranges.get(name, [])
    known = dict.fromkeys([*labels, *(t for t in as_text(array).unique().to_pylist() if t)])
    return Declared(
        scale=MEASURES.get(meta.variable_measure.get(name, "unknown")),
        storage="text" if is_text else None,
        missing=(*_codes(ranges, known, is_text), *(f".{letter}" for letter in letters)),
        label=meta.column_names_to_labels.get(name) or "",
        labels=labels,
    )


def _codes(ranges: list[dict[str, Any]], known: Iterable[str], is_text: bool) -> tuple[str, ...]:
    """Missing codes in order: those declared one by one, and those present or labelled inside a range."""
    single = [_text(r["lo"], is_text) for r in ranges if r["lo"] == r["hi"]]
    if is_text:
        return tuple(dict.fromkeys(code.rstrip() for code in single if code.strip()))
    wide = [r for r in ranges if r["lo"] != r["hi"]]
    inside = [
        text
        for text in known
        if not text.startswith(".") and any(r["lo"] <= float(text) <= r["hi"] for r in wide)
    ]
    return tuple(sorted({*single, *inside}, key=float))


def _text(value: Any, is_text: bool) -> str:
    if is_text:
        return str(value)
    if isinstance(value, str):
        return f".{value}"
    return str(as_text(pa.array([float(value)]))[0])
