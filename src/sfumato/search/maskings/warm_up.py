"""Warming up: each kernel is compiled by one of the workers, before all of them need it at once.

Kernels are compiled when first called, and kept on disk. Workers that start with nothing kept would all
compile the same ones side by side. Here they share the work out: every measure is tried once and every
method once, each by one worker, on few records and for nothing but the kept code. Where the code is kept
already, this takes a moment.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from sfumato.core import SfumatoError, progress, stream
from sfumato.masking import Chain, Masking
from sfumato.measures import Measure, fitting_measures
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
    jobs: list[Measure | Masking] = [*fitting_measures(workers.shared.table), *first.values()]
    with progress.task("Getting ready", len(jobs)) as work:
        for _ in workers.run(_tried, jobs):
            work.advance()


def _tried(problem: KeyMaskings, job: Measure | Masking) -> None:
    few = problem.table.take(np.arange(min(RECORDS, problem.table.n)))
    with suppress(SfumatoError):  # said when the whole table is tried
        if isinstance(job, Masking):
            job.apply(few, stream(0, "warming"))
        else:
            job.bind(few).score(few)
