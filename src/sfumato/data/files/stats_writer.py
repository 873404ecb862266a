"""The writer of files of SPSS, Stata and SAS, with everything the format can declare about a column.

SPSS keeps labels, measurement levels and up to three missing codes, or a range of them and one more. Stata
keeps labels of whole numbers, and missing codes as .a to .z. A SAS transport file keeps labels of columns
only. What a format cannot keep is noted, and a code it cannot declare is written as an ordinary missing
value: never as a number that could be taken for a value.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.core import DataError, FileError
from sfumato.core.progress import note
from sfumato.data.arrow_columns import LARGEST_EXACT_INTEGER
from sfumato.data.attribute import Attribute
from sfumato.data.encoding import decode
from sfumato.data.files.missing_codes import Spelling, spelling
from sfumato.data.files.stats_reader import PACKAGES, pyreadstat_for
from sfumato.data.table import Table

LONGEST_NAME = {".sav": 64, ".zsav": 64, ".dta": 32, ".xpt": 32}
LARGEST_LABELLED = 2**31 - 28  # in Stata, the integers above are its missing values


@dataclass(frozen=True)
class StatsColumn:
    """A column as pyreadstat takes it: a pandas series, labels by value, missing codes."""

    series: Any
    labels: dict[Any, str]
    missing: list[Any]


def write_stats(table: Table, target: Path) -> None:
    """Write a table as .sav, .zsav, .dta or .xpt."""
    suffix = target.suffix.lower()
    library = pyreadstat_for(target)
    for name in table.names:
        _check_name(name, suffix)
    columns = {a.name: _column(table, a, suffix) for a in table.schema}
    try:
        _write(library, table, columns, target)
    except (library.PyreadstatError, library.ReadstatError, OverflowError):
        raise FileError(
            f"The table cannot be written as a {PACKAGES[suffix]} file: a name, text or label breaks its rules."
        ) from None


def _write(library: Any, table: Table, columns: dict[str, StatsColumn], target: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({name: column.series for name, column in columns.items()})
    names = {a.name: a.label for a in table.schema if a.label}
    labels = {name: column.labels for name, column in columns.items() if column.labels}
    missing = {name: column.missing for name, column in columns.items() if column.missing}
    suffix = target.suffix.lower()
    if suffix == ".xpt":
        library.write_xport(frame, str(target), column_labels=names, file_format_version=8)
    elif suffix == ".dta":
        library.write_dta(
            frame,
            str(target),
            column_labels=names,
            variable_value_labels=labels,
            missing_user_values=missing,
        )
    else:
        library.write_sav(
            frame,
            str(target),
            compress=suffix == ".zsav",
            column_labels=names,
            variable_value_labels=labels,
            missing_ranges=missing,
            variable_measure={a.name: "scale" if a.is_numeric else a.scale for a in table.schema},
            variable_format=_spss_formats(table, columns),
        )


def _column(table: Table, attribute: Attribute, suffix: str) -> StatsColumn:
    import pandas as pd

    array = _writable(decode(table[attribute.name], None, attribute))
    numeric = bool(pa.types.is_floating(array.type))
    text = pa.types.is_string(array.type)
    reasons = table.reasons(attribute.name)
    words = spelling(attribute, array, suffix)
    values: list[Any] = array.to_pylist()
    if reasons is not None:
        _say_what_is_lost(attribute, reasons, words)
        for row in np.flatnonzero(reasons):
            values[row] = words.cells.get(attribute.missing[reasons[row] - 1])
    letters = sorted({value for value in values if isinstance(value, str)}) if numeric else []
    missing = letters if suffix == ".dta" else words.declared
    if text:
        values = ["" if value is None else value for value in values]
    series = pd.Series(values, dtype=float if numeric and not letters else object)
    labels: dict[Any, str] = {}
    if suffix != ".xpt" and (numeric or text):
        labels = (
            _number_labels(attribute, words, suffix) if numeric else _text_labels(attribute, values, suffix)
        )
    if len(labels) < len(attribute.labels):
        note(f"Column {attribute.name}: {len(attribute.labels) - len(labels)} value labels cannot be kept.")
    return StatsColumn(series, labels, missing)


def _writable(array: pa.Array) -> pa.Array:
    kind = array.type
    if pa.types.is_boolean(kind):
        return array.cast(pa.int8()).cast(pa.float64())
    if pa.types.is_integer(kind):
        long = np.any(np.abs(array.drop_null().to_numpy().astype(float)) > LARGEST_EXACT_INTEGER)
        return array.cast(pa.string() if long else pa.float64())  # as numbers, long codes would run together
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return array.cast(pa.timestamp(kind.unit))
    return array


def _number_labels(attribute: Attribute, words: Spelling, suffix: str) -> dict[Any, str]:
    """Labels by number, or by the letter of a missing code; Stata labels whole numbers only."""
    labels: dict[Any, str] = {}
    for text, label in attribute.labels.items():
        value = words.cells.get(text) if text in attribute.missing else _number(text)
        if isinstance(value, float) and suffix == ".dta":
            value = int(value) if value.is_integer() and abs(value) < LARGEST_LABELLED else None
        if value is not None:
            labels[value] = label
    return labels


def _text_labels(attribute: Attribute, values: list[str], suffix: str) -> dict[Any, str]:
    """Labels by text, in SPSS; pyreadstat makes room for the texts present and for plain letters only."""
    if suffix == ".dta":
        return {}
    room = max((len(value.encode()) for value in values), default=1)
    return {t: label for t, label in attribute.labels.items() if t.isascii() or len(t.encode()) <= room}


def _number(text: str) -> float | None:
    try:
        return float({"false": "0", "true": "1"}.get(text, text))
    except ValueError:
        return None


def _say_what_is_lost(attribute: Attribute, reasons: np.ndarray, words: Spelling) -> None:
    used = [attribute.missing[position - 1] for position in np.unique(reasons[reasons > 0])]
    for code in used:
        cell = words.cells.get(code)
        if cell is None:
            note(f"Column {attribute.name}: missing code {code} is written as an ordinary missing value.")
        elif words.renamed and f".{cell}" != code:
            note(f"Column {attribute.name}: missing code {code} is written as .{cell}.")


def _spss_formats(table: Table, columns: dict[str, StatsColumn]) -> dict[str, str]:
    """Numbers show the decimals they have; without this SPSS shows two."""
    formats = {}
    for attribute in table.schema:
        decimals = 0 if attribute.storage in ("integer", "boolean") else attribute.decimals
        if columns[attribute.name].series.dtype == float and decimals is not None:
            formats[attribute.name] = f"F{decimals + 8}.{decimals}"
    return formats


def _check_name(name: str, suffix: str) -> None:
    longest = LONGEST_NAME[suffix]
    letters = re.ASCII if suffix == ".xpt" else re.UNICODE
    more = ".@#$" if suffix in (".sav", ".zsav") else ""
    if not re.fullmatch(rf"[^\W\d][\w{more}]*", name, letters) or len(name.encode()) > longest:
        raise DataError(
            f"Column {name}: a name in a {PACKAGES[suffix]} file is a letter followed by letters, digits or _{more}, "
            f"at most {longest} bytes; rename it."
        )
