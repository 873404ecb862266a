"""Trackers of measures that add up something over the classes of equal key values."""

from collections.abc import Callable

import numpy as np

from sfumato.data import Table
from sfumato.measures._contract import StatisticBound
from sfumato.measures._tracking import Change, Tracker


class ClassTracker(Tracker):
    """100 / n · Σ over classes of a function of the number of their records and of the sum of their weights.

    A class is known by the bytes of its key values; classes without records are forgotten.
    """

    def __init__(
        self,
        bound: StatisticBound,
        masked: Table,
        weights: np.ndarray,
        adds: Callable[[int, float], float],
    ) -> None:
        super().__init__(bound.score(masked).value)
        self.adds, self.weights, self.scale = adds, weights, 100 / masked.n
        self.position = {name: j for j, name in enumerate(bound.names)}
        self.keys = np.column_stack([_comparable(masked[name]) for name in bound.names])
        self.classes: dict[bytes, tuple[int, float]] = {}
        for row, weight in zip(self.keys, weights.tolist(), strict=True):
            count, total = self.classes.get(row.tobytes(), (0, 0.0))
            self.classes[row.tobytes()] = count + 1, total + weight
        self.pending: tuple[np.ndarray, np.ndarray] | None = None

    def propose(self, change: Change) -> float:
        """Move the records to their new classes; `discard` moves them back."""
        columns = {self.position[name]: v for name, v in change.columns.items() if name in self.position}
        rows = np.asarray(change.rows)
        new = self.keys[rows]
        for j, values in columns.items():
            new[:, j] = _comparable(np.asarray(values))
        self.pending = rows, new
        return self.value + self.scale * self._move()

    def commit(self) -> None:
        """The records have moved already."""
        self.pending = None

    def discard(self) -> None:
        self._move()
        self.pending = None

    def _move(self) -> float:
        assert self.pending is not None
        rows, new = self.pending
        old, growth = self.keys[rows], 0.0
        for was, now, weight in zip(old, new, self.weights[rows].tolist(), strict=True):
            growth += self._enter(was.tobytes(), -1, -weight) + self._enter(now.tobytes(), 1, weight)
        self.keys[rows] = new
        self.pending = rows, old
        return growth

    def _enter(self, key: bytes, records: int, weight: float) -> float:
        """Add records to a class, or take them off; return by how much the sum grows."""
        count, total = self.classes.get(key, (0, 0.0))
        before = self.adds(count, total) if count else 0.0
        count, total = count + records, total + weight
        if not count:
            del self.classes[key]
            return -before
        self.classes[key] = count, total
        return self.adds(count, total) - before


def _comparable(values: np.ndarray) -> np.ndarray:
    """Numbers with one kind of zero and of NaN, so that equal keys have equal bytes."""
    values = values.astype(float)
    return np.where(np.isnan(values), np.nan, values + 0.0)
