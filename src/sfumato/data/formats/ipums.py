"""Lines of fixed width (.dat, .fwf, .asc) and the codebook that explains them: that of an IPUMS extract, or a table."""

import gzip
import io
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa

from sfumato.core import DataError, FileError
from sfumato.core.quantities import Size
from sfumato.core.regular_files import small_text
from sfumato.data.attribute import Scale, Storage
from sfumato.data.csv_options import CsvOptions
from sfumato.data.formats._fixed_width import fixed_width
from sfumato.data.formats._format import Format
from sfumato.data.inference import Declared
from sfumato.data.machine_memory import check_fits
from sfumato.data.xml_text import SPACE, entity_free_parser, parse_xml

LINE_END, RETURN, BLANK, MINUS, ZERO, NINE = b"\n\r -09"
GROWTH = 10  # bytes in memory for each character of a line
PIECE = 2**24  # bytes that are unpacked at a time
LONGEST = 18  # digits that fit into an integer
SUFFIXES = (".xml", ".cbk", ".txt", ".csv", ".codebook.csv", "_codebook.csv", "-codebook.csv")
ANY_NAME = ("codebook.csv",)
HIERARCHICAL = "its records are of several types; order the extract as rectangular"

PLACE = re.compile(r"^\s*([A-Za-z_]\w*)\s+(?:\w\s+)?(\d+)(?:-(\d+))?\s+(\d+)\s")
HEADING = re.compile(r"^ ?([A-Z_][A-Z0-9_]*)\s*\t\s*(\S.*)$")
CODE = re.compile(r"^\s*(\S+)\s*\t\s*(\S.*)$")


@dataclass(frozen=True)
class Variable:
    """A variable of an extract: its columns (the first is 0), how many of its digits are decimals, its labels.

    `is_text` and `is_discrete` are None where the codebook does not say.
    """

    name: str
    start: int
    end: int
    decimals: int = 0
    label: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    is_text: bool | None = None
    is_discrete: bool | None = None


def codebook_beside(path: Path) -> Path:
    """The codebook of a data file: the file of the same name that ends in .xml, .cbk, .txt or .csv, or codebook.csv."""
    stem = re.sub(r"\.(dat|fwf|asc)(\.gz)?$", "", path.name, flags=re.IGNORECASE)
    for name in (*(stem + suffix for suffix in SUFFIXES), *ANY_NAME):
        beside = path.with_name(name)
        if beside.is_file():
            return beside
    wanted = ", ".join(
        [*(stem + suffix for suffix in SUFFIXES[:3]), f"or a table {stem}.csv of name, start and end"]
    )
    raise FileError(f"{path} needs its codebook beside it: put {wanted} in the same folder.")


def read_codebook(path: Path) -> tuple[Variable, ...]:
    """The variables that a codebook, the DDI file (XML) or the basic one (text), describes, by their columns."""
    content = small_text(path, "Codebook", encoding="latin-1").encode("latin-1")
    found = _from_ddi(path, content) if path.suffix.lower() == ".xml" else _from_text(path, content)
    if not found:
        raise DataError(f"Codebook {path} describes no variable: check that it belongs to an extract.")
    return tuple(sorted(found, key=lambda variable: variable.start))


def _from_ddi(path: Path, content: bytes) -> list[Variable]:
    builder, parser = ElementTree.TreeBuilder(), entity_free_parser(path)
    # the namespace differs between versions of DDI
    parser.StartElementHandler = lambda tag, given: builder.start(tag.rpartition(SPACE)[2], given)
    parser.EndElementHandler = lambda tag: builder.end(tag.rpartition(SPACE)[2])
    parser.CharacterDataHandler = builder.data
    parse_xml(parser, io.BytesIO(content), path)
    root = builder.close()
    if any(structure.get("type") == "hierarchical" for structure in root.iter("fileStrc")):
        raise DataError(f"Codebook {path}: {HIERARCHICAL}.")
    return [_from_var(path, var) for var in root.iter("var")]


