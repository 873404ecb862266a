"""Linking records to the nearest ones of another file, and counting how many are nearer or as near."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sfumato.attacks.linkage import record_tree
from sfumato.attacks.linkage.record_space import Readings, Space
from sfumato.data import Schema, Table
from sfumato.kernels.distinct_records import Distinct, distinct
from sfumato.kernels.nearest import count_nearest
from sfumato.parallel.threads import in_blocks

BLOCK = 2048


class Ranks(NamedTuple):
    """Where the true record of each record stands among all, by distance."""

    nearer: np.ndarray  # how many are nearer, counted up to the limit of the linker
    near: np.ndarray  # how many are exactly as near, itself included
    alike: np.ndarray  # how many of the linked records are equal to this one, itself included


class Grove(NamedTuple):
    """The distinct records of a file in the order of their tree."""

    X: np.ndarray
    counts: np.ndarray
    nodes: np.ndarray
    boxes: np.ndarray
    own: np.ndarray  # the row of X that each record of the file is


class View(NamedTuple):
    """How a linker sees released files of one schema."""

    readings: Readings
    metric: np.ndarray
    sets: np.ndarray


class DistanceLinker:
    """Fitted once on the known file; says for each record of a released one how its link would end.

    With `direction="released"` each released record is linked to the nearest known one; with `"known"` each
    known record to the nearest released one. A true record counts as found if it is among the `nearest`.
    """

    def __init__(self, known: Table, space: Space, *, direction: str = "released", nearest: int = 1) -> None:
        self.space, self.direction, self.nearest = space, direction, nearest
        self.points = space.points(known)
        self.records = distinct(_columns(self.points))
        self.grove = _planted(space, self.points, self.records) if direction == "released" else None

    def view(self, released: Schema) -> View:
        readings = self.space.read(released)
        return View(readings, *self.space.metric(readings))

    def outcomes(self, released: Table, ties: str = "expected", rows: np.ndarray | None = None) -> np.ndarray:
        """The success of linking each record, or each of some distinct rows only, from 0 to 1."""
        return outcomes(self.ranks(released, rows), ties, self.nearest)

    def ranks(self, released: Table, rows: np.ndarray | None = None) -> Ranks:
        view = self.view(released.schema)
        points = self.space.points(released, view.readings)
        records = distinct(_columns(points))
        if self.grove is not None:
            return self._searched(view, self.grove, points, records, rows, records.counts)
        grove = _planted(self.space, points, records)
        # a known record is sought by itself: that another one is equal to it makes no link doubtful
        return self._searched(view, grove, self.points, self.records, rows, np.ones_like(self.records.counts))

    def rank_few(self, view: View, points: np.ndarray, own: np.ndarray) -> np.ndarray:
        """How many known records are nearer and as near, for a few released points and their own rows."""
        assert self.grove is not None
        first = np.arange(len(points) + 1)
        return self._count(view, self.grove, self.space.placed(points), first, own)

    def _searched(
        self,
        view: View,
        grove: Grove,
        points: np.ndarray,
        queries: Distinct,
        rows: np.ndarray | None,
        alike: np.ndarray,
    ) -> Ranks:
        """Each distinct query is looked for once, with all the true records of the rows that are like it."""
        Q = self.space.placed(points[queries.first])
        labels, own = (queries.labels, grove.own) if rows is None else (queries.labels[rows], grove.own[rows])
        pairs, place = np.unique(labels * max(len(grove.X), 1) + own, return_inverse=True)
        query, true = np.divmod(pairs, max(len(grove.X), 1))
        first = np.searchsorted(query, np.arange(len(Q) + 1))
        found = in_blocks(
            lambda start, end: self._count(view, grove, Q[start:end], first[start : end + 1], true),
            len(Q),
            BLOCK,
        )
        nearer, near = found[place.ravel()].T
        return Ranks(nearer, near, alike[labels])

    def _count(
        self, view: View, grove: Grove, Q: np.ndarray, first: np.ndarray, own: np.ndarray
    ) -> np.ndarray:
        tree = grove.X, grove.counts, view.metric, view.sets, grove.nodes, grove.boxes
        return count_nearest(Q, first, own, self.nearest, *tree)


def outcomes(ranks: Ranks, ties: str, nearest: int) -> np.ndarray:
    """The success of each link if equally near records are picked at random, all count, or none does."""
    if ties == "expected":
        shares: np.ndarray = np.minimum(
            np.maximum(nearest - ranks.nearer, 0) / np.maximum(ranks.near, 1), 1.0
        )
        return shares
    found = ranks.nearer < nearest
    if ties == "miss":
        found &= (ranks.nearer + ranks.near <= nearest) & (ranks.alike == 1)
    return found.astype(float)


def _columns(points: np.ndarray) -> Sequence[np.ndarray]:
    return [*points.T] or [np.zeros(len(points))]


def _planted(space: Space, points: np.ndarray, records: Distinct) -> Grove:
    X = space.placed(points[records.first])
    tree = record_tree.plant(X, space.sides)
    place = np.empty(len(X), np.int64)
    place[tree.order] = np.arange(len(X))
    X = np.ascontiguousarray(X[tree.order])
    return Grove(X, records.counts[tree.order], tree.nodes, tree.boxes, place[records.labels])
