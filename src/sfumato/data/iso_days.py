"""Days as people write them, in the order of ISO 8601: year, month, day."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.column_facts import MISSING_WORDS, NOT_ASKED
from sfumato.data.day_forms import found_form

TIME = r"(?P<time>[T ]+[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)?"
DAY_FIRST = rf"^(?P<a>[0-9]{{1,2}})[./-](?P<b>[0-9]{{1,2}})[./-](?P<year>[0-9]{{4}}){TIME}$"
YEAR_FIRST = rf"^(?P<year>[0-9]{{4}})[./](?P<a>[0-9]{{1,2}})[./](?P<b>[0-9]{{1,2}}){TIME}$"
WORDS = {
    "dmy": "days as day, month, year",
    "mdy": "days as month, day, year",
    "ymd": "days as year, month, day",
}
EITHER = "days could be written day first or month first: read day first; say --dates mdy if they are not"


class Days(NamedTuple):
    """A table with its days in ISO form, the order in which they were written, a doubt, and the form that each column had."""

    table: pa.Table
    order: str = ""
    doubt: str = ""
    forms: Mapping[str, str] = {}


def with_iso_days(arrow: pa.Table, order: str | None) -> Days:
    """A column is one of days if all its cells are, and all of them exist.

    >>> days = with_iso_days(pa.table({"born": ["31.12.1999", "01.02.2000"]}), None)
    >>> days.table["born"].to_pylist(), days.forms
    (['1999-12-31', '2000-02-01'], {'born': 'dd.mm.yyyy'})
    """
    if order == "text":
        return Days(arrow)
    found = {name: parts for name in arrow.column_names if (parts := _parts(arrow[name])) is not None}
    if not found:
        return Days(arrow)
    order, doubt = _order(list(found.values())) if order in (None, "ymd") else (order, "")
    changed, forms = arrow, {}
    for name, (parts, year_first) in found.items():
        days = _iso(parts, "ymd" if year_first else order)
        if days is not None:
            column = pc.coalesce(days, arrow[name])
            changed = changed.set_column(arrow.column_names.index(name), name, column)
            forms[name] = _form(arrow[name], parts, "ymd" if year_first else order)
    told = "" if changed is arrow else WORDS["ymd" if all(first for _, first in found.values()) else order]
    return Days(changed, told, doubt if told else "", {name: form for name, form in forms.items() if form})


def _form(column: pa.ChunkedArray, parts: pa.Array, order: str) -> str:
    """The form in which a column of days is written; empty where it has several."""
    d, m = ("a", "b") if order == "dmy" else ("b", "a")
    days = pa.StructArray.from_arrays([pc.struct_field(parts, one) for one in (d, m)], names=["d", "m"])
    cells = pc.utf8_trim_whitespace(column).combine_chunks().filter(pc.is_valid(parts))
    marks = {*pc.replace_substring_regex(cells, r"^[0-9]+([./-]).*$", r"\1").unique().to_pylist()}
    alike = pc.all(
        pc.match_substring_regex(cells, r"^[0-9]+([.][0-9]+[.]|/[0-9]+/|-[0-9]+-)[0-9]+( |T|$)")
    ).as_py()
    times = {
        re.sub(r"[0-9]{2}", "9", one)
        for one in pc.struct_field(parts, "time").drop_null().unique().to_pylist()
    }
    timed = {"": "", " 9:9": " HH:MM", " 9:9:9": " HH:MM:SS"}.get(next(iter(times), ""), "none")
    return found_form(days, order, marks, timed) if alike and len(times) <= 1 else ""


def _parts(column: pa.ChunkedArray) -> tuple[pa.Array, bool] | None:
    """The parts of the days in a column, null where a cell says that there is none, and whether the year is first."""
    head = next(
        (cell for cell in column.slice(0, 1000).to_pylist() if cell and cell not in MISSING_WORDS), ""
    )
    if not (8 <= len(head.strip()) <= 30 and head.strip()[0].isdigit()):
        return None
    cells = pc.utf8_trim_whitespace(column).combine_chunks()
    absent = pc.is_in(cells, value_set=pa.array([None, "", *MISSING_WORDS, *NOT_ASKED], pa.string()))
    for form in (DAY_FIRST, YEAR_FIRST):
        parts = pc.extract_regex(pc.if_else(absent, None, cells), form)
        if pc.all(pc.or_(pc.is_valid(parts), absent)).as_py() and parts.null_count < len(parts):
            return parts, form is YEAR_FIRST
    return None


def _order(found: list[tuple[pa.Array, bool]]) -> tuple[str, str]:
    """Which of the first two numbers is the day: the one that is ever above 12."""
    parts = [one for one, year_first in found if not year_first]
    high = [
        any((pc.max(pc.cast(pc.struct_field(one, part), pa.int32())).as_py() or 0) > 12 for one in parts)
        for part in ("a", "b")
    ]
    if high == [False, True]:
        return "mdy", ""
    return "dmy", EITHER if parts and not any(high) else ""


def _iso(parts: pa.Array, order: str) -> pa.Array | None:
    """The days in ISO form; None where one of them does not exist."""
    month, day = {"dmy": ("b", "a"), "mdy": ("a", "b"), "ymd": ("a", "b")}[order]
    field = {name: pc.struct_field(parts, name) for name in ("year", "a", "b", "time")}
    two = {name: pc.utf8_lpad(field[name], 2, "0") for name in ("a", "b")}
    days = pc.binary_join_element_wise(field["year"], two[month], two[day], "-")
    try:
        pc.cast(days, pa.date32())
    except pa.ArrowInvalid:
        return None
    times = pc.replace_substring_regex(field["time"], r"^[T ]+", "T")
    return pc.binary_join_element_wise(days, pc.fill_null(times, ""), "")
