"""Blocks: a table that stays on disk, cut into pieces of so many records.

A folder holds one Arrow file a block, with the values as a `Table` has them (numbers, codes, reasons), the
schema, and an index that is written last: a folder with an index is whole. Blocks are mapped, not read, so
that only the columns that are looked at take memory. Each file appears by a rename; several processes, or
machines that share the folder, can write blocks at once, and write the same block twice without harm.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.core import DataError, FileError
from sfumato.core.crew import Crew, outcomes
from sfumato.core.private import private_folder
from sfumato.data.files.atomic import writing
from sfumato.data.schema import Schema
from sfumato.data.table import Table

BLOCK = 500_000  # records in a block, but for the last

INDEX = "index.json"
SCHEMA = "schema.toml"


class Blocks:
    """A table in a folder. The records of block i follow those of block i − 1, as in the file they came from.

    >>> import tempfile
    >>> from sfumato.datasets import business_survey
    >>> firms = business_survey(100)
    >>> blocks = BlockWriter(Path(tempfile.mkdtemp()) / "firms", firms.schema).write_all([firms])
    >>> blocks.n, len(blocks), blocks.table(0).fingerprint == firms.fingerprint
    (100, 1, True)
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            index = json.loads((self.folder / INDEX).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise FileError(f"{self.folder} does not hold a whole table in blocks.") from None
        self.counts: tuple[int, ...] = tuple(index["counts"])
        self.schema = Schema.read(self.folder / SCHEMA)

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"Blocks({self.n} records × {len(self.schema)} attributes in {len(self)} blocks)"

    @property
    def n(self) -> int:
        return sum(self.counts)

    @property
    def names(self) -> tuple[str, ...]:
        return self.schema.names

    @property
    def paths(self) -> list[Path]:
        """The files of the blocks."""
        return [_block_path(self.folder, block) for block in range(len(self))]

    @property
    def starts(self) -> np.ndarray:
        """The row at which each block begins; the number of records comes last."""
        return np.concatenate([[0], np.cumsum(self.counts, dtype=np.int64)])

    def table(self, block: int, names: Sequence[str] = ()) -> Table:
        """One block, all columns of it or only some."""
        schema = self.schema.select(names) if names else self.schema
        columns, reasons = _mapped(_block_path(self.folder, block))
        at = {name: position for position, name in enumerate(self.names)}
        return Table(
            schema,
            {name: columns[at[name]] for name in schema.names},
            reasons={name: reasons[at[name]] for name in schema.names if at[name] in reasons},
        )

    def tables(self, names: Sequence[str] = ()) -> Iterator[Table]:
        for block in range(len(self)):
            yield self.table(block, names)

    def fingerprint(self, crew: Crew) -> str:
        paths = [self.folder / SCHEMA, *self.paths]
        digests = outcomes(crew, _digest, paths, label="Reading the file")
        return blake2b("".join(digests).encode(), digest_size=16).hexdigest()

    def arrow(self) -> Any:
        """A dataset for DuckDB: columns c0, c1, … hold numbers (NaN for missing) and codes (−1 for missing)."""
        import pyarrow.dataset

        fields = [
            (f"c{j}", pa.from_numpy_dtype(self.table(0, [name])[name].dtype))
            for j, name in enumerate(self.names)
        ]
        return pyarrow.dataset.dataset(
            [str(path) for path in self.paths], schema=pa.schema(fields), format="ipc"
        )

    def remove(self) -> None:
        """Remove the table from the disk; if that is cut off, what is left is no table."""
        (self.folder / INDEX).unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def take(self, rows: np.ndarray, names: Sequence[str] = ()) -> Table:
        """Some records, in the order asked for, in memory."""
        starts = self.starts
        home = np.searchsorted(starts, rows, side="right") - 1
        pieces, order = [], []
        for block in np.unique(home).tolist():
            here = np.flatnonzero(home == block)
            pieces.append(self.table(block, names).take(rows[here] - starts[block]))
            order.append(here)
        schema = self.schema.select(names) if names else self.schema
        return joined(pieces, schema).take(np.argsort(np.concatenate(order), kind="stable"))


class BlockWriter:
    """Writes blocks into a new folder; `finish` makes it a table."""

    def __init__(self, folder: str | Path, schema: Schema) -> None:
        self.folder, self.schema = private_folder(folder), schema

    def has(self, block: int) -> bool:
        return _block_path(self.folder, block).exists()

    def write(self, block: int, table: Table) -> int:
        """Write one block; its number of records."""
        if table.schema.names != self.schema.names:
            raise DataError("A block must have the columns of the table it belongs to.")
        arrays, names = [], []
        for j, name in enumerate(self.schema.names):
            arrays.append(pa.array(table[name], from_pandas=False))
            names.append(f"c{j}")
            reasons = table.reasons(name)
            if reasons is not None:
                arrays.append(pa.array(reasons))
                names.append(f"r{j}")
        write_batch(_block_path(self.folder, block), pa.record_batch(arrays, names=names))
        return table.n

    def write_all(self, tables: Sequence[Table] | Iterator[Table]) -> Blocks:
        return self.finish([self.write(block, table) for block, table in enumerate(tables)])

    def finish(self, counts: Sequence[int]) -> Blocks:
        with writing(self.folder / SCHEMA, private=True) as temporary:
            temporary.write_text(self.schema.to_toml(), encoding="utf-8", newline="\n")
        with writing(self.folder / INDEX, private=True) as temporary:
            temporary.write_text(json.dumps({"counts": list(map(int, counts))}), encoding="utf-8")
        return Blocks(self.folder)


def joined(pieces: Sequence[Table], schema: Schema) -> Table:
    """The records of several tables with the same columns, one after the other."""
    columns = {name: _concatenated([piece[name] for piece in pieces]) for name in schema.names}
    reasons = {}
    for name in schema.names:
        found = [piece.reasons(name) for piece in pieces]
        if any(one is not None for one in found):
            filled = [
                np.zeros(p.n, np.int32) if one is None else one for p, one in zip(pieces, found, strict=True)
            ]
            reasons[name] = np.concatenate(filled)
    return Table(schema, columns, reasons=reasons)


def _concatenated(arrays: Sequence[np.ndarray]) -> np.ndarray:
    found: np.ndarray = np.concatenate(arrays) if arrays else np.empty(0)
    found.flags.writeable = False
    return found


def _block_path(folder: Path, block: int) -> Path:
    return folder / f"{block:06d}.arrow"


def write_batch(path: Path, batch: pa.RecordBatch) -> None:
    """Write an Arrow file that others can map."""
    with (
        writing(path, private=True) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, batch.schema) as writer,
    ):
        writer.write_batch(batch)


def mapped_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[bytes, bytes]]:
    """The columns of such a file by name, as views of it, and its metadata."""
    try:
        batch = pa.ipc.open_file(pa.memory_map(str(path))).get_batch(0)
    except (OSError, pa.ArrowException):
        raise FileError(f"{path} is missing or damaged; run the job again.") from None
    arrays = {name: batch.column(i).to_numpy() for i, name in enumerate(batch.schema.names)}
    return arrays, batch.schema.metadata


def _mapped(path: Path) -> tuple[dict[int, np.ndarray], dict[int, np.ndarray]]:
    """The columns and reasons of a block by position, as views of the file."""
    arrays, _ = mapped_arrays(path)
    columns = {int(name[1:]): values for name, values in arrays.items() if name[0] == "c"}
    reasons = {int(name[1:]): values for name, values in arrays.items() if name[0] == "r"}
    return columns, reasons


def _digest(_: None, path: Path) -> str:
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while piece := file.read(1 << 22):
            digest.update(piece)
    return digest.hexdigest()


def without_records(schema: Schema) -> Table:
    return Table(schema, {name: np.empty(0, np.int8) for name in schema.names})
