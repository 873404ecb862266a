"""Parquet that may be larger than memory: one file, or a folder of files with the same columns.

What is known before a record is read comes from the footers: how many there are, the columns and their
types, where the row groups begin, and how much memory the table would take.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.core import DataError, FileError
from sfumato.data.arrow_columns import check_usable
from sfumato.data.formats.parquet import Parquet, stored_schema
from sfumato.data.parquet_footer import bytes_in_memory, damaged, opened, read_footer
from sfumato.data.schema import Schema


@dataclass(frozen=True)
class ParquetSource:
    """One file or several, as one table; the records of a file follow those of the file before it."""

    path: Path
    files: tuple[Path, ...]
    arrow: pa.Schema
    groups: tuple[tuple[int, ...], ...]  # records in each row group of each file
    texts: int  # bytes that the texts take, as far as the footers tell

    @property
    def n(self) -> int:
        return sum(self.counts)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.arrow.names)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        return tuple(map(sum, self.groups))

    @property
    def bytes_in_memory(self) -> int:
        return bytes_in_memory(self.n, self.arrow, self.texts)

    @property
    def identity(self) -> list[list[Any]]:
        """What changes whenever one of the files does: their paths, sizes and times of modification."""
        stats = [(file, file.stat()) for file in self.files]
        return [[str(file.resolve()), stat.st_size, stat.st_mtime_ns] for file, stat in stats]

    def select(self, names: Sequence[str]) -> "ParquetSource":
        fields = pa.schema([self.arrow.field(name) for name in names], metadata=self.arrow.metadata)
        return ParquetSource(self.path, self.files, fields, self.groups, self.texts)

    def stored_schema(self) -> Schema | None:
        """The schema that the file holds, or the first file of a folder, if it describes these columns."""
        return stored_schema(self.arrow.empty_table(), str(self.files[0]))

    def place(self, row: int) -> tuple[Path, int]:
        """The file that a record is in, and its row there; both count from 0."""
        starts = [0, *accumulate(self.counts)]
        file = min(bisect_right(starts, row), len(self.files)) - 1
        return self.files[file], row - starts[file]

    def runs(self, records: int) -> list[range]:
        """Blocks of so many records, in runs that begin in the same row group and are best read in one go.

        A job that reads a run skips less than a block, however large the row groups are.
        """
        sizes = [size for groups in self.groups for size in groups]
        begins = list(accumulate(sizes, initial=0))
        blocks = range(-(-self.n // records))
        homes = [bisect_right(begins, block * records) for block in blocks]
        cuts = [block for block in blocks if block == 0 or homes[block] != homes[block - 1]]
        return [range(a, b) for a, b in zip(cuts, [*cuts[1:], len(blocks)], strict=True)]

    def whole(self) -> pa.Table:
        return pa.concat_tables([self.arrow.empty_table(), *self.read(0, self.n, max(self.n, 1))])

    def read(self, start: int, end: int, step: int) -> Iterator[pa.Table]:
        """The records from start to end, so many at a time, with no more than these in memory."""
        pieces: list[pa.Table] = []
        held = 0
        for piece in self._pieces(start, end, step):
            while piece.num_rows:
                taken = piece.slice(0, step - held)
                piece = piece.slice(taken.num_rows)
                pieces.append(taken)
                held += taken.num_rows
                if held == step:
                    yield pa.concat_tables(pieces)
                    pieces, held = [], 0
        if pieces:
            yield pa.concat_tables(pieces)

    def _pieces(self, start: int, end: int, step: int) -> Iterator[pa.Table]:
        begin = 0
        for file, groups in zip(self.files, self.groups, strict=True):
            if begin < end and begin + sum(groups) > start:
                yield from self._of_file(file, groups, (start - begin, end - begin), step)
            begin += sum(groups)

    def _of_file(
        self, file: Path, groups: tuple[int, ...], wanted: tuple[int, int], step: int
    ) -> Iterator[pa.Table]:
        start, end = wanted
        begins = list(accumulate(groups, initial=0))
        needed = [i for i, size in enumerate(groups) if begins[i] < end and begins[i] + size > start]
        at = begins[needed[0]]
        try:
            with opened(file) as parquet:
                for batch in parquet.iter_batches(step, needed, list(self.names)):
                    batch.validate(full=True)
                    low, high = max(start - at, 0), min(end - at, batch.num_rows)
                    at += batch.num_rows
                    if high > low:
                        yield pa.Table.from_batches([batch.slice(low, high - low)]).select(list(self.names))
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise damaged(file) from None


def parquet_source(path: str | Path) -> ParquetSource:
    """What the footers of a Parquet file, or of all those in a folder, say."""
    path = Path(path)
    files = _files(path)
    footers = [read_footer(file) for file in files]
    arrow = footers[0].arrow
    for file, footer in zip(files[1:], footers[1:], strict=True):
        _check_same(arrow, footer.arrow, files[0], file)
    if len(set(arrow.names)) < len(arrow.names):
        raise DataError(f"{files[0]}: two columns have the same name; names must be unique.")
    check_usable(arrow.empty_table(), str(files[0]))
    groups = tuple(footer.groups for footer in footers)
    return ParquetSource(path, files, arrow, groups, sum(footer.texts for footer in footers))


def is_parquet(path: Path) -> bool:
    """Whether a path is, by its name, a Parquet file, or a folder that holds one."""
    return bool(_listed(path)) if path.is_dir() else path.suffix.lower() in Parquet.suffixes


def _listed(folder: Path) -> tuple[Path, ...]:
    found = [file for file in folder.iterdir() if file.suffix.lower() in Parquet.suffixes and file.is_file()]
    return tuple(sorted(file for file in found if not file.name.startswith((".", "_"))))


def _files(path: Path) -> tuple[Path, ...]:
    if not path.exists():
        raise FileError(f"{path} does not exist.")
    if not path.is_dir():
        return (path,)
    files = _listed(path)
    if not files:
        raise FileError(f"{path} is a folder without Parquet files: give the name of a file.")
    return files


def _check_same(first: pa.Schema, other: pa.Schema, home: Path, file: Path) -> None:
    for name in first.names:
        if name not in other.names:
            raise DataError(f"{file} has no column {name}, which {home.name} has: all must have the same.")
    for name in other.names:
        if name not in first.names:
            raise DataError(
                f"{file}, column {name}: {home.name} has none; all files must have the same columns."
            )
        kinds = other.field(name).type, first.field(name).type
        if kinds[0] != kinds[1]:
            raise DataError(
                f"{file}, column {name}: its type must be the same in all files. "
                f"Got {kinds[0]}, and {kinds[1]} in {home.name}."
            )
