"""Masking one table, or any data frame, with one method."""

from typing import Any, TypeVar

from sfumato.data import Table, frame_like, table_from_frame
from sfumato.masking import make_masking
from sfumato.search.candidates import masked_with

Data = TypeVar("Data")


def mask(data: Data, method: Any, *, seed: int = 0) -> Data:
    """Mask a table or data frame; what comes back is of the kind that went in.

    The method is a masking, the name of one, or a spec such as {"method": "mdav", "k": 5}.

    >>> import pyarrow as pa
    >>> firms = pa.table({"staff": [1, 2, 8, 9], "sales": [10, 12, 90, 80]})
    >>> mask(firms, {"method": "mdav", "k": 2})["sales"].to_pylist()
    [11, 11, 85, 85]
    """
    masking = make_masking(method)
    if isinstance(data, Table):
        masked: Data = masked_with(masking, data, seed=seed)  # type: ignore[assignment]
        return masked
    return frame_like(masked_with(masking, table_from_frame(data), seed=seed), data)
