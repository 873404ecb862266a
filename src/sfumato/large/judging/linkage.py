"""Distance-based linkage estimated from a sample: each record of it is linked against a whole file.

How far a record is from its own is known beforehand. So a block of the other file is only asked how many of
its records are nearer, and how many as near: a record for which enough are nearer is lost, and need not be
looked for in the blocks that follow. The answer for a record is the one that the measure gives.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.attacks import _record_tree
from sfumato.attacks._contract import Rate
from sfumato.attacks._distance_linker import Ranks, View, outcomes
from sfumato.attacks._record_space import Extent, Space
from sfumato.core import progress, stream
from sfumato.data.blocks import Blocks
from sfumato.kernels import box_tree
from sfumato.kernels.nearest import count_within, distances
from sfumato.large.judging.estimates import estimated_rate
from sfumato.large.judging.streamed._contract import Sought, Sources
from sfumato.large.judging.totals import Totals
from sfumato.measures.distance_linkage import DistanceLinkage
from sfumato.parallel.threads import in_blocks

SEARCHES = 256  # of one thread at a time


class Sampled(NamedTuple):
    """A rate estimated from so many records."""

    rate: Rate
    records: int


@dataclass(frozen=True)
class SampledLinks(Sought):
    """The rate of links of the whole file, estimated from a sample of its records."""

    measure: DistanceLinkage

    def seek(self, sources: Sources) -> Sampled:
        """Draw the sample, link it, and count."""
        rows = drawn_rows(sources)
        found = outcomes(self._ranks(sources, rows), self.measure.ties, 1 + self.measure.second_nearest)
        weights = None
        if self.measure.weighted:
            weights = sources.totals.weights(sources.original.take(rows, [sources.totals.weight]))
        return Sampled(estimated_rate(found, weights, sources.original.n), len(rows))

    def _ranks(self, sources: Sources, rows: np.ndarray) -> Ranks:
        names, known = self.measure.attributes, sources.original
        whole = extents(sources.totals, known, names)
        space = Space(known.table(0, names), names, self.measure.distance, whole=whole)
        released = self.measure.direction == "released"
        readings = space.read(sources.masked.schema)
        view = View(readings, *space.metric(readings))
        points = (
            space.points(sources.masked.take(rows, names), readings),
            space.points(known.take(rows, names)),
        )
        Q, own = (space.placed(side) for side in (points if released else points[::-1]))
        others = known if released else sources.masked
        return _linked(
            Q, own, _Targets(others, space, view, released), sources, 1 + self.measure.second_nearest
        )


class _Targets(NamedTuple):
    """The file that records are linked to, and how far its records are."""

    blocks: Blocks
    space: Space
    view: View
    known: bool

    def points(self, block: int) -> np.ndarray:
        """The records of a block as points."""
        table = self.blocks.table(block, self.space.schema.names)
        return self.space.points(table, None if self.known else self.view.readings)


class _Job(NamedTuple):
    targets: _Targets
    block: int
    Q: np.ndarray
    radii: np.ndarray
    limit: int


def drawn_rows(sources: Sources) -> np.ndarray:
    """The records of the sample, in order: all of them where the file is no larger."""
    n = sources.original.n
    if sources.sample >= n:
        return np.arange(n)
    rng = stream(sources.seed, "linkage sample")
    return np.sort(rng.choice(n, sources.sample, replace=False, shuffle=False))


def extents(totals: Totals, known: Blocks, names: tuple[str, ...]) -> dict[str, Extent]:
    """The extents of the numeric attributes of a whole file, in units of their last decimal."""
    found = {}
    for name in names:
        if known.schema[name].is_numeric:
            whole, decimals = totals.original[name], known.schema[name].decimals
            ends = np.array([whole.low, whole.high]) if whole.n else np.zeros(2)
            low, high = _record_tree.whole_numbers(ends, decimals).tolist()
            found[name] = Extent(whole.spread * 10.0 ** (decimals or 0), low, high)
    return found


def _linked(Q: np.ndarray, own: np.ndarray, targets: _Targets, sources: Sources, limit: int) -> Ranks:
    """Where the own records stand, wave after wave of blocks, each for those that are not lost by then."""
    metric, sets = targets.view.metric, targets.view.sets
    radii = distances(Q, own, metric, sets)
    # the own records are a sample of the other file: most of those who are lost are lost among them
    found = _counted(targets, own, Q, radii, limit)
    left = np.flatnonzero(found[:, 0] < limit)
    found[left] = 0
    with progress.task("Linking a sample", len(targets.blocks)) as work:
        for wave in _waves(len(targets.blocks)):
            jobs = [_Job(targets, block, Q[left], radii[left], limit) for block in wave]
            for _, counts in sources.crew.run(_of_block, jobs) if len(left) else ():
                found[left] += counts
            left = left[found[left, 0] < limit]
            work.advance(len(wave))
    nearer, near = np.minimum(found[:, 0], limit), found[:, 1]
    return Ranks(nearer, near, np.ones_like(near))


def _waves(blocks: int) -> Iterator[range]:
    """Blocks in waves of 1, 2, 4, …"""
    start, size = 0, 1
    while start < blocks:
        yield range(start, min(start + size, blocks))
        start, size = start + size, 2 * size


def _of_block(shared: None, job: _Job) -> np.ndarray:
    X = job.targets.space.placed(job.targets.points(job.block))
    return _counted(job.targets, X, job.Q, job.radii, job.limit)


def _counted(targets: _Targets, X: np.ndarray, Q: np.ndarray, radii: np.ndarray, limit: int) -> np.ndarray:
    """For each query, how many rows of X are nearer than its radius, and how many as far."""
    order, nodes, boxes, counts = box_tree.plant(X, targets.space.sides)
    X = np.ascontiguousarray(X[order])
    metric, sets = targets.view.metric, targets.view.sets
    return in_blocks(
        lambda start, end: count_within(
            Q[start:end], radii[start:end], limit, X, counts, metric, sets, nodes, boxes
        ),
        len(Q),
        SEARCHES,
    )
