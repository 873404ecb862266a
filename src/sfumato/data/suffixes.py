"""Finding a format by how the name of a file ends."""

from pathlib import Path
from typing import Any

from sfumato.core import FileError, registry


def all_formats(kind: str) -> list[Any]:
    """Every format in the folder of a kind."""
    return [registry.load(kind, name)() for name in registry.names(kind)]


def format_with_suffix(kind: str, path: Path) -> Any:
    """The format of a kind that the name of a file says."""
    formats = all_formats(kind)
    for one in formats:
        if path.name.lower().endswith(one.suffixes):
            return one
    known = ", ".join(suffix for one in formats for suffix in one.suffixes)
    raise FileError(f"{path}: its format cannot be told from its name; known suffixes are {known}.")
