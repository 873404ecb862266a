"""Distance-based linkage estimated from a sample: each record of it is linked against a whole file.

How far a record is from its own is known beforehand. So a block of the other file is only asked how many of
its records are nearer, and how many as near: a record for which enough are nearer is lost, and need not be
looked for in the blocks that follow. The answer for a record is the one that the measure gives.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sfumato.attacks import Rate, wilson
from sfumato.attacks.linkage import record_tree
from sfumato.attacks.linkage.distance_linker import Ranks, View
from sfumato.attacks.linkage.record_space import Extent, Space
from sfumato.core import progress, stream
from sfumato.data.blocks import Blocks
from sfumato.kernels import box_tree
from sfumato.kernels.nearest import count_within, distances
from sfumato.measures.statistics.sources import Sources
from sfumato.measures.statistics.spreads import Extremes, Spreads
from sfumato.parallel.threads import in_blocks

SEARCHES = 256  # of one thread at a time


class Sampled(NamedTuple):
    """A statistic estimated from so many records, and the ends of its 95 % confidence interval."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    records: int


def sampled_ranks(
    sources: Sources, names: tuple[str, ...], distance: str, *, released: bool, nearest: int
) -> tuple[np.ndarray, Ranks]:
    """The records of a sample, and where their own records stand among all of the other file."""
    rows, (known, masked, _) = drawn_rows(sources), sources.files
    space = Space(known.table(0, names), names, distance, whole=_extents(sources, names))
    readings = space.read(masked.schema)
    view = View(readings, *space.metric(readings))
    points = space.points(masked.take(rows, names), readings), space.points(known.take(rows, names))
    Q, own = (space.placed(side) for side in (points if released else points[::-1]))
    targets = _Targets(known if released else masked, space, view, released)
    return rows, _linked(Q, own, targets, sources, nearest)


class _Targets(NamedTuple):
    """The file that records are linked to, and how far its records are."""

    blocks: Blocks
    space: Space
    view: View
    known: bool

    def points(self, block: int) -> np.ndarray:
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
    n = sources.files.original.n
    if sources.sample >= n:
        return np.arange(n)
    rng = stream(sources.seed, "linkage sample")
    return np.sort(rng.choice(n, sources.sample, replace=False, shuffle=False))


def _extents(sources: Sources, names: tuple[str, ...]) -> dict[str, Extent]:
    """The extents of the numeric attributes of the whole original, in units of their last decimal."""
    schema = sources.files.original.schema
    numeric = tuple(name for name in names if schema[name].is_numeric)
    units, *ranges = sources.find(Spreads(numeric), *map(Extremes, numeric))
    found = {}
    for name, deviation, ends in zip(numeric, units.deviation.tolist(), ranges, strict=True):
        decimals = schema[name].decimals
        present = np.array(ends) if ends.low <= ends.high else np.zeros(2)
        low, high = record_tree.whole_numbers(present, decimals).tolist()
        found[name] = Extent(deviation * 10.0 ** (decimals or 0), low, high)
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
    order, nodes, boxes = box_tree.plant(X, targets.space.sides, box_tree.LEAF)
    counts = box_tree.merge_equal_rows(len(X), nodes, boxes)
    X = np.ascontiguousarray(X[order])
    metric, sets = targets.view.metric, targets.view.sets
    return in_blocks(
        lambda start, end: count_within(
            Q[start:end], radii[start:end], limit, X, counts, metric, sets, nodes, boxes
        ),
        len(Q),
        SEARCHES,
    )


def estimated_rate(outcomes: np.ndarray, weights: np.ndarray | None, n: int) -> Rate:
    """The rate of all n records, from the outcomes (0 to 1) of a random sample of them without repetition.

    The interval is Wilson's for the number of records that a sample of a very large file would need to tell
    as much: more than those drawn where they are a good part of the file, and fewer where weights differ
    (Kish). It is wide enough for outcomes between 0 and 1, which vary less than those of 0 or 1. With all
    records nothing is left to chance.

    >>> rate = estimated_rate(np.array([1.0, 0.0, 0.0, 0.0] * 25), None, 10**9)
    >>> rate.value, round(rate.low, 1), round(rate.high, 1)
    (25.0, 17.5, 34.3)
    """
    value = 100 * float(np.average(outcomes, weights=weights))
    drawn = len(outcomes)
    if drawn >= n:
        return Rate(value=value, low=value, high=value)
    told = drawn if weights is None else float(weights.sum() ** 2 / (weights * weights).sum())
    told *= (n - 1) / (n - drawn)
    interval = wilson(value / 100 * told, told)
    return Rate(value=value, low=interval.low, high=interval.high)
