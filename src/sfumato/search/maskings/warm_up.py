"""Warming up: each kernel is compiled by one of the workers, before all of them need it at once.

Kernels are compiled when first called, and kept on disk. Workers that start with nothing kept would all
compile the same ones side by side. Here they share the work out: every measure is tried once and every
method once, each by one worker, on few records and for nothing but the kept code. Where the code is kept
already, this takes a moment.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sfumato.core import SfumatoError, progress, registry, stream
from sfumato.data import Table
from sfumato.masking import Chain, Masking
from sfumato.measures import Measure
from sfumato.parallel import Workers
from sfumato.search.problems.key_maskings import KeyMaskings

if TYPE_CHECKING:
    from sfumato.parallel.cluster import Cluster

RECORDS = 600  # beyond the sizes below which methods take simpler ways


def warm_up(workers: "Workers[KeyMaskings] | Cluster[KeyMaskings]", maskings: Sequence[Masking]) -> None:
    """Let the workers compile what these maskings, and every measure of their outcome, will call."""
    if not isinstance(workers, Workers) or workers.count == 1:  # machines of a cluster share no code
        return
    single = [masking for masking in maskings if not isinstance(masking, Chain)]
    first = {(masking.name, masking.attributes): masking for masking in reversed(single)}
    measures: list[Measure] = [registry.make("measures", name) for name in registry.names("measures")]
    table = workers.shared.table
    fitting = [measure for measure in measures if measure.sense != "score" and measure.fitting(table)]
    jobs: list[Measure | Masking] = [*fitting, *first.values()]
    with progress.task("Getting ready", len(jobs)) as work:
        for _ in workers.run(_tried, jobs):
            work.advance()


def _tried(problem: KeyMaskings, job: Measure | Masking) -> None:
    few = problem.table.take(np.arange(min(RECORDS, problem.table.n)))
    try:
        _compiled(job, few)
    except SfumatoError:  # said when the whole table is tried
        return


def _compiled(job: Measure | Masking, table: Table) -> None:
    if isinstance(job, Masking):
        job.apply(table, stream(0, "warming"))
    else:
        job.bind(table).score(table)
