"""Arrow columns in few plain types, and values as the texts that name them."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core import DataError

LARGEST_EXACT_INTEGER = 2**53
MOST_COLUMNS = 5_000


def plain(column: Any) -> pa.Array:
    """One array of a plain type: no chunks, dictionaries, views, decimals, half floats or extensions.

    >>> import decimal
    >>> plain(pa.array([decimal.Decimal("1.50"), None])).to_pylist()
    [1.5, None]
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_null(kind) or is_text(kind):
        return column.cast(pa.string())
    if pa.types.is_decimal(kind):
        return _from_decimal(column)
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_date(kind):
        return column.cast(pa.date32())
    return column


def as_text(column: pa.Array) -> pa.Array:
    """Values as the texts that name them: whole numbers without a point, dates and times in ISO form.

    Moments with a time zone are named in UTC.

    >>> as_text(pa.array([1.0, 2.0, None])).to_pylist()
    ['1', '2', None]
    >>> as_text(pa.array([1_500_000], pa.timestamp("us"))).to_pylist()
    ['1970-01-01T00:00:01.5']
    """
    column = plain(column)
    if pa.types.is_floating(column.type):
        return _floats_as_text(column)
    if pa.types.is_timestamp(column.type):
        return _moments_as_text(column)
    return pc.cast(column, pa.string())


def is_text(kind: pa.DataType) -> bool:
    """Whether a type holds texts, however they are laid out in memory."""
    view = getattr(pa.types, "is_string_view", None)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or (view and view(kind)))


def check_usable(arrow: pa.Table, source: str) -> None:
    """Refuse columns whose values are lists, structures or bytes, and name them; and more columns than people have."""
    if arrow.num_columns > MOST_COLUMNS:
        raise DataError(
            f"{source}: {arrow.num_columns} columns are more than {MOST_COLUMNS}; leave out those that nobody needs."
        )
    for field in arrow.schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        bytes_ = (
            pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
        )
        if pa.types.is_nested(kind) or bytes_:
            found = "bytes" if bytes_ else "lists or structures"
            raise DataError(
                f"{source}, column {field.name}: its values are {found}, which no attribute can hold; "
                "drop the column or turn it into plain columns."
            )


def _from_decimal(column: pa.Array) -> pa.Array:
    if column.type.scale > 0:
        return column.cast(pa.float64(), safe=False)
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:  # an integer too long to calculate with is a code
        return column.cast(pa.string())


def _floats_as_text(column: pa.Array) -> pa.Array:
    numbers = column.to_numpy(zero_copy_only=False) + column.type.to_pandas_dtype()(0)  # no negative zero
    finite = numbers[np.isfinite(numbers)]
    column = pa.array(numbers, from_pandas=True)
    if np.all(finite == np.floor(finite)) and np.all(np.abs(finite) < LARGEST_EXACT_INTEGER):
        infinite = np.isinf(numbers).any()
        column = column if infinite else pc.cast(column, pa.int64())
    return pc.cast(column, pa.string())


def _moments_as_text(column: pa.Array) -> pa.Array:
    zoned = column.type.tz is not None
    texts = pc.strftime(column.cast(pa.timestamp(column.type.unit)), format="%Y-%m-%dT%H:%M:%S")
    texts = pc.replace_substring_regex(texts, r"(\.\d*?)0+$", r"\1")
    texts = pc.replace_substring_regex(texts, r"\.$", "")
    return pc.binary_join_element_wise(texts, "Z", "") if zoned else texts
