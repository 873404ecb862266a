"""How a delimited file is laid out: what was said of it, and what its first lines tell of the rest.

A file that is laid out as usual, commas between cells of UTF-8, is read so. Where several delimiters would cut its lines
into rows of one length, clevercsv chooses among them.
"""

import csv
import io
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from sfumato.data.column_facts import MISSING_WORDS, NOT_ASKED
from sfumato.data.csv_options import QUOTES, CsvOptions, usual_delimiter
from sfumato.data.plain_numbers import NUMBER, number_marks
from sfumato.data.text_encoding import found_encoding

SAMPLE = 1 << 16  # characters that are looked at
SNIFFED = 20_000  # of them where clevercsv is asked, whose work grows with the text
ROWS = 2_000
DELIMITERS = (",", ";", "\t", "|", "^", "~", ":", " ")
WORDS = {"\t": "tabs", " ": "blanks", ",": "commas", ";": "semicolons", "|": "bars", ":": "colons"}
COMMENTS = ("#", "%")


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a file is read: `options` that leave nothing open, and what of them was only a guess."""

    options: CsvOptions
    doubts: tuple[str, ...] = ()

    @property
    def unusual(self) -> tuple[str, ...]:
        """What differs from commas between cells of UTF-8 under a row of names, in words."""
        found = self.options
        delimiter, thousands = found.delimiter or ",", found.thousands or ""
        said = {
            f"{_word(delimiter)} between cells": delimiter != ",",
            f"encoding {found.encoding}": not found.is_utf8,
            "no row of names": not found.header,
            "commas for decimals": found.decimal == ",",
            f"{_word(thousands)} for thousands": bool(thousands),
            f"quotes {found.quote}": found.quote == "'",
            f"comments after {found.comment}": bool(found.comment),
        }
        return tuple(words for words, holds in said.items() if holds)


def _word(mark: str) -> str:
    return WORDS.get(mark, "blanks" if mark.isspace() else mark)


def found_layout(path: Path, said: CsvOptions) -> Layout:
    """The layout of a file, of which something may have been said."""
    guessed = False
    encoding = said.encoding
    if encoding is None:
        encoding, guessed = found_encoding(path)
    doubts = (
        ["the encoding is a guess from the letters: if names look odd, say --encoding"] if guessed else []
    )
    lines = _first_lines(path, encoding)
    comment = _comment(lines) if said.comment is None else said.comment
    lines = [line for line in lines if line.strip() and not (comment and line.startswith(comment))]
    quote = _quote(lines) if said.quote is None else said.quote
    known = replace(said, encoding=encoding, comment=comment, quote=quote)
    delimiter = said.delimiter or _delimiter(lines, known, usual_delimiter(path))
    rows = cut(lines, delimiter, quote)
    header = said.header
    if header is None:
        header = _has_names(rows, said.names)
    cells = rows[1:] if header else rows
    decimal, thousands, doubtful = number_marks(_columns(cells), known, delimiter)
    doubts += [doubtful] if doubtful else []
    options = replace(known, delimiter=delimiter, header=header, decimal=decimal, thousands=thousands)
    return Layout(options=options, doubts=tuple(doubts))


def cut(lines: Sequence[str], delimiter: str, quote: str) -> list[list[str]]:
    """The rows that lines make, as far as they can be cut."""
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(
            row for row in islice(csv.reader(lines, delimiter=delimiter, quotechar=quote), ROWS) if row
        )
    return rows


def _first_lines(path: Path, encoding: str) -> list[str]:
    """Whole lines from the beginning, with their ends."""
    with path.open(
        encoding="utf-8-sig" if encoding == "utf-8" else encoding, errors="replace", newline=""
    ) as file:
        try:
            text = file.read(SAMPLE)
        except UnicodeError:  # of an encoding that wants a mark
            return []
        complete = not file.read(1)
    lines = io.StringIO(text, newline=None).readlines()
    return lines if complete or len(lines) < 2 else lines[:-1]


def _comment(lines: Sequence[str]) -> str:
    """What begins the lines before the row of names that are no rows."""
    written = [line for line in lines if line.strip()]
    for mark in COMMENTS:
        before = next((at for at, line in enumerate(written) if not line.startswith(mark)), 0)
        if before and not _is_row_of_names(written, before):
            return mark
    return ""


def _is_row_of_names(lines: Sequence[str], before: int) -> bool:
    """Whether a marked line is cut as what follows is: then the mark belongs to the first name."""
    first, following = lines[before - 1], lines[before]
    return before == 1 and any(
        first.count(mark) == following.count(mark) > 0 for mark in DELIMITERS if mark != " "
    )


def _quote(lines: Sequence[str]) -> str:
    """The kind of quotes that more cells stand in."""
    text = "".join(lines)
    cells = {
        mark: len(re.findall(rf"(?m)(?:^|[,;|\t]){mark}[^{mark}\n]*{mark}(?=[,;|\t]|$)", text))
        for mark in QUOTES
    }
    return max(QUOTES, key=lambda mark: cells[mark])


def _delimiter(lines: Sequence[str], known: CsvOptions, usual: str) -> str:
    quote = known.quote or '"'
    ways = [usual, *(mark for mark in DELIMITERS if mark != usual)]
    rows = {mark: cut(lines, mark, quote) for mark in ways}
    for mark in ways:
        if known.names and rows[mark] and {*rows[mark][0]} <= {*known.names}:
            return mark
    even = [mark for mark in ways if _is_even(rows[mark])]
    if len(even) == 1:
        return even[0]
    likely = even or [mark for mark in ways if rows[mark] and len(rows[mark][0]) > 1]
    if not even and (usual in likely or not likely):
        return usual
    return _sniffed("".join(lines)[:SNIFFED], likely) or likely[0]


def _is_even(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all rows have as many cells, and more than one."""
    return bool(rows) and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1


