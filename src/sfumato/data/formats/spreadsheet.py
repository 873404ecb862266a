"""Spreadsheets of Excel and of OpenDocument, which calamine reads."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.core import DataError, FileError, MissingExtraError, UnknownNameError, progress
from sfumato.core.quantities import Size
from sfumato.data.csv_options import CsvOptions
from sfumato.data.formats._format import Format
from sfumato.data.formats._loose_values import column_of
from sfumato.data.inference import Declared
from sfumato.data.machine_memory import check_fits

GROWTH = 4  # bytes in memory for each byte of what is packed in a sheet


class Spreadsheet(Format):
    """The rows of one sheet, under a row of names; empty rows are left out."""

    suffixes = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
    unwritable = "spreadsheets are only read; use .csv"

    def read(self, path: Path, options: CsvOptions, memory: Size) -> tuple[pa.Table, Mapping[str, Declared]]:
        try:
            import python_calamine
        except ImportError:
            raise MissingExtraError("A spreadsheet", "sheets") from None
        _check_size(path, memory)
        try:
            with python_calamine.CalamineWorkbook.from_path(str(path)) as book:
                rows = _rows(book, path, options.sheet)
        except (python_calamine.CalamineError, zipfile.BadZipFile, OSError):
            raise FileError(
                f"{path} cannot be read as a spreadsheet: it is damaged or in another format."
            ) from None
        return _table(rows, path, header=options.header is not False), {}


def _check_size(path: Path, memory: Size) -> None:
    """Refuse a file that unpacks to more than fits into memory."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            check_fits(path, GROWTH * sum(part.file_size for part in packed.infolist()), memory)


def _rows(book: Any, path: Path, wanted: str | None) -> list[list[Any]]:
    """The rows of the sheet that is wanted, or of the first that holds any."""
    if wanted is not None and wanted not in book.sheet_names:
        raise UnknownNameError("sheet", wanted, book.sheet_names)
    for name in [wanted] if wanted is not None else book.sheet_names:
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
        rows = [row for row in rows if any(cell != "" for cell in row)]
        if rows:
            return rows
    raise DataError(f"{path} is empty: it needs at least a row of column names.")


def _without_title(rows: list[list[Any]], path: Path) -> list[list[Any]]:
    """The rows from that of the names on: above it there may be a title, which fills one cell of several."""
    widths = [sum(cell != "" for cell in row) for row in rows]
    first = next((at for at, width in enumerate(widths) if width > 1), 0)
    if first and len(rows) > first + 1:
        progress.note(f"{path}: {first} lines above the names of the columns are left out.")
        return rows[first:]
    return rows


def _table(rows: list[list[Any]], path: Path, *, header: bool) -> pa.Table:
    rows = _without_title(rows, path) if header else rows
    first = [str(cell).strip() for cell in rows[0]] if header else []
    names = first or [f"c{number}" for number in range(1, len(rows[0]) + 1)]
    if "" in names or len({*names}) < len(names):
        raise DataError(f"{path}: a column has no name, or that of another; name each, or pass --no-header.")
    records = rows[1:] if header else rows
    columns = zip(*records, strict=True) if records else [()] * len(names)
    return pa.table({name: column_of(list(values)) for name, values in zip(names, columns, strict=True)})
