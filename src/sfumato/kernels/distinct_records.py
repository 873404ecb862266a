"""Records that are alike: counted once, however many there are."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

LARGEST_KEY = 2**62
DENSE = 4  # keys below so many times the number of records are counted, not sorted


class Distinct(NamedTuple):
    """The distinct records of some columns, in an order that does not depend on that of the records."""

    first: np.ndarray  # a record that shows each of them
    labels: np.ndarray  # which of them each record is
    counts: np.ndarray  # how many records are like it


def distinct(columns: Sequence[np.ndarray]) -> Distinct:
    """Count records that are equal in all columns; a missing value (−1 or NaN) equals itself.

    >>> found = distinct([np.array([1.0, np.nan, 1.0, np.nan]), np.array([0, -1, 0, 2], np.int8)])
    >>> found.labels.tolist(), found.counts.tolist()
    ([0, 1, 0, 2], [2, 1, 1])
    """
    n = len(columns[0]) if columns else 0
    key, size = np.zeros(n, np.int64), 1
    for column in columns:
        codes, width = _ranked(column)
        if size * width >= LARGEST_KEY:
            key = np.unique(key, return_inverse=True)[1].ravel()
            size = int(key.max(initial=0)) + 1
        key, size = key * width + codes, size * width
    if size <= DENSE * n:
        return _counted(key, size)
    _, first, labels, counts = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    return Distinct(first, labels.ravel(), counts)


def _counted(key: np.ndarray, size: int) -> Distinct:
    counts = np.bincount(key, minlength=size)
    present = np.flatnonzero(counts)
    place, first = np.empty(size, np.int64), np.empty(size, np.int64)
    place[present] = np.arange(len(present))
    first[key[::-1]] = np.arange(len(key))[::-1]  # the last one written is the first record
    return Distinct(first[present], place[key], counts[present])


def _ranked(column: np.ndarray) -> tuple[np.ndarray, int]:
    if column.dtype.kind == "f":
        values, codes = np.unique(column, return_inverse=True)
        return codes.ravel(), max(len(values), 1)
    low = int(column.min(initial=0))
    return column.astype(np.int64) - low, int(column.max(initial=0)) - low + 1