def _from_var(path: Path, var: ElementTree.Element) -> Variable:
    name = var.get("name") or var.get("ID") or ""
    place, form = var.find("location"), var.find("varFormat")
    try:
        if place is None:
            raise ValueError
        start = int(place.attrib["StartPos"])
        end = int(place.get("EndPos") or start + int(place.attrib["width"]) - 1)
        decimals = int(var.get("dcml") or 0)
    except (KeyError, ValueError):
        raise DataError(f"Codebook {path}: variable {name} has no columns.") from None
    if not 0 <= decimals <= LONGEST:
        raise DataError(f"Codebook {path}: variable {name} has impossible decimals.")
    is_text = None if form is None else form.get("type") == "character"
    labels = {
        (category.findtext("catValu") or "").strip(): " ".join((category.findtext("labl") or "").split())
        for category in var.iter("catgry")
    }
    return Variable(
        name=name,
        start=start - 1,
        end=end,
        decimals=decimals,
        label=" ".join((var.findtext("labl") or "").split()),
        labels={code: label for code, label in labels.items() if code and label},
        is_text=is_text,
        is_discrete={"discrete": True, "contin": False}.get(var.get("intrvl") or ""),
    )


def _from_text(path: Path, content: bytes) -> list[Variable]:
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        lines = content.decode("latin-1").splitlines()
    if any(re.match(r"(?i)file type:\s*hierarchical", line) for line in lines):
        raise DataError(f"Codebook {path}: {HIERARCHICAL}.")
    found: dict[str, Variable] = {}
    rest = iter(lines)
    for line in rest:
        place = PLACE.match(line + " ")
        if place:
            name, first, last, _ = place.groups()
            found[name] = Variable(name, int(first) - 1, int(last or first))
        elif found and not line.strip():
            break
    return _labelled(found, rest)


def _labelled(found: dict[str, Variable], lines: Iterable[str]) -> list[Variable]:
    """The variables with the labels from the second half of a basic codebook."""
    name = ""
    for line in lines:
        heading, code = HEADING.match(line), CODE.match(line)
        if heading and heading[1] in found:
            name = heading[1]
            found[name] = replace(found[name], label=heading[2].strip())
        elif not line.strip():
            name = ""
        elif code and name:
            found[name].labels[code[1]] = code[2].strip()
    return list(found.values())


class Ipums(Format):
    """Digits become integers, or decimal numbers where the codebook says that some of the digits are decimals; what is
    blank is missing. A variable is a code where the codebook says so, or, if it does not say, where all its values
    have labels. Codes that mean "not applicable" stay codes: say in a schema which are missing.
    """

    suffixes = (".dat", ".dat.gz", ".fwf", ".asc")
    unwritable = "files of fixed width are only read; use .csv"

    def read(self, path: Path, options: CsvOptions, memory: Size) -> tuple[pa.Table, Mapping[str, Declared]]:
        codebook = codebook_beside(path)
        content = _content(path, memory)
        if codebook.suffix.lower() == ".csv":
            return fixed_width(path, content, codebook, options)
        variables = read_codebook(codebook)
        lines = _lines(path, content)
        for variable in variables:
            if not 0 <= variable.start < variable.end <= lines.shape[1]:
                raise DataError(
                    f"{path}: the codebook {codebook.name} puts {variable.name} beyond the end of the lines; "
                    "take the codebook of this extract."
                )
        arrays = {v.name: _array(path, v, lines[:, v.start : v.end]) for v in variables}
        return pa.table(arrays), {v.name: _declared(v, arrays[v.name]) for v in variables}


def _content(path: Path, memory: Size) -> bytes:
    if not path.name.lower().endswith(".gz"):
        return path.read_bytes()
    pieces: list[bytes] = []
    taken = 0
    try:
        with gzip.open(path) as file:
            while piece := file.read(PIECE):
                taken += len(piece)
                check_fits(path, GROWTH * taken, memory)
                pieces.append(piece)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise FileError(f"{path} cannot be read as gzip: it is damaged or in another format.") from None
    return b"".join(pieces)


