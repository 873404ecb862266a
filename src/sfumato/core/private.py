"""Files and folders that nobody else on the machine can read, whatever the umask says.

Where there are no such permissions, as on Windows, they are files and folders like any other.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path

from sfumato.core import progress
from sfumato.core.errors import FileError

FOLDER, FILE, OTHERS = 0o700, 0o600, 0o077


def private_folder(path: str | Path) -> Path:
    """A folder into which only we can look: made if need be, with those above it, or closed to others with a note.

    One that belongs to another user, or lies behind a link that another user made, is refused.

    >>> import tempfile
    >>> folder = private_folder(Path(tempfile.mkdtemp()) / "work")
    >>> oct(folder.stat().st_mode & 0o777)
    '0o700'
    """
    folder = Path(path)
    _refuse_links_of_others(folder)
    try:
        for missing in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
            with suppress(FileExistsError):  # somebody else made it meanwhile; it is looked at below
                missing.mkdir(FOLDER)
        if os.name == "posix":
            _close_folder(folder)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"Folder {folder} cannot be made: {_cause(error)}.") from None
    return folder


def private_file(path: str | Path) -> Path:
    """A file that only we can read, empty where there was none: whoever opens it to write keeps it so.

    A link, or a file that belongs to another user, is refused.

    >>> import tempfile
    >>> file = private_file(Path(tempfile.mkdtemp()) / "notes.txt")
    >>> oct(file.stat().st_mode & 0o777), file.write_text("private")
    ('0o600', 7)
    """
    file = Path(path)
    try:
        number = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), FILE)
        try:
            if os.name == "posix":
                _close_file(file, number)
        finally:
            os.close(number)
    except FileError:
        raise
    except OSError as error:
        cause = "it is a link" if file.is_symlink() else _cause(error)
        raise FileError(f"File {file} cannot be made: {cause}.") from None
    return file


def _close_folder(folder: Path) -> None:
    seen = folder.stat()
    if not stat.S_ISDIR(seen.st_mode):
        raise FileError(f"Folder {folder} is a file: give the name of a folder.")
    if seen.st_uid != os.geteuid():
        raise FileError(
            f"Folder {folder} belongs to another user, who could read what is kept there; name another folder."
        )
    if seen.st_mode & stat.S_ISVTX:
        raise FileError(f"Folder {folder} is there for all users; name a folder within it.")
    if stat.S_IMODE(seen.st_mode) & (FOLDER | OTHERS) == FOLDER:
        return
    with suppress(OSError):  # some file systems keep no permissions
        folder.chmod(stat.S_IMODE(seen.st_mode) & ~OTHERS | FOLDER)
    if folder.stat().st_mode & OTHERS:
        progress.note(f"others may read what is kept in {folder}: its disk keeps no permissions.")
    elif seen.st_mode & OTHERS:
        progress.note(f"others could look into {folder}, and now they cannot: private files are kept there.")


def _close_file(file: Path, number: int) -> None:
    seen = os.fstat(number)
    if seen.st_uid != os.geteuid():
        raise FileError(f"File {file} belongs to another user, who could read what is kept there; remove it.")
    if stat.S_IMODE(seen.st_mode) != FILE:
        with suppress(OSError):
            os.fchmod(number, FILE)


def _refuse_links_of_others(path: Path) -> None:
    """In a folder that all users share, somebody may have put a link where we are about to make a folder."""
    if os.name != "posix":
        return
    for part in (path.absolute(), *path.absolute().parents):
        if part.is_symlink() and part.lstat().st_uid not in (0, os.geteuid()):
            raise FileError(f"{part} is a link that another user made; name another folder than {path}.")


def _cause(error: OSError) -> str:
    return (error.strerror or "the disk refused").lower()
