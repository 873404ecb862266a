"""Blocks in another order: every record moves, and no more than a block of them is in memory at a time.

A first pass sorts each block by the block that its records go to; a second one collects the pieces of each new
block, each of which lies together, and puts them in order.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np

from sfumato.core.crew import Crew, outcomes
from sfumato.core.private import private_folder
from sfumato.data.blocks import INDEX, Blocks, BlockWriter, joined, without_records
from sfumato.data.table import Table

Show = Callable[[Table], Table]
NOWHERE = -1  # where records go that are left out


@dataclass(frozen=True)
class _Move:
    """Where records go; the new row of each is in a file, so that it need not travel with every job."""

    source: Blocks
    sorted: Path
    target: Path
    size: int
    shown: Show | None

    @property
    def goals(self) -> np.ndarray:
        """The new row of each record of the source."""
        found: np.ndarray = np.load(self.sorted / "goals.npy", mmap_mode="r")
        return found

    def sorted_goals(self, block: int) -> Path:
        """The new rows of the records of a block, as they lie after the first pass."""
        return self.sorted / f"{block:06d}.npy"


def reordered(
    blocks: Blocks, rows: np.ndarray, folder: Path, crew: Crew, *, shown: Show | None = None
) -> Blocks:
    """The records at `rows`, each at most once, in this order, as a table in blocks in a folder of its own.

    They are as they were, or as `shown` makes them, a block at a time.
    """
    schema = blocks.schema if shown is None else shown(without_records(blocks.schema)).schema
    digest = blake2b(np.ascontiguousarray(rows, np.int64).tobytes(), digest_size=8)
    digest.update(schema.to_toml().encode())
    target = folder / f"{blocks.folder.name}-ordered-{digest.hexdigest()}"
    between = target.with_name(f"{target.name}-sorted")
    if (target / INDEX).is_file():
        shutil.rmtree(between, ignore_errors=True)  # where a job was killed before it did so
        return Blocks(target)
    size = max([*blocks.counts, 1])
    move = _Move(blocks, between, target, size, shown)
    private_folder(move.sorted)
    goals = np.full(blocks.n, NOWHERE, np.int64)
    goals[rows] = np.arange(len(rows))
    np.save(move.sorted / "goals.npy", goals)
    kept = outcomes(crew, _sort, [(move, block) for block in range(len(blocks))], label="Sorting by place")
    BlockWriter(move.sorted, blocks.schema).finish(kept)
    counts = [min(size, len(rows) - start) for start in range(0, len(rows), size)]
    outcomes(crew, _collect, [(move, block) for block in range(len(counts))], label="Ordering")
    found = BlockWriter(target, schema).finish(counts)
    shutil.rmtree(move.sorted, ignore_errors=True)
    return found


def _sort(_: None, job: tuple[_Move, int]) -> int:
    """Write the records of a block by the block they go to; how many go anywhere."""
    move, block = job
    start, end = move.source.starts[block : block + 2]
    goals = np.array(move.goals[start:end])
    rows = np.flatnonzero(goals != NOWHERE)
    rows = rows[np.argsort(goals[rows] // move.size, kind="stable")]
    np.save(move.sorted_goals(block), goals[rows])
    return BlockWriter(move.sorted, move.source.schema).write(block, move.source.table(block).take(rows))


def _collect(_: None, job: tuple[_Move, int]) -> None:
    """Write a new block from the pieces that all sorted ones hold of it."""
    move, number = job
    found = Blocks(move.sorted)
    pieces, places = [], []
    for block in range(len(found)):
        goals = np.load(move.sorted_goals(block))
        start, end = np.searchsorted(goals // move.size, [number, number + 1])
        pieces.append(found.table(block).take(np.arange(start, end)))
        places.append(goals[start:end])
    table = joined(pieces, found.schema).take(np.argsort(np.concatenate(places)))
    table = table if move.shown is None else move.shown(table)
    BlockWriter(move.target, table.schema).write(number, table)
