"""Numbers as people write them: with decimal commas, and with marks between thousands."""

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.column_facts import MISSING_WORDS, NOT_ASKED
from sfumato.data.csv_options import CsvOptions

NUMBER = r"[+-]?[0-9]+([.,' \u00a0\u202f][0-9]+)*([eE][+-]?[0-9]+)?"  # in any of these ways
WAYS = (  # decimal mark and mark between thousands, the usual ones first
    (".", ""),
    (",", ""),
    (",", "."),
    (".", ","),
    (",", " "),
    (",", "\u00a0"),
    (",", "\u202f"),
    (",", "'"),
    (".", "'"),
    (".", "’"),
    (".", " "),
    (".", "\u00a0"),
    (".", "\u202f"),
)
TWO_WAYS = "1,234 could be a number with decimals or a large one: read as {}; say --decimal and --thousands if it is not"


def number_marks(columns: Sequence[Sequence[str]], said: CsvOptions, delimiter: str) -> tuple[str, str, str]:
    """The decimal mark, the mark between thousands, and a doubt: the way in which most columns are numbers."""
    ways = [
        way
        for way in WAYS
        if said.decimal in (None, way[0]) and (said.thousands is None or said.thousands == way[1])
    ]
    if said.decimal is not None and said.thousands is not None:
        return said.decimal, said.thousands, ""
    if not ways:
        return said.decimal or ".", said.thousands or "", ""
    if delimiter == ",":  # an English file, rather than one with decimal commas in quotes
        ways.sort(key=lambda way: way == (",", ""))
    scores = {way: sum(_fits(column, way) for column in columns) for way in ways}
    best = max(ways, key=lambda way: scores[way])
    rival = {(",", ""): (".", ","), (".", ","): (",", "")}.get(best)
    doubtful = rival in scores and scores[rival] == scores[best]
    words = {",": "one with decimals", ".": "a large one"}[best[0]] if doubtful else ""
    return *best, TWO_WAYS.format(words) if doubtful else ""


def _fits(column: Sequence[str], way: tuple[str, str]) -> bool:
    pattern = re.compile(pattern_of(*way))
    return bool(column) and all(pattern.fullmatch(cell) for cell in column)


def pattern_of(decimal: str, thousands: str) -> str:
    """A number written with these marks, as Python's and Arrow's expressions read it."""
    mark, between = re.escape(decimal), re.escape(thousands)
    whole = rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:{between}[0-9]{{3}})+)" if thousands else r"[0-9]+"
    return rf"[+-]?(?:{whole}(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?"


def with_plain_numbers(column: pa.ChunkedArray, decimal: str, thousands: str) -> pa.ChunkedArray:
    """A column of texts with points for decimals and nothing else between digits, if all its cells are numbers.

    >>> with_plain_numbers(pa.chunked_array([["1.234,5", "NA", "7"]]), ",", ".").to_pylist()
    ['1234.5', 'NA', '7']
    """
    marks = [mark for mark in (decimal, thousands) if mark not in ("", ".")] or [thousands]
    if not any(mark and pc.any(pc.match_substring(column, mark)).as_py() for mark in (*marks, thousands)):
        return column
    cells = pc.utf8_trim_whitespace(column)
    words = pc.is_in(cells, value_set=pa.array([*MISSING_WORDS, *NOT_ASKED, ""], pa.string()))
    numbers = pc.match_substring_regex(cells, f"^{pattern_of(decimal, thousands)}$")
    if not pc.all(pc.or_(numbers, words)).as_py() or not pc.any(numbers).as_py():
        return column
    plain = pc.replace_substring(cells, thousands, "") if thousands else cells
    return pc.if_else(words, cells, pc.replace_substring(plain, decimal, ".") if decimal != "." else plain)
