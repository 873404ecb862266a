"""File formats: one file each, which declares the suffixes it is known by."""

from pathlib import Path

from sfumato.core import FileError, registry
from sfumato.data.formats._format import Format


def suffixes() -> tuple[str, ...]:
    """How the names of files end that can be read.

    >>> ".csv" in suffixes(), ".sas7bdat" in suffixes()
    (True, True)
    """
    return tuple(suffix for one in _formats() for suffix in one.suffixes)


def writable_suffixes() -> tuple[str, ...]:
    """How the names of files end that can be written.

    >>> ".csv" in writable_suffixes(), ".sas7bdat" in writable_suffixes()
    (True, False)
    """
    return tuple(suffix for one in _formats() if not one.unwritable for suffix in one.suffixes)


def format_of(path: Path) -> Format:
    """The format that the name of a file says.

    >>> format_of(Path("People.CSV"))
    Delimited()
    """
    for one in _formats():
        if path.name.lower().endswith(one.suffixes):
            return one
    known = ", ".join(suffixes())
    raise FileError(f"{path}: its format cannot be told from its name; known suffixes are {known}.")


def _formats() -> list[Format]:
    return [registry.load("formats", name)() for name in registry.names("formats")]
