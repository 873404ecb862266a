"""The loss in tables while cells change."""

import numpy as np

from sfumato.data import Table
from sfumato.kernels.table_moves import move_in_tables
from sfumato.measures._tracking import Change, Tracker
from sfumato.measures.analyses.scale import Scale
from sfumato.measures.analyses.tables import Tables


class TableTracker(Tracker):
    """Follows the distance of each table; all are sums of whole numbers, so nothing drifts."""

    def __init__(self, tables: Tables, scale: Scale, original: Table, masked: Table) -> None:
        self.tables, self.loss, self.unit = tables, scale.loss_of_excess, 0.5 / masked.n
        self.limits = scale.expected / self.unit
        self.differences = tables.counts(masked) - tables.counts(original)
        self.apart = np.add.reduceat(np.abs(self.differences), tables.offsets)
        self.digits = np.ascontiguousarray(tables.digits(masked).T, np.int64)
        self.places: dict[str, list[tuple[int, int]]] = {}
        for at, (size, name) in enumerate(tables.rows):
            self.places.setdefault(name, []).append((size, at))
        self.moved: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self.cells = tables.columns, tables.strides, tables.offsets
        super().__init__(scale.loss(self.apart * self.unit))

    def propose(self, change: Change) -> float:
        """Move the records; `discard` moves them back."""
        columns, digits = [], []
        for name, values in change.columns.items():
            for size, at in self.places.get(name, ()):
                columns.append(at)
                digits.append(self.tables.bins[size].few_digits(name, values))
        if not columns:
            return self.value
        self.moved = np.asarray(change.rows, np.int64), np.array(columns), np.array(digits, np.int64).T.copy()
        return self.loss(self.unit * self._move())

    def commit(self) -> None:
        """The records have moved already."""
        self.moved = None

    def discard(self) -> None:
        if self.moved is not None:
            self._move()
            self.moved = None

    def _move(self) -> float:
        assert self.moved is not None
        return move_in_tables(
            self.differences, self.apart, self.digits, *self.moved, *self.cells, self.limits
        )
