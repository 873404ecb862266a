"""Delimited text: CSV and its cousins. Every cell is read as text; the schema decides what it means."""

import csv
import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core import DataError, FileError
from sfumato.core.quantities import Size
from sfumato.data.csv_options import CsvOptions
from sfumato.data.formats import _delimited_faults as faults
from sfumato.data.formats._format import Format
from sfumato.data.inference import Declared
from sfumato.data.table import Table

QUOTE = '"'


class Delimited(Format):
    """Rows of cells, under a row of names unless the options say that there is none."""

    suffixes = (".csv", ".tsv", ".txt")

    def read(self, path: Path, options: CsvOptions, memory: Size) -> tuple[pa.Table, Mapping[str, Declared]]:
        """Columns of text, with nulls for empty cells."""
        delimiter = options.delimiter_for(path)
        with _rows(path, options) as rows:
            skipped, first, second = _beginning(rows, path)
        faults.check_beginning(path, first, second, delimiter=delimiter, header=options.header)
        names = first if options.header else [f"c{number}" for number in range(1, len(first) + 1)]
        arrow = _empty(names) if options.header and second is None else _read(path, options, names, skipped)
        if arrow is None or _has_nul(arrow) or _has_odd_quotes(path):
            with _rows(path, options, strict=True) as rows:
                faults.find(path, rows, cells=len(names), header=options.header, encoding=options.encoding)
        if arrow is None:
            raise FileError(f"{path} cannot be read as text separated by {delimiter!r}: check its layout.")
        return arrow, {}

    def write(self, table: Table, target: Path, options: CsvOptions) -> None:
        """Missing values are written as the codes they came with."""
        import pyarrow.csv

        delimiter = options.delimiter_for(target)
        arrow = table.to_arrow(text=True)
        alone = arrow.num_columns == 1  # an empty line would be no record
        if alone:
            column = pc.fill_null(pc.cast(arrow.column(0), pa.string()), "")
            arrow = pa.table({arrow.column_names[0]: column})
        quoted = "all_valid" if alone else "needed" if _needs_quotes(arrow, delimiter) else "none"
        layout = pyarrow.csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=quoted)
        with target.open("wb") as file:
            sink: Any = file if options.is_utf8 else io.BytesIO()
            if options.header:
                sink.write(_header(arrow.column_names, delimiter))
            pyarrow.csv.write_csv(arrow, sink, layout)
            if sink is not file:
                file.write(_transcoded(sink.getvalue(), options.encoding))


def _empty(names: list[str]) -> pa.Table:
    return pa.table({name: pa.array([], pa.string()) for name in names})


def _read(path: Path, options: CsvOptions, names: list[str], skipped: int) -> pa.Table | None:
    import pyarrow.csv

    read = pyarrow.csv.ReadOptions(
        column_names=names,
        skip_rows=skipped,
        skip_rows_after_names=int(options.header),
        encoding="utf8" if options.is_utf8 else options.encoding,
    )
    parse = pyarrow.csv.ParseOptions(delimiter=options.delimiter_for(path), newlines_in_values=True)
    convert = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
        null_values=[""],
    )
    try:
        return pyarrow.csv.read_csv(path, read_options=read, parse_options=parse, convert_options=convert)
    except (pa.ArrowInvalid, UnicodeError):  # its message quotes the record
        return None


@contextmanager
def _rows(path: Path, options: CsvOptions, *, strict: bool = False) -> Iterator[Iterator[list[str]]]:
    """The rows as Python sees them: slow, used for the first two and to find out what is wrong."""
    encoding = "utf-8-sig" if options.is_utf8 else options.encoding
    with path.open(encoding=encoding, errors="surrogateescape", newline="") as file:
        yield csv.reader(file, delimiter=options.delimiter_for(path), strict=strict)


def _beginning(rows: Iterator[list[str]], path: Path) -> tuple[int, list[str], list[str] | None]:
    """How many empty lines come first, the first row, and the second if there is one."""
    skipped = 0
    try:
        first = next(rows, None)
        while first == []:
            skipped, first = skipped + 1, next(rows, None)
        second = next((row for row in rows if row), None)
    except (csv.Error, UnicodeError):
        raise faults.unreadable(path) from None
    if first is None:
        raise DataError(f"{path} is empty: it needs at least a row of column names.")
    return skipped, first, second


def _has_nul(arrow: pa.Table) -> bool:
    return any(pc.any(pc.match_substring(column, "\0")).as_py() for column in arrow.columns)


def _has_odd_quotes(path: Path) -> bool:
    with path.open("rb") as file:
        return sum(block.count(b'"') for block in iter(lambda: file.read(1 << 20), b"")) % 2 == 1


def _needs_quotes(arrow: pa.Table, delimiter: str) -> bool:
    texts = [column for column in arrow.columns if pa.types.is_string(column.type)]
    special = (delimiter, QUOTE, "\r", "\n")
    return any(pc.any(pc.match_substring(column, s)).as_py() for column in texts for s in special)


def _header(names: list[str], delimiter: str) -> bytes:
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(names)
    return line.getvalue().encode()


def _transcoded(text: bytes, encoding: str) -> bytes:
    try:
        return text.decode().encode(encoding)
    except UnicodeEncodeError:
        raise DataError(
            f"The table holds a character that {encoding} cannot express: write it as utf-8."
        ) from None
