"""From Arrow columns to the arrays of a table, and back.

Numbers become float64 with NaN for missing. Categories become codes, positions in the declared domain, in
the smallest integer type that fits, with −1 for missing. Where a missing value had a code of its own, a
second array of *reasons* remembers which one (1 for the first declared code; 0 for an empty cell).
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core import DataError
from sfumato.data.arrow_columns import LARGEST_EXACT_INTEGER, as_text, is_text, plain
from sfumato.data.attribute import LARGEST_NUMBER, Attribute, as_number
from sfumato.data.day_forms import to_iso
from sfumato.data.moments import as_moments, as_numbers

MISSING = -1
NOT_A_NUMBER = "not a number; correct it or declare a missing code for it"


class CellError(DataError):
    """A value breaks a rule; its row counts from the first of those that were read, which is 0."""

    def __init__(self, where: str, row: int, rule: str) -> None:
        self.where, self.row, self.rule = where, row, rule
        super().__init__(f"{where}, row {row + 1}: {rule}.")

    def __reduce__(self) -> tuple[type, tuple[str, int, str]]:
        return type(self), (self.where, self.row, self.rule)


def code_type(domain_size: int) -> type[np.signedinteger[Any]]:
    """The smallest integer type that holds the codes of a domain.

    >>> code_type(127).__name__, code_type(128).__name__
    ('int8', 'int16')
    """
    for kind in (np.int8, np.int16, np.int32):
        if domain_size <= np.iinfo(kind).max:
            return kind
    raise DataError(f"A domain may hold at most {np.iinfo(np.int32).max} categories. Got {domain_size}.")


def encode(column: Any, attribute: Attribute, source: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Turn an Arrow column into the values and reasons of an attribute."""
    column = plain(column)
    where = f"{source}, column {attribute.name}"
    if attribute.form and is_text(column.type):
        column = to_iso(pc.utf8_trim_whitespace(column), attribute.form)
    if attribute.is_numeric:
        return _encode_numbers(column, attribute, where)
    return _encode_categories(column, attribute, where)


def decode(
    values: np.ndarray, reasons: np.ndarray | None, attribute: Attribute, *, text: bool = False
) -> pa.Array:
    """Turn the arrays of an attribute back into an Arrow array of the type it was stored with.

    With `text`, missing codes that are no numbers are kept too, at the price of a column of strings.
    """
    if attribute.is_numeric:
        return _decode_numbers(values, reasons, attribute, text=text)
    texts = pa.DictionaryArray.from_arrays(
        pa.array(values.astype(np.int32), mask=values < 0), pa.array(list(attribute.categories), pa.string())
    ).dictionary_decode()
    texts = _with_reasons(texts, values < 0, reasons, attribute)
    return texts if text else _stored(texts, attribute)


def _encode_numbers(
    column: pa.Array, attribute: Attribute, where: str
) -> tuple[np.ndarray, np.ndarray | None]:
    if pa.types.is_string(column.type):
        column = pc.utf8_trim_whitespace(column)
        reasons = _reasons(column, attribute.missing)
        blank = np.asarray(pc.equal(column, "").fill_null(True)) | (reasons > 0)
        present = pc.if_else(pa.array(blank), None, column)
        values = (
            _moments(present, attribute, where) if attribute.is_moment else _numbers_from_text(present, where)
        )
        _refuse_first(np.isnan(values) & ~blank, where, NOT_A_NUMBER)
    else:
        reasons = np.zeros(len(column), code_type(len(attribute.missing)))
        values = _moments(column, attribute, where) if attribute.is_moment else _as_floats(column, where)
    for position, code in enumerate(map(as_number, attribute.missing), start=1):
        if code is not None and not attribute.is_moment:
            reasons[values == code] = position
    values[reasons > 0] = np.nan
    _check_numbers(values, attribute, where)
    return values, reasons if reasons.any() else None


