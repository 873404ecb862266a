"""Lines of fixed width that a table describes: a CSV file with a row for each variable, its name and its columns."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core import DataError, FileError
from sfumato.data.csv_options import CsvOptions
from sfumato.data.formats.delimited import Delimited
from sfumato.data.inference import Declared
from sfumato.data.iso_days import with_iso_days
from sfumato.data.machine_memory import memory_limit
from sfumato.data.plain_numbers import with_plain_numbers
from sfumato.data.text_encoding import found_encoding

WORDS = {
    "name": ("name", "variable", "var", "column", "field", "spalte", "feld", "nom", "nombre", "nome"),
    "start": (
        "start",
        "begin",
        "from",
        "position",
        "pos",
        "first",
        "von",
        "beginn",
        "debut",
        "inicio",
        "inizio",
    ),
    "end": ("end", "to", "last", "stop", "bis", "ende", "fin", "fine"),
    "width": ("width", "length", "len", "breite", "lange", "laenge", "longueur", "longitud", "lunghezza"),
    "label": ("label", "description", "text", "beschreibung", "libelle", "descripcion", "descrizione"),
    "decimals": ("decimals", "dec", "dcml", "dezimalen", "nachkommastellen", "decimales", "decimali"),
    "labels": ("labels", "values", "codes", "werte", "valeurs", "valores", "valori"),
    "missing": ("missing", "fehlend", "manquant", "perdidos", "mancanti"),
}
COMMA = r"^\s*[+-]?[0-9]*,[0-9]+\s*$"
PLAIN = r"^\s*[+-]?[0-9]*\s*$"
RANGE = re.compile(r"\s*(\d+)(?:\s*(?:-|–|\.\.|:)\s*(\d+))?\s*")


@dataclass(frozen=True)
class Place:
    """A variable: its columns (the first is 0), and what is said of it. Without an end it goes to that of the line."""

    name: str
    start: int
    end: int
    decimals: int = 0
    label: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


def fixed_width(
    path: Path, content: bytes, codebook: Path, options: CsvOptions
) -> tuple[pa.Table, Mapping[str, Declared]]:
    """The variables of a file as texts, blanks being missing; numbers and days in plain form."""
    places = read_places(codebook)
    encoding = options.encoding or ("utf-8-sig" if path.suffix.lower() == ".gz" else found_encoding(path)[0])
    try:
        lines = re.split("\r\n|\n|\r", content.decode(encoding))
    except (UnicodeDecodeError, LookupError):
        raise FileError(f"{path} cannot be read as {encoding}: say its --encoding.") from None
    lines = [line for line in lines if line.strip("\x1a ")]
    longest = max(map(len, lines), default=0)
    for place in places:
        if place.start >= longest:
            raise DataError(
                f"{path}: the codebook {codebook.name} puts {place.name} beyond the end of the lines; take the codebook "
                "of this file."
            )
    text = pa.array(lines, pa.string())
    arrow = pa.table({place.name: _cells(text, place, options) for place in places})
    arrow, _, _, forms = with_iso_days(arrow, options.dates)
    return arrow, {
        place.name: Declared(
            label=place.label,
            labels=dict(place.labels),
            missing=place.missing,
            form=forms.get(place.name, ""),
        )
        for place in places
    }


def read_places(codebook: Path) -> tuple[Place, ...]:
    """The variables that a table describes: by start and end, start and width, or a range such as 3-5."""
    table, _ = Delimited().read(codebook, CsvOptions(header=True, dates="text"), memory_limit())
    found = {key: name for key, words in WORDS.items() if (name := _named(words, table.column_names))}
    if "name" not in found or not {"start", "width"} & {*found}:
        raise DataError(
            f"Codebook {codebook}: it needs the columns name, start and end (or width). "
            f"Got {', '.join(table.column_names)}."
        )
    rows = [
        dict(zip(found, row, strict=True))
        for row in zip(*(table[found[k]].to_pylist() for k in found), strict=True)
    ]
    places = tuple(_placed(codebook, rows))
    if not places:
        raise DataError(f"Codebook {codebook} describes no variable.")
    if len({place.name for place in places}) < len(places):
        raise DataError(f"Codebook {codebook} describes a variable twice: names must be unique.")
    return places


def _named(words: Sequence[str], names: Sequence[str]) -> str:
    """The column that is called by one of these words."""
    plain = {
        re.sub(r"[^a-z]", "", name.lower().replace("é", "e").replace("ä", "a").replace("ó", "o")): name
        for name in names
    }
    return next((plain[word] for word in words if word in plain), "")


def _placed(codebook: Path, rows: Sequence[Mapping[str, str | None]]) -> Iterator[Place]:
    after = 0
    for number, row in enumerate(rows, start=1):
        said = {key: (cell or "").strip() for key, cell in row.items()}
        start, end = _columns(said, after)
        decimals = said.get("decimals") or "0"
        if start < 0 or end <= start or not decimals.isdecimal() or not said["name"]:
            raise DataError(
                f"Codebook {codebook}, row {number}: a variable needs a name, and columns such as 3 and 5, or 3-5."
            )
        yield Place(
            said["name"],
            start,
            end,
            int(decimals),
            said.get("label", ""),
            dict(_labels(said.get("labels", ""))),
            tuple(re.split(r"[\s,;|]+", said["missing"])) if said.get("missing") else (),
        )
        after = end


def _columns(said: Mapping[str, str], after: int) -> tuple[int, int]:
    """The columns of a variable, the first being 0 and the end outside; after those before where only a width is said."""
    place, end, width = RANGE.fullmatch(said.get("start", "")), said.get("end", ""), said.get("width", "")
    start = int(place[1]) - 1 if place else after if not said.get("start") and width else -1
    if end.isdecimal():
        return start, int(end)
    if place is not None and place[2]:
        return start, int(place[2])
    if width.isdecimal():
        return start, start + int(width)
    return start, start + 1 if not end and not width else -1


def _labels(text: str) -> Iterator[tuple[str, str]]:
    """Codes and their labels, written as 1=male; 2=female."""
    for part in re.split(r"[;|\n]", text):
        code, sign, label = part.partition("=")
        if sign and code.strip() and label.strip():
            yield code.strip(), label.strip()


def _cells(lines: pa.Array, place: Place, options: CsvOptions) -> pa.Array:
    cells = pc.utf8_trim_whitespace(pc.utf8_slice_codeunits(lines, place.start, place.end))
    cells = pc.if_else(pc.equal(cells, ""), None, cells)
    marks = options.decimal or ("," if _has_commas(cells) else "."), options.thousands or ""
    if marks != (".", ""):
        cells = with_plain_numbers(pa.chunked_array([cells]), *marks).combine_chunks()
    if place.decimals:
        cells = _with_decimals(cells, place.decimals)
    return cells


def _has_commas(cells: pa.Array) -> bool:
    """Whether all cells are numbers, and some have decimals after a comma."""
    commas = pc.match_substring_regex(cells, COMMA)
    plain = pc.match_substring_regex(cells, PLAIN)
    return bool(pc.any(commas).as_py() and pc.all(pc.or_(commas, plain)).as_py())


def _with_decimals(cells: pa.Array, decimals: int) -> pa.Array:
    """Digits of which the last few are decimals; a number with a point of its own stays."""
    filled = pc.replace_substring_regex(cells, r"^([+-]?)([0-9]+)$", rf"\1{'0' * decimals}\2")
    cut = pc.replace_substring_regex(filled, rf"^([+-]?[0-9]+)([0-9]{{{decimals}}})$", r"\1.\2")
    return pc.replace_substring_regex(cut, r"^([+-]?)0+([0-9])", r"\1\2")
