"""Columns as groups of values: what tables count, in an order in which neighbours are alike."""

from collections.abc import Sequence

import numpy as np

from sfumato.data import Table
from sfumato.kernels.distinct_records import distinct

MOST_PROFILES = 300  # indicator variables by which the categories of a nominal column are put in order


def value_ranks(table: Table, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The distinct contents of a column in order, as a number for each record, and how many records have each.

    What is missing comes first, by its code; then values by size, or categories in the order of the domain.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> table = table_from_frame(pa.table({"x": [7.0, None, 3.0, 7.0]}))
    >>> [found.tolist() for found in value_ranks(table, "x")]
    [[2, 0, 1, 2], [1, 1, 2]]
    """
    missing, reasons = table.missing(name), table.reasons(name)
    codes = np.zeros(table.n, np.int64) if reasons is None else reasons.astype(np.int64)
    values = np.where(missing, 0.0, table[name].astype(np.float64))
    order = distinct([np.where(missing, codes, codes.max(initial=0) + 1), values])
    return order.labels, order.counts


def ranks_of_missing(table: Table, name: str) -> int:
    """How many of the first ranks are codes for missing values."""
    ranks, _ = value_ranks(table, name)
    return int(ranks[table.missing(name)].max(initial=-1)) + 1


def similar_order(ranks: np.ndarray, size: int, profiles: np.ndarray) -> np.ndarray:
    """The place of each category in an order by what other columns say of the people who have it.

    Places are those on the first principal direction of the mean profiles, each counted by its number of people.
    """
    counts = np.bincount(ranks, minlength=size).astype(float)
    if size <= 2 or profiles.shape[1] == 0:
        return np.arange(size)
    sums = np.column_stack([np.bincount(ranks, column, size) for column in profiles.T])
    spread = sums / np.sqrt(np.maximum(counts, 1.0))[:, None]  # √count · mean profile
    left = np.linalg.svd(spread, full_matrices=False)[0][:, 0] / np.sqrt(np.maximum(counts, 1.0))
    left = left * (1.0 if left[np.argmax(counts)] >= 0 else -1.0)  # a direction has no sign of its own
    places = np.empty(size, np.int64)
    places[np.argsort(np.round(left, 9), kind="stable")] = np.arange(size)
    return places


def profiles(table: Table, names: Sequence[str]) -> dict[str, np.ndarray]:
    """What each column says of a record: its rank, or which of the frequent categories it has; mean 0, variance 1."""
    found = {}
    for name in names:
        ranks, counts = value_ranks(table, name)
        if table.schema[name].is_numeric:
            columns = [(np.cumsum(counts) - counts / 2)[ranks]]
        else:
            frequent = np.argsort(-counts, kind="stable")[: min(len(counts), MOST_PROFILES // len(names) + 2)]
            columns = [(ranks == code).astype(float) for code in frequent]
        found[name] = np.column_stack([_standardised(column) for column in columns])
    return found


def _standardised(column: np.ndarray) -> np.ndarray:
    spread = column.std()
    return (column - column.mean()) / spread if spread > 0 else np.zeros(len(column))


def grouped(counts: np.ndarray, most: int) -> np.ndarray:
    """Neighbouring values in about so many groups of as many records; a frequent value is a group of its own.

    >>> grouped(np.array([1, 1, 6, 1, 1]), 3).tolist()
    [0, 0, 1, 2, 2]
    """
    if len(counts) <= most:
        return np.arange(len(counts))
    n = counts.sum()
    quantile = ((np.cumsum(counts) - counts / 2) * most / n).astype(np.int64)
    frequent = counts * most >= n
    new = (np.diff(quantile) > 0) | frequent[1:] | frequent[:-1]
    return np.concatenate([[0], np.cumsum(new)])
