"""An order of records that depends on what they hold and not on where they stand in the file."""

from collections.abc import Sequence

import numpy as np

from sfumato.data import Table

ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def record_hashes(table: Table, names: Sequence[str]) -> np.ndarray:
    """A number for each record, the same for records that hold the same; as good as random otherwise.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> found = record_hashes(table_from_frame(pa.table({"x": [1.0, 2.0, 1.0, None]})), ["x"])
    >>> bool(found[0] == found[2]), len(set(found.tolist()))
    (True, 3)
    """
    hashes = np.zeros(table.n, np.uint64)
    for name in names:
        hashes = _mixed(hashes ^ _mixed(_bits(table[name])) + ODD[0])
    return hashes


def in_record_order(table: Table, names: Sequence[str]) -> Table:
    return table.take(np.argsort(record_hashes(table, names), kind="stable"))


def _bits(values: np.ndarray) -> np.ndarray:
    """The bits of a column, with one kind of zero and one kind of NaN."""
    if values.dtype.kind != "f":
        return values.astype(np.int64).view(np.uint64)
    return np.where(np.isnan(values), np.nan, values + 0.0).view(np.uint64)


def _mixed(bits: np.ndarray) -> np.ndarray:
    """The finaliser of splitmix64 (Steele, Lea & Flood, 2014)."""
    bits = (bits ^ (bits >> np.uint64(30))) * ODD[1]
    bits = (bits ^ (bits >> np.uint64(27))) * ODD[2]
    bits ^= bits >> np.uint64(31)
    return bits
