"""How days and moments are written in a file: forms such as dd.mm.yyyy, beside that of ISO 8601."""

import re

import pyarrow as pa
import pyarrow.compute as pc

PARTS = {
    "yyyy": r"(?P<yyyy>[0-9]{4})",
    "dd": r"(?P<d>[0-9]{1,2})",
    "mm": r"(?P<m>[0-9]{1,2})",
    "d": r"(?P<d>[0-9]{1,2})",
    "m": r"(?P<m>[0-9]{1,2})",
    "HH": r"(?P<HH>[0-9]{1,2})",
    "MM": r"(?P<MM>[0-9]{2})",
    "SS": r"(?P<SS>[0-9]{2}(?:\.[0-9]+)?)",
}
TOKENS = re.compile("yyyy|dd?|mm?|HH|MM|SS")
FORM = re.compile(r"(dd?([./-])mm?\2yyyy|mm?([./-])dd?\3yyyy|yyyy([./-])mm?\4dd?)( HH:MM(:SS)?)?")
ISO = r"^(?P<yyyy>[0-9]{4})-(?P<m>[0-9]{2})-(?P<d>[0-9]{2})(?P<time>T(?P<HH>[0-9]{2}):(?P<MM>[0-9]{2})(?P<rest>:[0-9.]+)?)?$"


def is_form(text: str) -> bool:
    """Whether a text says how days are written.

    >>> [is_form(text) for text in ("dd.mm.yyyy", "m/d/yyyy", "yyyy/mm/dd HH:MM", "day", "dd.mm/yyyy")]
    [True, True, True, False, False]
    """
    return FORM.fullmatch(text) is not None


def to_iso(cells: pa.Array, form: str) -> pa.Array:
    """Texts in which what is written in a form is written as ISO 8601 wants it; others stay.

    >>> to_iso(pa.array(["1.2.2000", "31.12.1999", "2001-05-06", "unknown"]), "d.m.yyyy").to_pylist()
    ['2000-02-01', '1999-12-31', '2001-05-06', 'unknown']
    """
    pattern = "".join(
        PARTS[piece] if TOKENS.fullmatch(piece) else re.escape(piece)
        for piece in re.split(f"({TOKENS.pattern})", form)
        if piece
    )
    found = pc.extract_regex(cells, f"^{pattern}$")
    part = {name: pc.struct_field(found, name) for name in re.findall(r"\?P<(\w+)>", pattern)}
    days = pc.binary_join_element_wise(part["yyyy"], _two(part["m"]), _two(part["d"]), "-")
    if "HH" in part:
        times = [_two(part["HH"]), *(part[name] for name in ("MM", "SS") if name in part)]
        days = pc.binary_join_element_wise(days, pc.binary_join_element_wise(*times, ":"), "T")
    return pc.coalesce(days, cells)


def from_iso(cells: pa.Array, form: str) -> pa.Array:
    """Texts in which what is written as ISO 8601 wants it is written in a form; others stay, such as months.

    >>> from_iso(pa.array(["2000-02-01", "1999-12", None]), "d.m.yyyy").to_pylist()
    ['1.2.2000', '1999-12', None]
    >>> from_iso(pa.array(["2000-02-01T07:30:00"]), "mm/dd/yyyy HH:MM").to_pylist()
    ['02/01/2000 07:30']
    """
    found = pc.extract_regex(cells, ISO)
    part = {name: pc.struct_field(found, name) for name in ("yyyy", "m", "d", "time", "HH", "MM", "rest")}
    bare = {"dd": part["d"], "mm": part["m"], "SS": pc.utf8_slice_codeunits(part["rest"], 1)}
    known = {
        **part,
        **bare,
        **{name: pc.utf8_ltrim(part[name], characters="0") for name in ("d", "m")},
    }
    pieces = [piece for piece in re.split(f"({TOKENS.pattern})", form) if piece]
    joined = pc.binary_join_element_wise(
        *(known[piece] if TOKENS.fullmatch(piece) else pa.scalar(piece) for piece in pieces), ""
    )
    timed = pc.not_equal(part["time"], "")
    return pc.coalesce(pc.if_else(pc.equal(timed, pa.scalar("HH" in form)), joined, None), cells)


def found_form(days: pa.Array, order: str, marks: set[str], timed: str) -> str:
    """The form that all days of a column have; empty where they have several."""
    if len(marks) != 1 or timed not in ("", " HH:MM", " HH:MM:SS"):
        return ""
    (mark,) = marks
    tokens = {name: _token(pc.struct_field(days, name), name) for name in ("d", "m")}
    return mark.join({"y": "yyyy", **tokens}[one] for one in order) + timed


def _token(column: pa.Array, name: str) -> str:
    """Two digits, unless one of them ever stands alone."""
    shortest = pc.min(pc.utf8_length(column)).as_py()
    return name if shortest == 1 else 2 * name


def _two(column: pa.Array) -> pa.Array:
    return pc.utf8_lpad(column, 2, "0")
