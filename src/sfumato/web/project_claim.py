"""Claims: a project that is being made is held by its server, so that no other takes it for one left behind."""

import os
from contextlib import suppress
from pathlib import Path

from sfumato.core.file_locks import locked

SUFFIX = (
    ".lock"  # beside the folder: it is held before the folder is there, and until it is a project or gone
)


def claim(folder: Path) -> int | None:
    """The claim on a folder as an open file, which ends with its process; nothing where somebody holds it."""
    file = os.open(_beside(folder), os.O_RDWR | os.O_CREAT, 0o600)
    if locked(file):
        return file
    os.close(file)
    return None


def drop(folder: Path, file: int) -> None:
    """Give up the claim on a folder, which is a project now or has gone."""
    with suppress(OSError):  # on Windows a file that is open cannot be removed
        _beside(folder).unlink()
    os.close(file)
    with suppress(OSError):
        _beside(folder).unlink()


def _beside(folder: Path) -> Path:
    return folder.with_name(folder.name + SUFFIX)
