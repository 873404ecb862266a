"""Delimited text: CSV and its cousins. Every cell is read as text; the schema decides what it means."""

import csv
import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core import DataError, FileError, progress
from sfumato.core.quantities import Size
from sfumato.data.arrow_columns import as_text
from sfumato.data.csv_options import CsvOptions
from sfumato.data.day_forms import from_iso
from sfumato.data.delimited_layout import found_layout
from sfumato.data.formats import _delimited_faults as faults
from sfumato.data.formats._format import Format
from sfumato.data.inference import Declared
from sfumato.data.iso_days import with_iso_days
from sfumato.data.plain_numbers import with_plain_numbers
from sfumato.data.table import Table

QUOTE = '"'


class Delimited(Format):
    """Rows of cells, under a row of names unless the options say that there is none."""

    suffixes = (".csv", ".tsv", ".txt")

    def read(self, path: Path, options: CsvOptions, memory: Size) -> tuple[pa.Table, Mapping[str, Declared]]:
        """Columns of text, with nulls for empty cells, numbers and days in plain form; a note says how the file is laid out."""
        layout = found_layout(path, options)
        arrow = _columns(path, layout.options)
        marks = layout.options.decimal or ".", layout.options.thousands or ""
        if marks != (".", ""):
            for position, name in enumerate(arrow.column_names):
                arrow = arrow.set_column(position, name, with_plain_numbers(arrow.column(position), *marks))
        arrow, days, doubt, forms = with_iso_days(arrow, options.dates)
        told, doubts = [*layout.unusual, *filter(None, [days])], [*layout.doubts, *filter(None, [doubt])]
        if told or doubts:
            progress.note(
                "; ".join([f"{path} is read with {', '.join(told)}" if told else str(path), *doubts]) + "."
            )
        return arrow, {name: Declared(form=form) for name, form in forms.items()}

    def write(self, table: Table, target: Path, options: CsvOptions) -> None:
        """Missing values are written as the codes they came with."""
        import pyarrow.csv

        delimiter = options.delimiter_for(target)
        arrow = _with_decimals(_with_forms(table), options.decimal or ".")
        alone = arrow.num_columns == 1  # an empty line would be no record
        if alone:
            column = pc.fill_null(pc.cast(arrow.column(0), pa.string()), "")
            arrow = pa.table({arrow.column_names[0]: column})
        quoted = "all_valid" if alone else "needed" if _needs_quotes(arrow, delimiter) else "none"
        layout = pyarrow.csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=quoted)
        encoding = options.encoding or "utf-8"
        with target.open("wb") as file:
            sink: Any = file if options.is_utf8 else io.BytesIO()
            if options.header is not False:
                sink.write(_header(arrow.column_names, delimiter))
            pyarrow.csv.write_csv(arrow, sink, layout)
            if sink is not file:
                file.write(_transcoded(sink.getvalue(), encoding))


def _columns(path: Path, options: CsvOptions) -> pa.Table:
    """The cells as they are."""
    delimiter, header = options.delimiter_for(path), bool(options.header)
    with _rows(path, options) as rows:
        skipped, first, second = _beginning(rows, path)
    faults.check_beginning(path, first, second, delimiter=delimiter, header=header)
    names = first if header else [f"c{number}" for number in range(1, len(first) + 1)]
    arrow = _empty(names) if header and second is None else _read(path, options, names, skipped)
    if arrow is None or _has_nul(arrow) or _has_odd_quotes(path):
        with _rows(path, options, strict=True) as rows:
            faults.find(path, rows, cells=len(names), header=header, encoding=options.encoding or "utf-8")
    if arrow is None:
        raise FileError(f"{path} cannot be read as text separated by {delimiter!r}: check its layout.")
    return arrow


def _empty(names: list[str]) -> pa.Table:
    return pa.table({name: pa.array([], pa.string()) for name in names})


def _read(path: Path, options: CsvOptions, names: list[str], skipped: int) -> pa.Table | None:
    import pyarrow.csv

    read = pyarrow.csv.ReadOptions(
        column_names=names,
        skip_rows=skipped,
        skip_rows_after_names=int(bool(options.header)),
        encoding="utf8" if options.is_utf8 or options.comment else options.encoding,
    )
    parse = pyarrow.csv.ParseOptions(
        delimiter=options.delimiter_for(path), quote_char=options.quote or QUOTE, newlines_in_values=True
    )
    convert = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
        null_values=[""],
    )
    try:
        content = io.BytesIO(_without_comments(path, options).encode()) if options.comment else path
        return pyarrow.csv.read_csv(content, read_options=read, parse_options=parse, convert_options=convert)
    except (pa.ArrowInvalid, UnicodeError):  # its message quotes the record
        return None


@contextmanager
def _rows(path: Path, options: CsvOptions, *, strict: bool = False) -> Iterator[Iterator[list[str]]]:
    """The rows as Python sees them: slow, used for the first two and to find out what is wrong."""
    layout: Any = {
        "delimiter": options.delimiter_for(path),
        "quotechar": options.quote or QUOTE,
        "strict": strict,
    }
    if options.comment:
        yield csv.reader(io.StringIO(_without_comments(path, options), newline=""), **layout)
        return
    with path.open(encoding=_codec(options), errors="surrogateescape", newline="") as file:
        yield csv.reader(file, **layout)


def _codec(options: CsvOptions) -> str:
    return "utf-8-sig" if options.is_utf8 else options.encoding or "utf-8"


def _without_comments(path: Path, options: CsvOptions) -> str:
    with path.open(encoding=_codec(options), errors="replace", newline="") as file:
        return "".join(line for line in file if not line.startswith(options.comment or "\0"))


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


def _with_forms(table: Table) -> pa.Table:
    """The columns of a table, with days as they were written where they came from."""
    arrow = table.to_arrow(text=True)
    for position, attribute in enumerate(table.schema):
        if attribute.form:
            written = from_iso(as_text(arrow.column(position)), attribute.form)
            arrow = arrow.set_column(position, attribute.name, written)
    return arrow


def _with_decimals(arrow: pa.Table, decimal: str) -> pa.Table:
    """Numbers as texts with another mark before their decimals."""
    for position, field in enumerate(arrow.schema):
        if decimal != "." and pa.types.is_floating(field.type):
            column = pc.replace_substring(as_text(arrow.column(position)), ".", decimal)
            arrow = arrow.set_column(position, field.name, column)
    return arrow


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
