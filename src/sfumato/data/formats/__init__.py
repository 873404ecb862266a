"""File formats: one file each, which declares the suffixes it is known by."""

from pathlib import Path
from typing import Any

from sfumato.core import FileError, registry


def suffixes(kind: str = "formats") -> tuple[str, ...]:
    """How the names of files end that can be read.

    >>> ".csv" in suffixes(), ".sas7bdat" in suffixes(), ".graphml" in suffixes("graph_formats")
    (True, True, True)
    """
    return tuple(suffix for one in _formats(kind) for suffix in one.suffixes)


def writable_suffixes() -> tuple[str, ...]:
    """How the names of files end that can be written.

    >>> ".csv" in writable_suffixes(), ".sas7bdat" in writable_suffixes()
    (True, False)
    """
    return tuple(suffix for one in _formats("formats") if not one.unwritable for suffix in one.suffixes)


def format_of(path: Path, kind: str = "formats") -> Any:
    """The format that the name of a file says, of a table or of a graph.

    >>> format_of(Path("People.CSV"))
    Delimited()
    """
    for one in _formats(kind):
        if path.name.lower().endswith(one.suffixes):
            return one
    known = ", ".join(suffixes(kind))
    raise FileError(f"{path}: its format cannot be told from its name; known suffixes are {known}.")


def _formats(kind: str) -> list[Any]:
    return [registry.load(kind, name)() for name in registry.names(kind)]
