"""Masking a table that does not fit into memory, part by part."""

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from sfumato.core import DataError, FileError, Key, Seed, marked, registry
from sfumato.core.crew import Crew, outcomes
from sfumato.core.private import private_folder
from sfumato.data import Schema, writing
from sfumato.data.blocks import INDEX, Blocks, BlockWriter, without_records
from sfumato.masking import InParts, Masking, Whole
from sfumato.masking._parts import Stratum
from sfumato.masking.from_disk.by_exchange import EXCHANGE, masked_by_exchange
from sfumato.masking.from_disk.file_facts import facts_of, wholes_for
from sfumato.masking.from_disk.masking_task import MaskingTask

PARTITION = 32_768  # records that are grouped by themselves
IDENTITY = "identity.json"


def mask_blocks(
    original: Blocks,
    masking: Masking,
    folder: str | Path,
    *,
    seed: Seed,
    crew: Crew,
    partition: int = PARTITION,
) -> Blocks:
    """Mask a table on disk into a new folder: same records, same order, same columns.

    Methods that group records do so within partitions of about `partition` records near to each other, which
    no group crosses. The result depends on the seed, on `partition` and on the size of the blocks, and not on
    who does the work. A folder in which an earlier call was stopped is taken up where it was left.

    >>> import tempfile
    >>> from sfumato.datasets import business_survey
    >>> from sfumato.masking import Mdav
    >>> from sfumato.parallel import Workers
    >>> firms, here = business_survey(100), Path(tempfile.mkdtemp())
    >>> original = BlockWriter(here / "firms", firms.schema).write_all([firms])
    >>> mask_blocks(original, Mdav(k=5), here / "masked", seed=1, crew=Workers(None))
    Blocks(100 records × 13 attributes in 1 blocks)
    """
    folder, steps = Path(folder), list(steps_of(masking))
    key, fingerprint = json.dumps(masking.keyed_by()), original.fingerprint(crew)
    claim(folder, seed=seed, masking=key, partition=partition, original=fingerprint)
    if isinstance(seed, Key):
        key += fingerprint  # two files under one key must not get the same noise
    table = Blocks(folder) if (folder / INDEX).exists() else original
    for number, step in enumerate(steps if table is original else []):
        target = folder if number == len(steps) - 1 else _between(folder, number)
        try:
            table = _masked(table, step, target, (seed, key, number), crew, partition)
        except DataError as error:
            raise DataError(f"Step {number + 1}: {error}" if len(steps) > 1 else str(error)) from None
    # also those that an earlier call was about to remove when it was killed
    for made in (folder / EXCHANGE, *(_between(folder, number) for number in range(len(steps) - 1))):
        shutil.rmtree(made, ignore_errors=True)
    return table


def steps_of(masking: Masking) -> Iterator[InParts]:
    """The maskings of a chain one by one, each of which can mask a file part by part, or it is refused."""
    for single in masking.sequence:
        if not isinstance(single, InParts) or single.parted == "none":
            raise DataError(
                f"{single}: needs all records in memory, and the file is larger; give it more memory, or use "
                f"{', '.join(_able())}."
            )
        yield single


def can_mask(masking: Masking) -> bool:
    """Whether a file larger than memory can be masked so.

    >>> from sfumato.masking import Mdav, Shuffling
    >>> can_mask(Mdav(k=3)), can_mask(Shuffling())
    (True, False)
    """
    try:
        return bool(list(steps_of(masking)))
    except DataError:
        return False


def _between(folder: Path, step: int) -> Path:
    """Where the table lies that a step of a chain makes for the next."""
    return folder / f"step-{step:02d}"


def _able() -> list[str]:
    methods = ((name, registry.load("masking", name)) for name in registry.names("masking"))
    return [name for name, method in methods if method.parted_by != "none"]


def _masked(
    original: Blocks,
    masking: InParts,
    folder: Path,
    key: tuple[Seed, str, int],
    crew: Crew,
    partition: int,
) -> Blocks:
    if (folder / INDEX).exists():
        return Blocks(folder)
    names = masking.targets(without_records(original.schema))
    if original.n == 0:
        return BlockWriter(folder, original.schema).write_all(original.tables())
    private_folder(folder)
    work = MaskingTask(original, masking, names, folder, key)
    if masking.parted == "records" and not masking.linked(original.schema):
        return masked_by_record(work, crew)
    return masked_by_exchange(work, crew, partition)


def claim(folder: Path, *, seed: Seed, masking: str, partition: int, original: str) -> None:
    """Write down what a folder is for; refuse one that is for something else."""
    wanted = {"seed": marked(seed), "masking": masking, "partition": partition, "original": original}
    path = folder / IDENTITY
    if path.exists() or (folder / INDEX).exists():
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            found = None
        if found != wanted:
            raise FileError(f"{folder} holds the work of another masking; remove it, or give another folder.")
        return
    private_folder(folder)
    with writing(path, private=True) as temporary:
        temporary.write_text(json.dumps(wanted), encoding="utf-8")


def masked_by_record(work: MaskingTask, crew: Crew) -> Blocks:
    """Mask each block; its random numbers are its own."""
    schema = work.original.schema
    strata = schema.with_role("stratum") if work.masking.divides(schema) else ()
    wholes = wholes_for(work, facts_of(work.original, work.names, strata, crew), crew)
    first = work.original.table(0).take(np.arange(1))
    after = work.masking.apply_part(first, work.names, work.stream("schema"), wholes).schema
    jobs = [(work, wholes, after, block) for block in range(len(work.original))]
    outcomes(crew, _mask, jobs, label=f"Masking by {work.masking.name}")
    return BlockWriter(work.folder, after).finish(work.original.counts)


def _mask(_: None, job: tuple[MaskingTask, Mapping[Stratum, Whole], Schema, int]) -> None:
    work, wholes, schema, block = job
    writer = BlockWriter(work.folder, schema)
    if writer.has(block):
        return
    seen = work.original.table(block, work.looked_at)
    masked = work.masking.apply_part(seen, work.names, work.stream(block), wholes)
    attributes = [masked.schema[name] for name in work.names]
    columns = {name: masked[name] for name in work.names}
    reasons = {name: masked.reasons(name) for name in work.names}
    writer.write(block, work.original.table(block).replace(columns, attributes, reasons=reasons))
