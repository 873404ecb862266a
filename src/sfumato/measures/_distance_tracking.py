"""Trackers of distance-based record linkage."""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from sfumato.attacks.linkage.distance_linker import DistanceLinker, Ranks, outcomes
from sfumato.data import Table
from sfumato.kernels.link_counts import count_all, recount
from sfumato.measures._tracking import Change, Tracker

REFRESHED = 1000  # changes after which sums are made anew, so that rounding cannot pile up
MOST_PAIRS = 2**24  # of records, to count all that are nearer and not only up to a limit


def linkage_tracker(
    linker: DistanceLinker, masked: Table, ties: str, weights: np.ndarray | None
) -> Tracker | None:
    """The incremental form of a linkage; none where the file is too large or empty."""
    weights = np.ones(masked.n) if weights is None else weights
    if not masked.n:
        return None
    if linker.direction == "known":
        return KnownTracker(linker, masked, ties, weights) if masked.n**2 <= MOST_PAIRS else None
    kind = StrictTracker if ties == "miss" else ReleasedTracker
    return kind(linker, masked, ties, weights)


class LinkageTracker(Tracker):
    """Keeps the released records as points. A subclass writes `summed`, `moved` and `settle`."""

    def __init__(self, linker: DistanceLinker, masked: Table, ties: str, weights: np.ndarray) -> None:
        self.linker, self.ties, self.weights = linker, ties, weights
        self.view = linker.view(masked.schema)
        self.points = _canonical(linker.space.points(masked, self.view.readings))
        self.place = {name: j for j, name in enumerate(linker.space.names)}
        self.factor = 100 / float(weights.sum())
        self.pending: tuple[np.ndarray, ...] = ()
        self.commits = 0
        self.prepare(masked)
        self.total = self.pending_total = self.summed()
        super().__init__(self.factor * self.total)

    def prepare(self, masked: Table) -> None:
        """Count what is kept about the links of the file."""
        raise NotImplementedError

    def summed(self) -> float:
        """The sum of all outcomes, from the start."""
        raise NotImplementedError

    def moved(self, rows: np.ndarray, points: np.ndarray) -> float:
        """The sum of all outcomes if some records move; keeps in `pending` what makes it so."""
        raise NotImplementedError

    def settle(self, rows: np.ndarray, points: np.ndarray, *found: np.ndarray) -> None:
        """Make the move that is pending."""
        self.points[rows] = points

    def propose(self, change: Change) -> float:
        names = [name for name in change.columns if name in self.place]
        self.pending, self.pending_total = (), self.total
        if names and len(change.rows):
            self.pending_total = self.moved(change.rows, self._changed(change, names))
        return self.factor * self.pending_total

    def commit(self) -> None:
        if self.pending:
            self.settle(*self.pending)
            self.total, self.commits = self.pending_total, self.commits + 1
            if self.commits % REFRESHED == 0:
                self.total = self.summed()

    def links(self, nearer: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Outcomes as if no two linked records were equal."""
        return outcomes(Ranks(nearer, near, np.ones_like(near)), self.ties, self.linker.nearest)

    def _changed(self, change: Change, names: Sequence[str]) -> np.ndarray:
        space, points = self.linker.space, self.points[change.rows]
        for name in names:
            values = change.columns[name]
            values = values if space.schema[name].is_numeric else values.astype(np.int64, copy=False)
            points[:, self.place[name]] = space.column(name, values, self.view.readings)
        return _canonical(points)


class ReleasedTracker(LinkageTracker):
    """Released records are linked to known ones: only the links of changed records change."""

    def prepare(self, masked: Table) -> None:
        assert self.linker.grove is not None
        self.own = self.linker.grove.own
        ranks = self.linker.ranks(masked)
        self.linked = self.links(ranks.nearer, ranks.near) * self.weights

    def summed(self) -> float:
        return float(self.linked.sum())

    def moved(self, rows: np.ndarray, points: np.ndarray) -> float:
        """One search for each changed record."""
        found = self.linker.rank_few(self.view, points, self.own[rows])
        linked = self.links(found[:, 0], found[:, 1]) * self.weights[rows]
        self.pending = (rows, points, linked)
        return self.total + float((linked - self.linked[rows]).sum())

    def settle(self, rows: np.ndarray, points: np.ndarray, *found: np.ndarray) -> None:
        super().settle(rows, points)
        (self.linked[rows],) = found


class StrictTracker(ReleasedTracker):
    """The same where links count only if no other released record is equal: groups of equals are kept."""

    def prepare(self, masked: Table) -> None:
        super().prepare(masked)
        self.groups: dict[bytes, set[int]] = {}
        for row, key in enumerate(_keys(self.points)):
            self.groups.setdefault(key, set()).add(row)

    def summed(self) -> float:
        return float(sum(map(self._alone, self.groups)))

    def moved(self, rows: np.ndarray, points: np.ndarray) -> float:
        """Those who are left alone or joined count differently as well."""
        super().moved(rows, points)
        earlier, old, new = self.linked[rows], _keys(self.points[rows]), _keys(points)
        touched = {*old, *new}
        before = sum(map(self._alone, touched))
        self._regroup(rows, old, new)
        self.linked[rows] = self.pending[2]
        after = sum(map(self._alone, touched))
        self.linked[rows] = earlier
        self._regroup(rows, new, old)
        return self.total + after - before

    def settle(self, rows: np.ndarray, points: np.ndarray, *found: np.ndarray) -> None:
        self._regroup(rows, _keys(self.points[rows]), _keys(points))
        super().settle(rows, points, *found)

    def _alone(self, key: bytes) -> float:
        group = self.groups.get(key, ())
        return float(self.linked[next(iter(group))]) if len(group) == 1 else 0.0

    def _regroup(self, rows: np.ndarray, old: list[bytes], new: list[bytes]) -> None:
        for row, before, after in zip(rows.tolist(), old, new, strict=True):
            group = self.groups[before]
            group.discard(row)
            if not group:
                del self.groups[before]
            self.groups.setdefault(after, set()).add(row)


class KnownTracker(LinkageTracker):
    """Known records are linked to released ones: all are counted again for the changed records only."""

    def prepare(self, masked: Table) -> None:
        self.known = _columns(self.linker.space.placed(self.linker.points))
        self.placed = _columns(self.linker.space.placed(self.points))
        self.counts = np.zeros((masked.n, 2), np.int64)
        self.radii = count_all(self.known, self.placed, self.view.metric, self.view.sets, self.counts)

    def summed(self) -> float:
        return float((self.links(*self.counts.T) * self.weights).sum())

    def moved(self, rows: np.ndarray, points: np.ndarray) -> float:
        """A pass over the known records for each changed one, and over the released for each known one."""
        new, counts, radii = self.linker.space.placed(points), self.counts.copy(), self.radii.copy()
        old = np.ascontiguousarray(self.placed[:, rows].T)
        self.placed[:, rows] = new.T
        recount(self.known, self.placed, rows, old, self.view.metric, self.view.sets, counts, radii)
        self.placed[:, rows] = old.T
        self.pending = (rows, points, new, counts, radii)
        return float((self.links(*counts.T) * self.weights).sum())

    def settle(self, rows: np.ndarray, points: np.ndarray, *found: np.ndarray) -> None:
        super().settle(rows, points)
        new, self.counts, self.radii = found
        self.placed[:, rows] = new.T


class JointTracker(Tracker):
    """Several trackers that see the same changes; a subclass says what their values are together."""

    def __init__(self, trackers: Sequence[Tracker]) -> None:
        self.trackers = trackers
        super().__init__(self.joined([tracker.value for tracker in trackers]))

    @abstractmethod
    def joined(self, values: list[float]) -> float:
        """The value of all."""

    def propose(self, change: Change) -> float:
        return self.joined([tracker.try_(change) for tracker in self.trackers])

    def commit(self) -> None:
        for tracker in self.trackers:
            tracker.accept()

    def discard(self) -> None:
        for tracker in self.trackers:
            tracker.reject()


class MeanTracker(JointTracker):
    """The mean of several trackers."""

    def joined(self, values: list[float]) -> float:
        return sum(values) / len(values)


class GreatestTracker(JointTracker):
    """The greatest of several trackers."""

    def joined(self, values: list[float]) -> float:
        return max(values)


def _columns(points: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(points.T)


def _keys(points: np.ndarray) -> list[bytes]:
    return [point.tobytes() for point in points]


def _canonical(points: np.ndarray) -> np.ndarray:
    """One kind of zero and one kind of NaN, so that equal points have equal bytes."""
    points = points + 0.0
    points[np.isnan(points)] = np.nan
    return points
