"""Any data frame in, the same kind of frame out."""

from typing import Any, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa

from sfumato.core import DataError
from sfumato.data.arrow_columns import check_usable
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
            # the index is no column: it is put back by frame_like
            model = nw.maybe_reset_index(nw.from_native(frame, eager_only=True))
            _check_names(list(model.columns))
            arrow = model.to_arrow()
        except TypeError:
            raise DataError(
                f"Expected a Table, or a pandas, polars or pyarrow data frame. Got {type(frame).__name__}."
            ) from None
        except nw.exceptions.DuplicateError:
            raise DataError("The frame has two columns of the same name: names must be unique.") from None
        except pa.ArrowException:
            raise DataError("The frame has a column that mixes types: give each column one type.") from None
    _check_names(arrow.column_names)
    check_usable(arrow, "the frame")
    return arrow


def table_from_frame(frame: Any, schema: Schema | None = None) -> Table:
    """A table from any data frame; without a schema, the proposed one is used.

    >>> table_from_frame(pa.table({"age": [31, 45], "sex": ["f", "m"]})).schema
    Schema(age: numeric key, sex: nominal key)
    """
    arrow = arrow_from_frame(frame)
    return Table.from_arrow(arrow, schema or propose(arrow).schema, source="the frame")


def frame_like(table: Table, frame: Frame, *, rows: np.ndarray | None = None) -> Frame:
    """A frame of the same library as another, with its index and, where the values allow, its types.

    `rows` says which rows of the other one the records are, where they are not all of them.
    """
    arrow = table.to_arrow()
    if isinstance(frame, pa.Table):
        same: Frame = _arrow_like(arrow, frame)
        return same
    model: Any = nw.from_native(frame, eager_only=True)
    made: Any = nw.from_arrow(arrow, backend=model.implementation)
    columns = [
        _column_like(made[name], model[name]) if name in model.columns else made[name] for name in table.names
    ]
    made = made.with_columns(*columns) if columns else made
    native: Any = made.to_native()
    index: Any = nw.maybe_get_index(model)
    if index is not None and rows is not None and len(index) != table.n:
        index = index[rows]
    if index is not None and len(index) == table.n:
        native.index = index
    result: Frame = native
    return result


def _check_names(names: list[Any]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise DataError(f"Column names must be texts. Got {type(name).__name__}: rename the columns.")
    if len(set(names)) < len(names):
        raise DataError("The frame has two columns of the same name: names must be unique.")


def _arrow_like(arrow: pa.Table, model: pa.Table) -> pa.Table:
    for position, name in enumerate(arrow.column_names):
        if name in model.column_names and _may_become(arrow.field(name).type, model.field(name).type):
            try:
                column = arrow.column(name).cast(model.field(name).type)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                continue  # the masked values need the wider type
            arrow = arrow.set_column(position, name, column)
    return arrow


def _may_become(found: pa.DataType, wanted: pa.DataType) -> bool:
    return bool(not pa.types.is_integer(wanted) or pa.types.is_integer(found))


def _column_like(column: Any, model: Any) -> Any:
    """The column in the type of the model, if every value survives that."""
    if model.dtype == nw.Object:  # dates, or booleans with gaps, that pandas holds one by one
        return column
    wanted = model.to_native().dtype
    try:
        if column.implementation.is_pandas():
            # a column that is all missing has lost its time zone, and None fits any type
            native = column.to_native().astype(object) if column.is_null().all() else column.to_native()
            cast = nw.from_native(native.astype(wanted), series_only=True)
        else:
            cast = nw.from_native(column.to_native().cast(wanted), series_only=True)
    except Exception:  # each library refuses an impossible cast in its own way
        return column
    lost = (cast.is_null() != column.is_null()).any()
    changed = model.dtype.is_integer() and (cast != column).any()
    return column if lost or changed else cast