def _as_floats(column: pa.Array, where: str) -> np.ndarray:
    try:
        numbers = pc.cast(column, pa.float64(), safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(
            f"{where}: a numeric attribute cannot be made from {column.type} values; give it another scale."
        ) from None
    return np.array(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)


def _moments(column: pa.Array, attribute: Attribute, where: str) -> np.ndarray:
    try:
        numbers = as_numbers(column, attribute.storage)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(
            f"{where}: a value is no {attribute.storage} in ISO form, such as 1999-12-31; correct it or declare a "
            "missing code for it."
        ) from None
    return np.array(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)


def _check_numbers(values: np.ndarray, attribute: Attribute, where: str) -> None:
    _refuse_first(
        np.isinf(values), where, "the value is infinite; correct it or declare a missing code for it"
    )
    _refuse_first(
        np.abs(values) > LARGEST_NUMBER,
        where,
        f"the number is too large to calculate with, beyond {LARGEST_NUMBER:g}; "
        "correct it or declare a missing code for it",
    )
    if attribute.storage == "integer":
        _refuse_first(
            np.abs(values) > LARGEST_EXACT_INTEGER,
            where,
            "the integer is too long to calculate with; make it nominal",
        )
    if attribute.low is not None:
        _refuse_first(
            values < attribute.low, where, f"the value is below the declared low of {attribute.low:g}"
        )
    if attribute.high is not None:
        _refuse_first(
            values > attribute.high, where, f"the value is above the declared high of {attribute.high:g}"
        )


def _encode_categories(
    column: pa.Array, attribute: Attribute, where: str
) -> tuple[np.ndarray, np.ndarray | None]:
    texts = _truth_values(as_text(column), attribute)
    empty = np.asarray(pc.or_(pc.is_null(texts), pc.equal(texts, "")).fill_null(True))
    positions = pc.index_in(texts, value_set=pa.array(list(attribute.categories), pa.string()))
    codes = positions.fill_null(MISSING).to_numpy(zero_copy_only=False)
    reasons = _reasons(texts, attribute.missing)
    _refuse_first(
        (codes < 0) & (reasons == 0) & ~empty,
        where,
        "the category is not declared in the schema; add it to categories or to missing",
    )
    codes = codes.astype(code_type(attribute.domain_size))
    return codes, reasons if reasons.any() else None


def _truth_values(texts: pa.Array, attribute: Attribute) -> pa.Array:
    """Texts of a column; 0 and 1, which some files have for truth values, by the names of these."""
    for number, name in (("0", "false"), ("1", "true")):
        if attribute.storage == "boolean" and number not in (*attribute.categories, *attribute.missing):
            texts = pc.if_else(pc.equal(texts, number), name, texts)
    return texts


def _numbers_from_text(column: pa.Array, where: str) -> np.ndarray:
    try:
        numbers = pc.cast(column, pa.float64())
    except pa.ArrowInvalid:
        for row, cell in enumerate(column.to_pylist()):
            if cell is not None and as_number(cell) is None:
                raise CellError(where, row, NOT_A_NUMBER) from None
        numbers = pa.array(
            [None if cell is None else float(cell) for cell in column.to_pylist()], pa.float64()
        )
    return np.array(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)


def _reasons(texts: pa.Array, codes: tuple[str, ...]) -> np.ndarray:
    found = pc.index_in(texts, value_set=pa.array(list(codes), pa.string()))
    positions: np.ndarray = found.fill_null(-1).to_numpy(zero_copy_only=False)
    return (positions + 1).astype(code_type(len(codes)))


def _refuse_first(broken: np.ndarray, where: str, rule: str) -> None:
    if broken.any():
        raise CellError(where, int(np.argmax(broken)), rule)


def _decode_numbers(
    values: np.ndarray, reasons: np.ndarray | None, attribute: Attribute, *, text: bool
) -> pa.Array:
    missing = np.isnan(values)
    if attribute.is_moment:
        moments = as_moments(values, attribute.storage)
        has_codes = text and reasons is not None and bool(np.any(reasons > 0))
        return _with_reasons(as_text(moments), missing, reasons, attribute) if has_codes else moments
    filled = values.copy()
    coded = missing & (reasons > 0) if reasons is not None else np.zeros(len(values), bool)
    codes = [as_number(code) for code in attribute.missing]
    if reasons is not None:
        for position, code in enumerate(codes, start=1):
            if code is not None:
                filled[coded & (reasons == position)] = code
    empty = np.isnan(filled)
    if attribute.storage in ("integer", "boolean") and _all_exact_integers(filled[~empty]):
        numbers = pa.array(np.where(empty, 0, filled).astype(np.int64), mask=empty)
    else:
        numbers = pa.array(filled, mask=empty)
    if text and np.any(coded & empty):
        return _with_reasons(as_text(numbers), missing, reasons, attribute)
    return numbers


def _with_reasons(
    texts: pa.Array, missing: np.ndarray, reasons: np.ndarray | None, attribute: Attribute
) -> pa.Array:
    if reasons is None or not attribute.missing:
        return texts
    codes = pa.DictionaryArray.from_arrays(
        pa.array(reasons.astype(np.int32) - 1, mask=~missing | (reasons == 0)),
        pa.array(list(attribute.missing), pa.string()),
    ).dictionary_decode()
    return pc.coalesce(texts, codes)


def _all_exact_integers(values: np.ndarray) -> bool:
    return bool(np.all(values == np.floor(values)) and np.all(np.abs(values) <= LARGEST_EXACT_INTEGER))


def _stored(texts: pa.Array, attribute: Attribute) -> pa.Array:
    zoned = texts.null_count < len(texts) and pc.all(pc.ends_with(texts, "Z")).as_py()
    zone = "UTC" if zoned else None
    kinds = {
        "integer": [pa.int64()],
        "real": [pa.float64()],
        "boolean": [pa.bool_()],
        "date": [pa.date32()],
        "timestamp": [pa.timestamp("us", zone), pa.timestamp("ns", zone)],
    }.get(attribute.storage, [])
    for kind in kinds:
        try:
            values = pc.cast(texts, kind)
        except pa.ArrowInvalid:  # a recoded category such as "20-39" has no such form any more
            continue
        if as_text(values).equals(texts):  # "1.50" is a code: as a number it would lose its zero
            return values
    return texts
