"""Columns of Python values of any kind, as spreadsheets and SQLite hold them."""

import datetime
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from sfumato.data.arrow_columns import LARGEST_EXACT_INTEGER


def column_of(values: Sequence[Any]) -> pa.Array:
    """A column of one type: of texts, where values are of several.

    >>> column_of([1.0, None, 3.0]).to_pylist(), column_of([1.0, "N"]).to_pylist()
    ([1, None, 3], ['1', 'N'])
    """
    values = [None if value == "" else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {int, float}:
        return _numbers(values)
    if kinds == {datetime.datetime} and all(value.time() == datetime.time() for value in values if value):
        return pa.array([value and value.date() for value in values], pa.date32())
    if len(kinds) == 1 and kinds <= {bool, datetime.date, datetime.datetime}:
        return pa.array(values)
    return pa.array([None if value is None else _text(value) for value in values], pa.string())


def _numbers(values: Sequence[float | None]) -> pa.Array:
    whole = all(
        value is None or value == int(value) for value in values if value is None or value - value == 0
    )
    small = all(value is None or abs(value) < LARGEST_EXACT_INTEGER for value in values)
    if whole and small:
        return pa.array([None if value is None else int(value) for value in values], pa.int64())
    return pa.array([None if value is None else float(value) for value in values], pa.float64())


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if isinstance(value, datetime.date) else str(value)
