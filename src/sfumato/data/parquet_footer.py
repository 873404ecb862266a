"""What the end of a Parquet file says before a record is read: columns, types, row groups, and the memory they need."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core import FileError
from sfumato.core.regular_files import check_regular
from sfumato.data.arrow_columns import is_text

BUFFER = 2**20  # bytes of each column that are read at a time
NUMBER, CODE, OFFSET = 8, 4, 4  # bytes of a cell
LONG = 1_000  # bytes of a text that is no name of a category
MANY = (
    10**9
)  # bytes that texts stored once for many records may take at worst before their lengths are looked at
MOST_IN_PAGE, LEAST_PAGE = 2**31, 16  # records in a page, and bytes that one takes


@dataclass(frozen=True)
class Footer:
    """`texts` are the bytes that texts take, as far as it can be known without reading them."""

    arrow: pa.Schema
    groups: tuple[int, ...]  # records in each row group
    texts: int


def read_footer(file: Path) -> Footer:
    check_regular(file)
    try:
        with opened(file) as parquet:
            meta, arrow = parquet.metadata, parquet.schema_arrow
            groups = tuple(meta.row_group(i).num_rows for i in range(meta.num_row_groups))
            most = MOST_IN_PAGE * (file.stat().st_size // LEAST_PAGE)
            if any(size < 0 for size in groups) or sum(groups) > most:
                raise damaged(file)
            _check_chunks(parquet)
            return Footer(arrow, groups, _text_bytes(meta, arrow) + _repeated_bytes(file, meta, arrow))
    except FileError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise damaged(file) from None


def opened(file: Path, dictionaries: list[str] | None = None) -> Any:
    """A Parquet file of which only small pieces are in memory at a time."""
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(
        str(file), buffer_size=BUFFER, pre_buffer=False, read_dictionary=dictionaries
    )


def damaged(file: Path) -> FileError:
    return FileError(f"{file} cannot be read as Parquet: it is damaged or in another format.")


def bytes_in_memory(records: int, arrow: pa.Schema, texts: int) -> int:
    """About what a file as it is read, its table and a masked version of it take in memory together."""
    cells = sum(OFFSET + 2 * CODE if is_text(field.type) else 3 * NUMBER for field in arrow)
    return records * cells + texts


def _check_chunks(parquet: Any) -> None:
    """Look at the description of each piece of a column, as whoever reads it does, without reading any of it.

    Asked for it directly, pyarrow does not raise an error where it is damaged: it ends the process.
    """
    columns = [*range(parquet.metadata.num_columns)]
    for group in range(parquet.metadata.num_row_groups) if columns else ():
        next(parquet.reader.iter_batches(0, [group], column_indices=columns), None)


def _text_bytes(meta: Any, arrow: pa.Schema) -> int:
    """The bytes of texts and codes; where they were stored once for many records, only once."""
    return sum(chunk.total_uncompressed_size for _, chunk in _text_chunks(meta, arrow))


def _repeated_bytes(file: Path, meta: Any, arrow: pa.Schema) -> int:
    """The bytes of long texts that were stored once and stand in many records: a few of them can fill any memory."""
    chunks = _text_chunks(meta, arrow)
    if sum(rows * chunk.total_uncompressed_size for rows, chunk in chunks) < MANY:
        return 0
    names = sorted({chunk.path_in_schema for _, chunk in chunks})
    total = 0
    with opened(file, names) as parquet:
        for group in range(meta.num_row_groups):
            first = next(parquet.iter_batches(1, [group], names), None)
            for column in first.columns if first is not None else ():
                longest = _longest(column)
                total += longest * meta.row_group(group).num_rows if longest > LONG else 0
    return total


def _longest(column: pa.Array) -> int:
    texts = column.dictionary if pa.types.is_dictionary(column.type) else column
    return pc.max(pc.binary_length(texts)).as_py() or 0


def _text_chunks(meta: Any, arrow: pa.Schema) -> list[tuple[int, Any]]:
    """The number of records and the description of each piece of a column of texts."""
    texts = {name for name in arrow.names if is_text(arrow.field(name).type)}
    groups = [meta.row_group(i) for i in range(meta.num_row_groups)]
    return [
        (group.num_rows, group.column(j))
        for group in groups
        for j in range(group.num_columns)
        if group.column(j).path_in_schema in texts
    ]
