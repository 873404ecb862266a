"""Statistics of two files in blocks: joined in passes over the blocks, or sought in the whole files."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.core import Seed, progress
from sfumato.core.crew import Crew, in_order
from sfumato.data import Table
from sfumato.data.blocks import Blocks
from sfumato.measures.statistics.contract import (
    MeanWeight,
    Part,
    Sought,
    Statistic,
    unusable_weights,
    with_needs,
)


class Timed(NamedTuple):
    """What was found, and the seconds it took, over all processes."""

    value: Any
    seconds: float


class FilePair(NamedTuple):
    """An original and a masked file in the same blocks, and the columns of them that matter."""

    original: Blocks
    masked: Blocks
    columns: tuple[str, ...]

    @property
    def weight(self) -> str:
        """The column of survey weights; empty where there is none."""
        return self.original.schema.weight

    def block(self, block: int, known: Mapping[Statistic, Any]) -> tuple[Part, Table]:
        names = dict.fromkeys([*self.columns, *([self.weight] if self.weight else [])])
        table, mean = self.original.table(block, tuple(names)), known.get(MeanWeight())
        weights = None if mean is None else table[self.weight] / mean[1]
        return Part(table, weights, known), self.masked.table(block, self.columns)


@dataclass(frozen=True)
class Sources:
    """Two files in blocks, what may be used to look into them, and what was found in them so far."""

    files: FilePair
    folder: Path
    crew: Crew
    seed: Seed
    sample: int
    memory: int
    found: dict[Statistic, Timed] = field(default_factory=dict)

    def find(self, *wanted: Statistic) -> list[Any]:
        """Statistics and all that they need, in as few passes over the blocks as can be."""
        while waiting := [one for one in with_needs(wanted) if one not in self.found]:
            ready = [one for one in waiting if all(need in self.found for need in one.needs)]
            joined = tuple(one for one in ready if not isinstance(one, Sought))
            self.found.update(zip(joined, self.gathered(*joined), strict=True))
            if MeanWeight() in joined and not self.found[MeanWeight()].value[1] > 0:
                raise unusable_weights(self.files.weight)
            sought = [one for one in ready if isinstance(one, Sought)]
            if not sought:
                continue
            with progress.task("Looking for records alike", len(sought)) as work:
                for one in sought:
                    start = time.perf_counter()
                    value = one.seek(self)
                    self.found[one] = Timed(value, time.perf_counter() - start)
                    work.advance()
        return [self.found[one].value for one in wanted]

    def gathered(self, *statistics: Statistic) -> list[Timed]:
        """Statistics that are joined, in one pass over the blocks of both files."""
        if not statistics:
            return []
        needed = {need for one in statistics for need in with_needs(one.needs)}
        known = {need: self.found[need].value for need in needed}
        jobs = [_Job(self.files, block, statistics, known) for block in range(len(self.files.original))]
        label = "Reading the files" if all(one.of_original for one in statistics) else "Comparing blocks"
        outcomes = in_order(self.crew, _of_block, jobs, label=label)
        joined = next(outcomes)
        for outcome in outcomes:  # in the order of blocks: sums are the same on any crew
            joined = [
                Timed(statistic.join(a.value, b.value), a.seconds + b.seconds)
                for statistic, a, b in zip(statistics, joined, outcome, strict=True)
            ]
        return joined


class _Job(NamedTuple):
    files: FilePair
    block: int
    statistics: tuple[Statistic, ...]
    known: Mapping[Statistic, Any]


def _of_block(shared: None, job: _Job) -> list[Timed]:
    original, masked = job.files.block(job.block, job.known)
    found = []
    for statistic in job.statistics:
        start = time.perf_counter()
        value = statistic.packed(statistic.bound(original).take(masked))
        found.append(Timed(value, time.perf_counter() - start))
    return found
