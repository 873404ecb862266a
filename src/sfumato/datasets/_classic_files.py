"""The classic files, found and read, which are not part of the package."""

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from sfumato.core import DataError, FileError
from sfumato.data import Attribute, Schema, Table
from sfumato.datasets._attributes import integers

VARIABLE = "SFUMATO_DATA"


def find(file: str, folder: Path | str | None = None) -> Path:
    """The path of a classic file: in the folder given, else in the folders where such files are kept.

    >>> find("german.csv", "nowhere")
    Traceback (most recent call last):
    sfumato.core.errors.FileError: Classic file german.csv is not in nowhere: give the folder that holds it,
    or set the environment variable SFUMATO_DATA to it.
    """
    folders = [Path(folder)] if folder is not None else list(_folders())
    for place in folders:
        if (place / file).is_file():
            return place / file
    where = f"in {folders[0]}" if len(folders) == 1 else "here"
    raise FileError(
        f"Classic file {file} is not {where}: give the folder that holds it, "
        f"or set the environment variable {VARIABLE} to it."
    )


def read_rows(path: Path, width: int, *, delimiter: str = ",", header: int = 0) -> list[list[str]]:
    """The cells of a file without its header lines, each row of the same width."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.reader(file, delimiter=delimiter, skipinitialspace=True)
            rows = [(reader.line_num, row) for row in reader if row][header:]
    except (OSError, UnicodeDecodeError, csv.Error):
        raise FileError(f"Classic file {path} cannot be read as UTF-8 text.") from None
    for line, row in rows:
        if len(row) != width:
            raise DataError(f"{path.name}, line {line}: must have {width} cells. Got {len(row)}.")
    return [row for _, row in rows]


def read_numbers(file: str, folder: Path | str | None, names: Sequence[str]) -> Table:
    """A file with a header whose columns are all whole numbers and all keys."""
    path = find(file, folder)
    rows = read_rows(path, len(names))
    check_header(path, rows, names)
    return table_from_rows(path.name, integers(names), rows[1:])


def check_header(path: Path, rows: list[list[str]], names: Sequence[str]) -> None:
    """Refuse a file whose first row does not name the columns of the classic file."""
    if rows[:1] != [list(names)]:
        raise DataError(f"{path.name}: the header is not that of the classic file of this name.")


def table_from_rows(source: str, attributes: Iterable[Attribute], rows: Sequence[Sequence[str]]) -> Table:
    """A table from cells of text, every value checked against its attribute."""
    schema = Schema(attributes)
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrow = pa.table([pa.array(column, pa.string()) for column in columns], names=list(schema.names))
    return Table.from_arrow(arrow, schema, source=source)


def _folders() -> Iterator[Path]:
    if os.environ.get(VARIABLE):
        yield Path(os.environ[VARIABLE])  # the user's word is final: nothing else is tried
        return
    yield Path.cwd().parent / "shared" / "data"
    root = Path(__file__).resolve().parents[3]
    if (root / "pyproject.toml").is_file():  # running from a checkout
        yield root.parent / "shared" / "data"
