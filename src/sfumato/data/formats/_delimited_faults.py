"""What is wrong with a delimited file, said in one sentence that holds no cell of it."""

import csv
from collections.abc import Iterator
from pathlib import Path

from sfumato.core import DataError, FileError

DELIMITERS = (",", ";", "\t", "|")
NAMES = {"\t": "'\\t' (a tab)"}


def check_beginning(
    path: Path, first: list[str], second: list[str] | None, *, delimiter: str, header: bool
) -> None:
    """Refuse a beginning that is no row of names, or that another delimiter would cut better."""
    broken = any(_broken(cell) for cell in first)
    if any("\0" in cell for cell in first) or (broken and _begins_with_nul(path)):
        raise unreadable(path)
    if broken:
        raise DataError(f"{path}, first line: not valid in this encoding; pass --encoding, such as latin-1.")
    other = _better_delimiter(first, second, delimiter)
    if other is not None:
        shown = NAMES.get(other, repr(other))
        raise DataError(f"{path} looks separated by {shown}: pass --delimiter {other!r}.")
    if header:
        _check_names(path, first)


def find(path: Path, rows: Iterator[list[str]], *, cells: int, header: bool, encoding: str) -> None:
    """Go through the rows and refuse the first that breaks a rule; nothing where none does."""
    number = -1 if header else 0
    try:
        for row in rows:
            if not row:
                continue
            number += 1
            _check_row(_at(path, number), row, cells, encoding)
    except csv.Error as error:
        unclosed = "expected after" not in str(error)
        rule = "a quote is opened and never closed" if unclosed else "text follows a closing quote"
        raise DataError(f"{_at(path, number + 1)}: {rule}; double the quotes inside a cell.") from None
    except UnicodeError:
        raise DataError(
            f"{_at(path, number + 1)}: not valid {encoding}; pass the right --encoding."
        ) from None


def unreadable(path: Path) -> FileError:
    """The refusal of a file that is no text at all."""
    return FileError(f"{path} is not delimited text: it may be binary or in another format or encoding.")


def _begins_with_nul(path: Path) -> bool:
    with path.open("rb") as file:
        return b"\0" in file.read(4096)


def _at(path: Path, number: int) -> str:
    return f"{path}, row {number}" if number else f"{path}, row of names"


def _check_row(where: str, row: list[str], cells: int, encoding: str) -> None:
    for position, cell in enumerate(row, start=1):
        if _broken(cell):
            raise DataError(
                f"{where}, cell {position}: not valid {encoding}; pass the right --encoding, such as latin-1."
            )
        if "\0" in cell:
            raise DataError(f"{where}, cell {position}: holds a NUL character; remove it.")
    if len(row) != cells:
        raise DataError(
            f"{where}: {cells} cells expected, {len(row)} found; check its delimiters and quotes."
        )


def _check_names(path: Path, names: list[str]) -> None:
    at: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise DataError(f"{path}: column {position} has no name; name it or pass --no-header.")
        if name in at:
            raise DataError(
                f"{path}: columns {at[name]} and {position} have the same name; rename one or pass --no-header."
            )
        at[name] = position


def _better_delimiter(first: list[str], second: list[str] | None, delimiter: str) -> str | None:
    if len(first) != 1:
        return None
    for other in DELIMITERS:
        found = first[0].count(other)
        if other != delimiter and found and (second is None or second[0].count(other) >= found):
            return other
    return None


def _broken(cell: str) -> bool:
    """Whether bytes had to be smuggled in because the encoding has no character for them."""
    return any("\udc80" <= character <= "\udcff" for character in cell)
