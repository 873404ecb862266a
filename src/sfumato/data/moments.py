"""Days and moments as numbers: days, or seconds, since the first of 1970."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.attribute import Attribute

SECOND = 1e6  # microseconds


def as_numbers(column: pa.Array, storage: str) -> pa.Array:
    """The numbers of a column of days or moments, or of the texts that name them in ISO form.

    >>> as_numbers(pa.array(["1970-01-02", None]), "date").to_pylist()
    [1.0, None]
    >>> as_numbers(pa.array(["1970-01-01T00:00:01.5"]), "timestamp").to_pylist()
    [1.5]
    """
    if storage == "date":
        return pc.cast(pc.cast(pc.cast(column, pa.date32()), pa.int32()), pa.float64())
    if pa.types.is_string(column.type):
        column = pc.replace_substring_regex(column, "Z$", "")
    moments = pc.cast(column, pa.timestamp("us"), safe=False)
    return pc.divide(pc.cast(pc.cast(moments, pa.int64()), pa.float64()), SECOND)


def as_moments(numbers: np.ndarray, storage: str) -> pa.Array:
    """Days or moments from their numbers; null where there is none.

    >>> as_moments(np.array([1.0, np.nan]), "date").to_pylist()
    [datetime.date(1970, 1, 2), None]
    """
    missing = np.isnan(numbers)
    unit, kind = (1.0, pa.int32()) if storage == "date" else (SECOND, pa.int64())
    whole = pa.array(np.where(missing, 0, np.round(numbers * unit)).astype(np.int64), mask=missing).cast(kind)
    return whole.cast(pa.date32() if storage == "date" else pa.timestamp("us"))


def shown(attribute: Attribute, number: float) -> str:
    """A number of an attribute as people read it.

    >>> shown(Attribute(name="born", scale="numeric", storage="date"), 1.0)
    '1970-01-02'
    """
    if not attribute.is_moment:
        return f"{number:g}"
    return str(as_moments(np.array([number]), attribute.storage)[0])