def _sniffed(text: str, likely: Sequence[str]) -> str:
    import clevercsv

    try:
        found = clevercsv.Sniffer().sniff(text, delimiters=list(likely))
    except clevercsv.Error:
        return ""
    delimiter = (found.delimiter or "") if found is not None else ""
    return delimiter if delimiter in likely else ""


def _columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The cells of each column that say something, as far as the rows are of one length."""
    width = max(map(len, rows), default=0)
    absent = {"", *MISSING_WORDS, *NOT_ASKED}
    whole = [row for row in rows if len(row) == width]
    return [
        [cell.strip() for cell in column if cell.strip() not in absent] for column in zip(*whole, strict=True)
    ]


def _has_names(rows: Sequence[Sequence[str]], names: Sequence[str]) -> bool:
    """Whether the first row names the columns: names are no numbers above numbers, and no cells that come again below.

    >>> _has_names([["31", "f"], ["45", "m"]], ()), _has_names([["age", "sex"], ["45", "m"]], ())
    (False, True)
    """
    if not rows or (names and {*rows[0]} <= {*names}):
        return True
    first, below = rows[0], _columns(rows[1:])
    if len(below) != len(first) or len(rows) < 2 or "" in map(str.strip, first):
        return len(rows) < 2 or len(below) != len(first) or not any(map(_is_number, first))
    numeric = [all(map(_is_number, column)) and bool(column) for column in below]
    if any(is_numeric and not _is_number(cell) for cell, is_numeric in zip(first, numeric, strict=True)):
        return True
    if any(is_numeric and _is_number(cell) for cell, is_numeric in zip(first, numeric, strict=True)):
        return False
    again = sum(cell.strip() in column for cell, column in zip(first, below, strict=True))
    return 2 * again < len(first) or again == 0


def _is_number(cell: str) -> bool:
    return re.fullmatch(NUMBER, cell.strip()) is not None
