"""Looking for people among the kinds of released records, by any sum of costs over attributes."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sfumato.attacks.linkage import record_tree
from sfumato.attacks.panel.case import Case
from sfumato.data.coverage import Coverage
from sfumato.kernels.box_tree import LEAF
from sfumato.kernels.nearest import BEYOND, EQUAL, SQUARED, count_nearest
from sfumato.parallel.threads import in_blocks

BLOCK = 64
LEAVES = 1024  # in large files, where a finer tree takes longer to plant than it saves


class Coordinate(NamedTuple):
    """What one attribute adds to the cost of a pair of records.

    `kind` is one of `kernels.nearest`; `unequal` is the weight of a difference, `absent` the cost of a value missing
    on one side only, and `covered` that of a set of categories with the known one in it (by default the expected
    cost of a draw from the set).
    """

    known: np.ndarray
    released: np.ndarray
    kind: int
    unequal: float
    absent: float
    reading: Coverage | None = None
    covered: float | None = None


def squared(known: np.ndarray, released: np.ndarray, weight: float, absent: float) -> Coordinate:
    return Coordinate(known, released, SQUARED, weight, absent)


def within(
    known: np.ndarray, released: np.ndarray, width: float, unequal: float, absent: float
) -> Coordinate:
    """Numbers that cost nothing up to a distance, and always the same beyond it."""
    if width > 0:
        return Coordinate(known / width, released / width, BEYOND, unequal, absent)
    return Coordinate(known, released, EQUAL, unequal, absent)


class Search:
    """People as points, kinds of released records as points, and the cost of taking one for the other."""

    def __init__(
        self, case: Case, known: np.ndarray, released: np.ndarray, metric: np.ndarray, sets: np.ndarray
    ) -> None:
        self.case, self.known, self.released, self.metric, self.sets = case, known, released, metric, sets

    @classmethod
    def by(cls, case: Case, coordinates: Sequence[Coordinate]) -> "Search":
        known = _matrix([one.known for one in coordinates], case.n)
        released = _matrix([one.released for one in coordinates], len(case.first))
        return cls(case, known, released, *_metric(coordinates))

    def found(self, people: np.ndarray) -> np.ndarray:
        """The chance to take the right record for each person, if one of the cheapest is taken."""
        return self._shares(
            self.known[people],
            _planted(self.released),
            self.case.own[people],
            self.case.counts.astype(np.int64),
        )

    def found_from_release(self, people: np.ndarray) -> np.ndarray:
        """The chance that their released records are taken for these people, if each is for one of the cheapest."""
        ones = np.ones(self.case.n, np.int64)
        return self._shares(self.released[self.case.own[people]], _planted(self.known), people, ones)

    def _shares(
        self,
        Q: np.ndarray,
        planted: tuple[np.ndarray, record_tree.RecordTree],
        own: np.ndarray,
        counts: np.ndarray,
    ) -> np.ndarray:
        X, tree = planted
        if not len(self.metric):  # nothing to go by: all are as good
            return np.full(len(Q), 1 / counts.sum())
        place = np.empty(len(X), np.int64)
        place[tree.order] = np.arange(len(X))
        true, counts = place[own], counts[tree.order]

        def block(start: int, end: int) -> np.ndarray:
            first = np.arange(end - start + 1)
            tables = X, counts, self.metric, self.sets, tree.nodes, tree.boxes
            return count_nearest(Q[start:end], first, true[start:end], 1, *tables)

        nearer, near = in_blocks(block, len(Q), BLOCK).T
        shares: np.ndarray = (nearer == 0) / np.maximum(near, 1)
        return shares


def _planted(points: np.ndarray) -> tuple[np.ndarray, record_tree.RecordTree]:
    spans = np.array([_span(column) for column in points.T])
    tree = record_tree.plant(points, 1 / spans, max(LEAF, len(points) // LEAVES))
    return np.ascontiguousarray(points[tree.order]), tree


def _span(column: np.ndarray) -> float:
    present = column[~np.isnan(column)]
    return float(np.ptp(present)) or 1.0 if len(present) else 1.0


def _matrix(columns: list[np.ndarray], rows: int) -> np.ndarray:
    return np.ascontiguousarray(np.column_stack([*columns, np.zeros(rows)])[:, : len(columns)])


def _metric(coordinates: Sequence[Coordinate]) -> tuple[np.ndarray, np.ndarray]:
    """The metric of the tree, and its sets; see `kernels.nearest`."""
    metric: list[list[float]] = []
    rows: list[np.ndarray] = []
    for one in coordinates:
        size = np.inf if one.reading is None else one.reading.size
        metric.append([one.kind, one.unequal, one.absent, size, len(rows)])
        if one.reading is not None:
            rows += [_set_costs(one, members, one.reading.size) for members in one.reading.sets]
    sets = np.zeros((max(len(rows), 1), max(map(len, rows), default=1)))
    for number, row in enumerate(rows):
        sets[number, : len(row)] = row
    return np.array(metric, float).reshape(-1, 5), sets


def _set_costs(one: Coordinate, members: np.ndarray, size: int) -> np.ndarray:
    """The first and last category in the set, then the cost of each category."""
    costs = np.full(size, one.unequal)
    costs[members] = one.unequal * (1 - 1 / len(members)) if one.covered is None else one.covered
    return np.concatenate([[members[0], members[-1]], costs])
