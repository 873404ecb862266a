"""Masking one table, or any data frame, with one method; and judging what came out."""

from typing import Any, TypeVar

from sfumato.core import progress
from sfumato.data import Table, frame_like, table_from_frame
from sfumato.masking import make_masking
from sfumato.search.maskings.candidates import masked_with, traced_with
from sfumato.studies.evaluate import Evaluation, evaluate

Data = TypeVar("Data")


def mask(data: Data, method: Any, *, seed: int = 0) -> Data:
    """Mask a table or data frame; what comes back is of the kind that went in.

    The method is a masking, the name of one, or a spec such as {"method": "mdav", "k": 5}. A method that
    releases a sample gives back fewer records, in their order.

    >>> import pyarrow as pa
    >>> firms = pa.table({"staff": [1, 2, 8, 9], "sales": [10, 12, 90, 80]})
    >>> mask(firms, {"method": "mdav", "k": 2})["sales"].to_pylist()
    [11, 11, 85, 85]
    """
    masking = make_masking(method)
    if isinstance(data, Table):
        masked: Data = masked_with(masking, data, seed=seed)  # type: ignore[assignment]
        return masked
    table, rows = traced_with(masking, table_from_frame(data), seed=seed)
    return frame_like(table, data, rows=rows)


def mask_and_evaluate(table: Table, method: Any, *, seed: int = 0) -> tuple[Table, Evaluation]:
    """Mask a table and judge the outcome; a sample of the records is judged against the same records.

    >>> from sfumato.datasets import business_survey
    >>> sample, found = mask_and_evaluate(business_survey(60), {"method": "sampling", "size": 20})
    >>> sample.n, found.loss
    (20, 0.0)
    """
    masked, rows = traced_with(make_masking(method), table, seed=seed)
    if len(rows) < table.n:
        progress.note(f"{len(rows)} of {table.n} records stay; loss and risk are judged on these.")
        table = table.take(rows)
    return masked, evaluate(table, masked)