def _lines(path: Path, content: bytes) -> np.ndarray:
    """The characters of all lines, one row each; all lines must have the same length."""
    width = content.find(b"\n")
    if width < 0:
        raise DataError(f"{path} holds no line: it needs at least one record.")
    if not content.endswith(b"\n"):
        content += b"\n"
    if len(content) % (width + 1) == 0:
        lines = np.frombuffer(content, np.uint8).reshape(-1, width + 1)
        inside = lines[:, :width] == LINE_END
        if np.all(lines[:, width] == LINE_END) and not inside.any():
            return lines[:, : width - 1 if lines[0, width - 1] == RETURN else width]
    lengths = [len(line) for line in content.split(b"\n")]
    row = next(number for number, length in enumerate(lengths, start=1) if length != width)
    raise DataError(
        f"{path}, row {row}: the line is not as long as the first; an extract has lines of one length."
    )


def _array(path: Path, variable: Variable, cells: np.ndarray) -> pa.Array:
    digits = (cells >= ZERO) & (cells <= NINE)
    numeric = np.all(digits | (cells == BLANK) | (cells == MINUS))
    if variable.is_text or (not numeric and variable.is_text is None) or cells.shape[1] > LONGEST:
        return _texts(cells)
    values, missing, broken = _integers(cells, digits)
    if broken.any():
        row = int(np.argmax(broken)) + 1
        raise DataError(
            f"{path}, column {variable.name}, row {row}: not a number, but the codebook says it is one."
        )
    if variable.decimals:
        return pa.array(values / 10.0**variable.decimals, mask=missing)
    return pa.array(values, mask=missing)


def _integers(cells: np.ndarray, digits: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The integers, where a cell is blank, and where it is neither: blanks, then a sign, then digits."""
    values = np.zeros(len(cells), np.int64)
    negative, begun = np.zeros(len(cells), bool), np.zeros(len(cells), bool)
    broken, ended = np.zeros(len(cells), bool), np.zeros(len(cells), bool)
    for column, is_digit in zip(cells.T, digits.T, strict=True):
        values[is_digit] = 10 * values[is_digit] + (column[is_digit] - ZERO)
        sign, blank = column == MINUS, column == BLANK
        broken |= (~is_digit & ~sign & ~blank) | (sign & (begun | negative)) | (is_digit & ended)
        ended |= blank & begun
        negative |= sign
        begun |= is_digit
    return np.where(negative, -values, values), ~begun & ~negative, broken | (negative & ~begun)


def _texts(cells: np.ndarray) -> pa.Array:
    """Texts without the blanks around them; what is blank is missing."""
    joined = np.ascontiguousarray(cells).view(f"S{cells.shape[1]}").ravel()
    distinct, codes = np.unique(joined, return_inverse=True)
    texts = [text.decode("latin-1").strip() or None for text in distinct.tolist()]
    return pa.DictionaryArray.from_arrays(
        pa.array(codes.ravel().astype(np.int32)), pa.array(texts, pa.string())
    ).dictionary_decode()


def _declared(variable: Variable, array: pa.Array) -> Declared:
    is_text = pa.types.is_string(array.type)
    labels = {code if is_text else _plain_code(code): label for code, label in variable.labels.items()}
    scale: Scale | None = None
    if variable.is_discrete and not variable.decimals:
        scale = "nominal"
    elif variable.is_discrete is False and not is_text:
        scale = "numeric"
    storage: Storage | None = "text" if is_text else None
    return Declared(scale=scale, storage=storage, label=variable.label, labels=labels)


def _plain_code(code: str) -> str:
    """A code as an integer column shows it: without leading zeros.

    >>> _plain_code("007"), _plain_code("-01"), _plain_code("B")
    ('7', '-1', 'B')
    """
    return str(int(code)) if code.removeprefix("-").isdecimal() else code
