"""Cells that were emptied for one set of columns and are not needed any more, after those of other sets, come back."""

from collections import defaultdict

import numpy as np

from sfumato.kernels.compatible_records import EMPTY
from sfumato.kernels.distinct_records import distinct
from sfumato.masking._suppression_demand import Columns, SuppressionDemand


def restored(
    states: np.ndarray, after: np.ndarray, people: np.ndarray, demand: SuppressionDemand
) -> np.ndarray:
    """The states with whatever cells can come back, the dearest columns first, while missing is a value like others.

    Records that are written alike, and had the same value, get it back together: if in each set with that column those
    that they leave are enough without them, or nobody, and those that they join are enough with them.
    """
    found = after.copy()
    tallies = [Tally(found, people, columns) for columns in demand.sets]
    for column in np.argsort(-demand.costs, kind="stable").tolist():
        gone = np.flatnonzero((found[:, column] == EMPTY) & (states[:, column] != EMPTY))
        alike = distinct([*found[gone].T, states[gone, column]])
        order = gone[np.argsort(alike.labels, kind="stable")]
        for rows in np.split(order, np.cumsum(alike.counts)[:-1]) if len(gone) else ():
            before, filled = found[rows[0]], found[rows[0]].copy()
            filled[column] = states[rows[0], column]
            amount = np.array([len(rows), people[rows].sum()])
            concerned = [tally for tally in tallies if column in tally.columns]
            if all(tally.may_move(before, filled, amount, demand) for tally in concerned):
                for tally in concerned:
                    tally.move(before, filled, amount)
                found[rows] = filled
    return found


class Tally:
    """How many records and people are written alike in some columns."""

    def __init__(self, states: np.ndarray, people: np.ndarray, columns: Columns) -> None:
        self.columns = list(columns)
        classes = distinct([states[:, j] for j in columns])
        sums = np.column_stack([classes.counts, np.bincount(classes.labels, people)])
        self.sums: dict[bytes, np.ndarray] = defaultdict(lambda: np.zeros(2))
        self.sums.update(zip(map(self._key, states[classes.first]), sums, strict=True))

    def may_move(
        self, before: np.ndarray, filled: np.ndarray, amount: np.ndarray, demand: SuppressionDemand
    ) -> bool:
        """Whether so much can be written otherwise, and all that is written is still alike enough."""
        left, joined = self.sums[self._key(before)] - amount, self.sums[self._key(filled)] + amount
        sizes, stand = np.array([joined[0], left[0]]).astype(np.int64), np.array([joined[1], left[1]])
        safe = demand.enough.safe(sizes, stand)
        return bool(safe[0] and (safe[1] or sizes[1] == 0))

    def move(self, before: np.ndarray, filled: np.ndarray, amount: np.ndarray) -> None:
        self.sums[self._key(before)] = self.sums[self._key(before)] - amount
        self.sums[self._key(filled)] = self.sums[self._key(filled)] + amount

    def _key(self, row: np.ndarray) -> bytes:
        return bytes(row[self.columns].tobytes())
