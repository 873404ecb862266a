"""Followers: a genome with the trackers of all measures, kept up to date while it changes."""

from collections.abc import Sequence

from sfumato.data import Table
from sfumato.measures import Bound, Change, Tracker
from sfumato.search.file_evolution.genomes import Genome, is_large


class Follower:
    """The values of some measures for a genome that changes a little at a time.

    `try_(change)` gives the values the child would have, `accept` makes it. A large change is judged from
    the start, and so is a genome that became a new base: values depend on the genome alone.
    """

    def __init__(self, bounds: Sequence[Bound], original: Table, genome: Genome) -> None:
        self.bounds, self.original, self.genome = bounds, original, genome
        self.trackers = self._started()
        for change in genome.changes:
            for tracker in self.trackers:
                tracker.try_(change)
                tracker.accept()
        self._tried: tuple[Change, Follower | None] | None = None

    @property
    def values(self) -> list[float]:
        return [tracker.value for tracker in self.trackers]

    def try_(self, change: Change) -> list[float]:
        if is_large(change, self.genome.base):
            child = Follower(self.bounds, self.original, self.genome.after(change))
            self._tried = change, child
            return child.values
        self._tried = change, None
        return [tracker.try_(change) for tracker in self.trackers]

    def accept(self) -> "Follower":
        """Go to the child that was tried: whoever follows it, itself or a new one."""
        assert self._tried is not None, "no change was tried"
        change, child = self._tried
        self._tried = None
        if child is not None:
            return child
        for tracker in self.trackers:
            tracker.accept()
        self.genome = self.genome.after(change)
        if not self.genome.changes:
            self.trackers = self._started()
        return self

    def _started(self) -> list[Tracker]:
        base = self.genome.base_table(self.original)
        return [bound.track(base) for bound in self.bounds]
