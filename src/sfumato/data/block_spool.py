"""Spooling: a source becomes blocks in a work folder, a block at a time.

Blocks hold the same number of records whatever the row groups of the files are. The folder of a table is
named after the files it came from and the schema they were read with, so that a job that was stopped finds
the blocks it made, and never those of another file.
"""

import json
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from sfumato.core import DataError, progress
from sfumato.core.crew import Crew
from sfumato.data.blocks import BLOCK, INDEX, Blocks, BlockWriter
from sfumato.data.encoding import CellError
from sfumato.data.parquet_source import ParquetSource
from sfumato.data.schema import Schema
from sfumato.data.table import Table


@dataclass(frozen=True)
class _Run:
    """Some blocks that follow one another, to be read in one go."""

    source: ParquetSource
    schema: Schema
    folder: Path
    blocks: range
    records: int


@dataclass(frozen=True)
class _Refusal:
    """A value that breaks a rule: which column, which record of the source, and the rule."""

    column: int
    row: int
    rule: str


def spool(source: ParquetSource, folder: Path, *, schema: Schema, crew: Crew, records: int = BLOCK) -> Blocks:
    """The table of a source in blocks, inside a work folder; what is there already is used again."""
    Table.from_arrow(source.arrow.empty_table(), schema, source=str(source.path))
    schema = schema.select(source.names)
    target = folder / f"table-{_key(source, schema, records)}"
    if (target / INDEX).is_file():
        return Blocks(target)
    writer = BlockWriter(target, schema)
    runs = [_Run(source, schema, target, blocks, records) for blocks in source.runs(records)]
    refusals: list[_Refusal] = []
    with progress.task("Reading", source.n) as work:
        for position, refused in crew.run(_spool, runs):
            refusals += refused
            work.advance(_span(runs[position])[1] - _span(runs[position])[0])
    if refusals:
        raise _error(source, min(refusals, key=lambda found: (found.column, found.row)))
    return writer.finish([min(records, source.n - start) for start in range(0, source.n, records)])


def _key(source: ParquetSource, schema: Schema, records: int) -> str:
    made_from = json.dumps([source.identity, schema.to_toml(), records])
    return blake2b(made_from.encode(), digest_size=8).hexdigest()


def _span(run: _Run) -> tuple[int, int]:
    return run.blocks.start * run.records, min(run.blocks.stop * run.records, run.source.n)


def _spool(_: None, run: _Run) -> list[_Refusal]:
    """Write the blocks of a run that are not there yet; where a value is refused, say which instead."""
    left = [block for block in run.blocks if not (run.folder / f"{block:06d}.arrow").is_file()]
    if not left:
        return []
    writer = BlockWriter(run.folder, run.schema)
    start, end = left[0] * run.records, _span(run)[1]
    refusals = []
    for block, arrow in enumerate(run.source.read(start, end, run.records), start=left[0]):
        try:
            writer.write(block, Table.from_arrow(arrow, run.schema, source=str(run.source.path)))
        except CellError as error:
            refusals.append(_refusal(error, run, block))
    return refusals


def _refusal(error: CellError, run: _Run, block: int) -> _Refusal:
    places = [f"{run.source.path}, column {name}" for name in run.schema.names]
    return _Refusal(places.index(error.where), block * run.records + error.row, error.rule)


def _error(source: ParquetSource, found: _Refusal) -> DataError:
    file, row = source.place(found.row)
    return CellError(f"{file}, column {source.names[found.column]}", row, found.rule)
