"""Columns of a table as the numbers that models learn from."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sfumato.data.table import Table

MOST_CATEGORIES = 250  # that a tree may part as it likes; more are put in an order


class Features(NamedTuple):
    """A matrix with one column an attribute, NaN where a value is missing, and which columns have no order."""

    X: np.ndarray
    nominal: np.ndarray


def features(table: Table, names: Sequence[str]) -> Features:
    """Numbers as they are, categories by their codes; of nominal ones with very many, the codes count as an order.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> few = table_from_frame(pa.table({"x": [1.5, None], "c": ["b", "a"]}))
    >>> features(few, ["x", "c"]).nominal.tolist()
    [False, True]
    """
    columns = []
    for name in names:
        values = table[name].astype(float)
        columns.append(np.where(table.missing(name), np.nan, values))
    nominal = [
        table.schema[name].scale == "nominal" and table.schema[name].domain_size <= MOST_CATEGORIES
        for name in names
    ]
    X = np.column_stack(columns) if columns else np.empty((table.n, 0))
    return Features(X, np.array(nominal, bool))
