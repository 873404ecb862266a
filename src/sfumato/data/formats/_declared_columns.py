"""The columns of SPSS, Stata and SAS files, and the labels, measurement levels and missing codes these declare."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.arrow_columns import LARGEST_EXACT_INTEGER, as_text
from sfumato.data.attribute import Scale
from sfumato.data.inference import Declared

MEASURES: dict[str, Scale] = {"nominal": "nominal", "ordinal": "ordinal", "scale": "numeric"}


def declared_columns(found: pa.Table) -> tuple[pa.Table, Mapping[str, Declared]]:
    """What the reader process found, as columns and what is declared about each.

    Numbers that are all whole become integers. Special missing values of Stata and SAS (.a to .z, ._)
    make a column of texts, in which they have these names.
    """
    meta = json.loads(found.schema.metadata[b"meta"])
    special = _special_missing(meta)
    arrays = {name: _array(found, position) for position, name in enumerate(meta["names"])}
    declared = {name: _declared(name, arrays[name], meta, special.get(name, ())) for name in arrays}
    return pa.table(arrays), declared


def _special_missing(meta: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The letters that stand for missing values, by column: those used, and those that only have a label."""
    letters = {name: set(found) for name, found in meta["letters"].items()}
    for name, labels in meta["value_labels"].items():
        if name not in meta["texts"]:
            letters.setdefault(name, set()).update(value for value, _ in labels if isinstance(value, str))
    return {name: tuple(sorted(found)) for name, found in letters.items()}


def _array(found: pa.Table, position: int) -> pa.Array:
    array, letters = found[f"values {position}"].combine_chunks(), f"letters {position}"
    if pa.types.is_null(array.type) or pa.types.is_integer(array.type) or pa.types.is_floating(array.type):
        array = _numbers(array.cast(pa.float64()))
    if letters in found.column_names:
        named = pc.binary_join_element_wise(".", found[letters].combine_chunks(), "")
        return pc.coalesce(named, as_text(array))
    return as_text(array) if pa.types.is_time(array.type) else array


def _numbers(array: pa.Array) -> pa.Array:
    """Integers where all are whole, as a statistics package shows them; else floats."""
    present = array.drop_null().to_numpy()
    whole = np.all(present == np.floor(present)) and np.all(np.abs(present) < LARGEST_EXACT_INTEGER)
    return array.cast(pa.int64()) if whole else array


def _declared(name: str, array: pa.Array, meta: Mapping[str, Any], letters: tuple[str, ...]) -> Declared:
    is_text = name in meta["texts"]
    labels = {_text(value, is_text): label for value, label in meta["value_labels"].get(name, ())}
    ranges = meta["ranges"].get(name, [])
    known = dict.fromkeys([*labels, *(t for t in as_text(array).unique().to_pylist() if t)])
    return Declared(
        scale=MEASURES.get(meta["measures"].get(name, "unknown")),
        storage="text" if is_text else None,
        missing=(*_codes(ranges, known, is_text), *(f".{letter}" for letter in letters)),
        label=meta["labels"].get(name) or "",
        labels=labels,
    )


def _codes(ranges: list[tuple[Any, Any]], known: Iterable[str], is_text: bool) -> tuple[str, ...]:
    """Missing codes in order: those declared one by one, and those present or labelled inside a range."""
    single = [_text(low, is_text) for low, high in ranges if low == high]
    if is_text:
        return tuple(dict.fromkeys(code.rstrip() for code in single if code.strip()))
    wide = [(low, high) for low, high in ranges if low != high]
    inside = [
        text
        for text in known
        if not text.startswith(".") and any(low <= float(text) <= high for low, high in wide)
    ]
    return tuple(sorted({*single, *inside}, key=float))


def _text(value: Any, is_text: bool) -> str:
    if is_text:
        return str(value)
    if isinstance(value, str):
        return f".{value}"
    return str(as_text(pa.array([float(value)]))[0])
