"""Nearness: the records of a file that lie nearest to a person, by all that is known of her."""

from typing import NamedTuple

import numpy as np

from sfumato.data import Table
from sfumato.kernels.nearest_scan import nearest_scan
from sfumato.parallel.threads import in_blocks

BLOCK = 256


class Nearest(NamedTuple):
    """For each person the rows of the nearest records and their distances, nearest first.

    A distance is infinite where there are no more records.
    """

    rows: np.ndarray
    distances: np.ndarray


class NearnessSpace:
    """Where records lie: Gower's distance, in which each attribute counts up to 1.

    Numbers and ordinal categories differ by their ranks among some people, so that a few large numbers do not decide;
    nominal ones by 0 or 1; a missing value differs by 1 from any other.
    """

    def __init__(self, people: Table, names: tuple[str, ...]) -> None:
        self.names = names
        self.nominal = np.array([people.schema[name].scale == "nominal" for name in names], bool)
        ranked = [name for name, nominal in zip(names, self.nominal, strict=True) if not nominal]
        self.ordered = {name: np.sort(people[name][~people.missing(name)]) for name in ranked}

    def points(self, table: Table) -> np.ndarray:
        """The records of a table in the terms of the original: a row for each attribute, NaN where missing."""
        columns = [
            middle_ranks(self.ordered[name], table[name]) if name in self.ordered else table[name]
            for name in self.names
        ]
        missing = [table.missing(name) for name in self.names]
        return np.where(np.array(missing), np.nan, np.array(columns, float))


class RecordsNear:
    """Records to be looked for."""

    def __init__(self, space: NearnessSpace, records: Table) -> None:
        self.space, self.X = space, space.points(records)

    def nearest(self, points: np.ndarray, few: int, without: str = "") -> Nearest:
        """The nearest records to each point; one attribute may be left out."""
        used = np.array([name != without for name in self.space.names])
        Q, X, nominal = points[used], self.X[used], self.space.nominal[used]

        def block(start: int, end: int) -> np.ndarray:
            rows, apart = nearest_scan(np.ascontiguousarray(Q[:, start:end]), X, nominal, few)
            return np.stack([rows, apart], axis=1)

        found = in_blocks(block, points.shape[1], BLOCK)
        return Nearest(found[:, 0].astype(np.int64), found[:, 1])

    def to_nearest(self, points: np.ndarray, own: np.ndarray | None = None) -> np.ndarray:
        """The distance of each point to the nearest record; `own` says who is a record here herself, to be left out."""
        if own is None:
            return self.nearest(points, 1).distances[:, 0]
        distances = self.nearest(points, 2).distances
        return np.where(own, distances[:, 1], distances[:, 0])


def middle_ranks(ordered: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where values stand among those in order, from 0 to 1; equal ones share the middle, and missing numbers stay.

    Values between two of them stand between their ranks in proportion.

    >>> middle_ranks(np.array([1.0, 2.0, 2.0, 5.0]), np.array([1.5, 2.0, 7.0, np.nan])).tolist()
    [0.3125, 0.5, 0.875, nan]
    """
    if not len(ordered):
        return np.where(np.isnan(values), np.nan, 0.0) if values.dtype.kind == "f" else np.zeros(len(values))
    distinct, counts = np.unique(ordered, return_counts=True)
    ranks: np.ndarray = np.interp(values, distinct, (np.cumsum(counts) - counts / 2) / len(ordered))
    return ranks
