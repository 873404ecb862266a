"""File formats: one file each, which declares the suffixes it is known by."""

from pathlib import Path

from sfumato.data.formats._format import Format
from sfumato.data.suffixes import all_formats, format_with_suffix


def suffixes() -> tuple[str, ...]:
    """How the names of files end that can be read.

    >>> ".csv" in suffixes(), ".sas7bdat" in suffixes()
    (True, True)
    """
    return tuple(suffix for one in all_formats("formats") for suffix in one.suffixes)


def writable_suffixes() -> tuple[str, ...]:
    """How the names of files end that can be written.

    >>> ".csv" in writable_suffixes(), ".sas7bdat" in writable_suffixes()
    (True, False)
    """
    return tuple(suffix for one in all_formats("formats") if not one.unwritable for suffix in one.suffixes)


def format_of(path: Path) -> Format:
    """The format that the name of a file says.

    >>> format_of(Path("People.CSV"))
    Delimited()
    """
    found: Format = format_with_suffix("formats", path)
    return found
