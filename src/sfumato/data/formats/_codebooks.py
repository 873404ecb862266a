"""Codebooks of IPUMS extracts: where each variable stands in a line, and what its codes mean.

Two kinds are read: the DDI file (XML) and the basic codebook (text, .cbk or .txt).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree import ElementTree

from sfumato.core import DataError, FileError

SUFFIXES = (".xml", ".cbk", ".txt")
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
    """The codebook of a data file: the file of the same name that ends in .xml, .cbk or .txt."""
    stem = re.sub(r"\.dat(\.gz)?$", "", path.name, flags=re.IGNORECASE)
    for suffix in SUFFIXES:
        beside = path.with_name(stem + suffix)
        if beside.is_file():
            return beside
    wanted = ", ".join(stem + suffix for suffix in SUFFIXES)
    raise FileError(f"{path} needs its codebook beside it: put {wanted} in the same folder.")


def read_codebook(path: Path) -> tuple[Variable, ...]:
    """The variables that a codebook describes, in the order of their columns."""
    try:
        content = path.read_bytes()
    except OSError:
        raise FileError(f"Codebook {path} cannot be read.") from None
    found = _from_ddi(path, content) if path.suffix.lower() == ".xml" else _from_text(path, content)
    if not found:
        raise DataError(f"Codebook {path} describes no variable: check that it belongs to an extract.")
    return tuple(sorted(found, key=lambda variable: variable.start))


def _from_ddi(path: Path, content: bytes) -> list[Variable]:
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError:
        raise DataError(f"Codebook {path} is not valid XML.") from None
    for element in root.iter():  # the namespace differs between versions of DDI
        element.tag = str(element.tag).rpartition("}")[2]
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
