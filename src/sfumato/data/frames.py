"""Any data frame in, the same kind of frame out."""

from typing import Any, TypeVar

import narwhals as nw
import pyarrow as pa

from sfumato.core import DataError
from sfumato.data.inference import propose
from sfumato.data.schema import Schema
from sfumato.data.table import Table

Frame = TypeVar("Frame")


def arrow_from_frame(frame: Any) -> pa.Table:
    """An Arrow table from a pandas, polars, pyarrow or any other eager frame narwhals knows."""
    if isinstance(frame, pa.Table):
        arrow = frame
    else:
        try:
            arrow = nw.from_native(frame, eager_only=True).to_arrow()
        except TypeError:
            raise DataError(
                f"Expected a Table, or a pandas, polars or pyarrow data frame. Got {type(frame).__name__}."
            ) from None
        except nw.exceptions.DuplicateError:
            raise DataError("The frame has two columns of the same name: names must be unique.") from None
        except pa.ArrowException:
            raise DataError("The frame has a column that mixes types: give each column one type.") from None
    names = arrow.column_names
    if len(set(names)) < len(names):
        raise DataError("The frame has two columns of the same name: names must be unique.")
    return arrow


def table_from_frame(frame: Any, schema: Schema | None = None) -> Table:
    """A table from any data frame; without a schema, the proposed one is used.

    >>> table_from_frame(pa.table({"age": [31, 45], "sex": ["f", "m"]})).schema
    Schema(age: numeric key, sex: nominal key)
    """
    arrow = arrow_from_frame(frame)
    return Table.from_arrow(arrow, schema or propose(arrow).schema, source="the frame")


def frame_like(table: Table, frame: Frame) -> Frame:
    """A frame of the same library as another, with its index and, where the values allow, its types."""
    arrow = table.to_arrow()
    if isinstance(frame, pa.Table):
        same: Frame = arrow
        return same
    model: Any = nw.from_native(frame, eager_only=True)
    made: Any = nw.from_arrow(arrow, backend=model.implementation)
    kept = {name: dtype for name, dtype in model.schema.items() if name in table and _fits(made[name], dtype)}
    made = made.with_columns(*(nw.col(name).cast(dtype) for name, dtype in kept.items()))
    index = nw.maybe_get_index(model)
    if index is not None and len(index) == table.n:
        made = nw.maybe_set_index(made, index=index)
    native: Frame = made.to_native()
    return native


def _fits(column: Any, dtype: Any) -> bool:
    if column.dtype == dtype:
        return False
    if dtype.is_integer():
        return bool(column.dtype.is_integer()) and not column.is_null().any()
    return bool(dtype == nw.Categorical or (dtype.is_float() and column.dtype.is_numeric()))
