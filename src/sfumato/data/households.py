"""Households: which records belong together."""

import numpy as np

from sfumato.data.table import Table
from sfumato.kernels.distinct_records import distinct


def together(table: Table) -> np.ndarray:
    """The household of each record, as a number from 0 on.

    The role household says who lives together; without it, or where it is missing, each record is one.
    """
    names = table.schema.with_role("household")
    if not names:
        return np.arange(table.n)
    alone = np.logical_or.reduce([table.missing(name) for name in names])
    own = np.where(alone, np.arange(table.n), -1)
    return distinct([*(table[name] for name in names), own]).labels
