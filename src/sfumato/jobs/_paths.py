"""Where a job may write: checked before the long work starts."""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sfumato.core import FileError, param


def output_file(help: str, suffixes: tuple[str, ...], *, word: str = "OUT", needed: bool = True) -> Any:
    """Declare the option for the file that a job is there to write."""
    return param(default=None, short="o", word=word, help=help, needed=needed, writes=True, suffixes=suffixes)


def check_target(output: Path, inputs: Iterable[Path], suffixes: Iterable[str] = ()) -> None:
    """Refuse an output that could not be written, or that would replace an input."""
    if output.is_dir():
        raise FileError(f"Output {output} is a folder: give the name of a file.")
    known = tuple(suffixes)
    if known and not output.name.lower().endswith(known):
        raise FileError(f"Output {output}: unknown suffix {output.suffix!r}. Known: {', '.join(known)}.")
    check_folder(output.parent, output)
    for path in inputs:
        if same_file(output, path):
            raise FileError(f"Output {output} is also an input: give another name, so that no data are lost.")
        if path.is_dir() and same_file(output.parent, path):
            raise FileError(f"Output {output} lies in folder {path}, which is an input: write it elsewhere.")


def check_folder(folder: Path, output: Path) -> None:
    """Refuse a folder that is not there or cannot be written to."""
    if not folder.exists():
        raise FileError(f"Output {output}: folder {folder} does not exist; make it first.")
    if not folder.is_dir():
        raise FileError(f"Output {output}: {folder} is not a folder.")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        raise FileError(f"Output {output}: folder {folder} cannot be written to.") from None


def check_is_folder(folder: Path | None, option: str) -> None:
    if folder is not None and folder.exists() and not folder.is_dir():
        raise FileError(f"{option} {folder} is a file: give the name of a folder.")


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to the same file, there or not yet.

    >>> same_file(Path("a.csv"), Path("./a.csv"))
    True
    """
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()
