"""Masking block by block: each record by itself, given facts of the whole file."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sfumato.core.crew import Crew, outcomes
from sfumato.data import Schema
from sfumato.data.blocks import Blocks, BlockWriter
from sfumato.masking import Whole
from sfumato.masking._parts import Stratum
from sfumato.masking.from_disk.file_facts import facts_of, wholes_for
from sfumato.masking.from_disk.masking_task import MaskingTask


class _Block(NamedTuple):
    work: MaskingTask
    wholes: Mapping[Stratum, Whole]
    schema: Schema
    block: int


def masked_by_record(work: MaskingTask, crew: Crew) -> Blocks:
    """Mask each block; its random numbers are its own."""
    schema = work.original.schema
    strata = schema.with_role("stratum") if work.masking.divides(schema) else ()
    wholes = wholes_for(work, facts_of(work.original, work.names, strata, crew), crew)
    first = work.original.table(0).take(np.arange(1))
    after = work.masking.apply_part(first, work.names, work.stream("schema"), wholes).schema
    jobs = [_Block(work, wholes, after, block) for block in range(len(work.original))]
    outcomes(crew, _mask, jobs, label=f"Masking by {work.masking.name}")
    return BlockWriter(work.folder, after).finish(work.original.counts)


def _mask(_: None, job: _Block) -> None:
    work, writer = job.work, BlockWriter(job.work.folder, job.schema)
    if writer.has(job.block):
        return
    seen = work.original.table(job.block, work.looked_at)
    masked = work.masking.apply_part(seen, work.names, work.stream(job.block), job.wholes)
    attributes = [masked.schema[name] for name in work.names]
    columns = {name: masked[name] for name in work.names}
    writer.write(job.block, work.original.table(job.block).replace(columns, attributes))
