"""Finding the statistics that measures need: in one pass over the blocks, and in the whole files."""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from sfumato.core import progress
from sfumato.core.crew import in_order
from sfumato.data.blocks import Blocks
from sfumato.large.judging.database import database
from sfumato.large.judging.ranks import RankFiles, rank
from sfumato.large.judging.streamed._contract import Gathered, Pair, Sought, Sources, Statistic
from sfumato.large.judging.totals import Totals, with_weight


class Timed(NamedTuple):
    """What was found, and the seconds it took, over all processes."""

    value: Any
    seconds: float


class _Job(NamedTuple):
    original: Blocks
    masked: Blocks
    block: int
    statistics: tuple[Gathered, ...]
    totals: Totals
    ranks: Mapping[str, RankFiles]


def find(needs: tuple[Statistic, ...], sources: Sources) -> dict[Statistic, Timed]:
    """All statistics: those of blocks in one pass, then the others one by one."""
    ranks = _ranked(tuple(dict.fromkeys(name for need in needs for name in need.ranked)), sources)
    adding = tuple(need for need in needs if isinstance(need, Gathered))
    found: dict[Statistic, Timed] = dict(zip(adding, gathered(adding, sources, ranks), strict=True))
    sought = [need for need in needs if isinstance(need, Sought)]
    with progress.task("Looking for records alike", len(sought)) as work:
        for need in sought:
            start = time.perf_counter()
            value = need.seek(sources._replace(found={one: known.value for one, known in found.items()}))
            found[need] = Timed(value, time.perf_counter() - start)
            work.advance()
    return found


def _ranked(names: tuple[str, ...], sources: Sources) -> dict[str, RankFiles]:
    if not names:
        return {}
    with (
        database(sources.folder, memory=sources.memory) as db,
        progress.task("Ranking", len(names)) as work,
    ):
        ranks = {}
        for name in names:
            ranks[name] = rank(sources.original, name, sources.folder, db)
            work.advance()
    return ranks


def gathered(
    statistics: tuple[Gathered, ...], sources: Sources, ranks: Mapping[str, RankFiles]
) -> list[Timed]:
    """Statistics that add up, in one pass over the blocks of both files."""
    if not statistics:
        return []
    original, masked, known = sources.original, sources.masked, sources.totals
    jobs = [_Job(original, masked, block, statistics, known, ranks) for block in range(len(original))]
    outcomes = in_order(sources.crew, _of_block, jobs, label="Comparing blocks")
    joined = next(outcomes)
    for outcome in outcomes:  # in the order of blocks: sums are the same on any crew
        joined = [
            Timed(statistic.join(a.value, b.value), a.seconds + b.seconds)
            for statistic, a, b in zip(statistics, joined, outcome, strict=True)
        ]
    return joined


def _of_block(shared: None, job: _Job) -> list[Timed]:
    known = job.totals
    original = job.original.table(job.block, with_weight(known.columns, known.weight))
    pair = Pair(original, job.masked.table(job.block, known.columns), known, job.ranks)
    found = []
    for statistic in job.statistics:
        start = time.perf_counter()
        value = statistic.gather(pair)
        found.append(Timed(value, time.perf_counter() - start))
    return found
