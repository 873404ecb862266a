"""Correlations of columns on disk, of the file or of each stratum."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sfumato.core.crew import Crew, outcomes
from sfumato.masking import Whole, stratum_of
from sfumato.masking._correlation import correlation_of, products_of_pairs, scaled
from sfumato.masking._parts import Stratum
from sfumato.masking.from_disk.masking_task import MaskingTask


class _Block(NamedTuple):
    work: MaskingTask
    wholes: Mapping[Stratum, Whole]
    block: int


def correlations_of(
    work: MaskingTask, wholes: Mapping[Stratum, Whole], crew: Crew
) -> dict[Stratum, np.ndarray]:
    """The correlations of the columns to mask, from sums of products in each block."""
    jobs = [_Block(work, wholes, block) for block in range(len(work.original))]
    sums: dict[Stratum, np.ndarray] = {}
    for found in outcomes(crew, _products, jobs, label="Correlating columns"):
        for stratum, products in found.items():
            sums[stratum] = sums.get(stratum, 0) + products
    return {stratum: correlation_of(products, pairs) for stratum, (products, pairs) in sums.items()}


def _products(_: None, job: _Block) -> dict[Stratum, np.ndarray]:
    work = job.work
    part = work.original.table(job.block, work.looked_at)
    divided = work.masking.divides(part.schema)
    found = {}
    for at in [rows for _, rows in part.strata()] if divided else [np.arange(part.n)]:
        piece = part.take(at)
        stratum = stratum_of(piece) if divided else ()
        Z = scaled(piece.numbers(work.names), *job.wholes[stratum].spreads(work.names))
        found[stratum] = np.stack(products_of_pairs(Z))
    return found
