"""Temporary files and folders, of which the next who comes can tell whether their process is gone.

All of them begin with the name of a lock file beside them, `.sfumato-TOKEN.lock`. It is made first and removed
last, and the process holds a lock of the operating system on it, which is gone with the process however that
ends. What bears the token of a lock that nobody holds was left behind, and is removed; all else is left alone.
"""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sfumato.core.file_locks import locked
from sfumato.core.private import FILE, FOLDER

PREFIX, LOCK = ".sfumato-", ".lock"
BYTES = 8  # of a token
SEMAPHORES = Path("/dev/shm")  # where Linux keeps those of processes, as files


@contextmanager
def claimed(folder: Path) -> Iterator[str]:
    """How names of temporaries in a folder may begin: what bears such a name at the end of the block is removed.

    >>> here = Path(tempfile.mkdtemp())
    >>> with claimed(here) as start:
    ...     _ = (here / f"{start}.csv").write_text("half a file")
    ...     sweep(here)
    ...     (here / f"{start}.csv").exists()
    True
    >>> list(here.iterdir())
    []
    """
    sweep(folder)
    start, file = _claim(folder)
    try:
        yield start
    finally:
        _remove(folder / f"{start}{LOCK}", file)


@contextmanager
def temporary_folder(inside: Path | None = None) -> Iterator[Path]:
    """A private folder inside another one, or where the system has them, which is gone at the end of the block."""
    above = Path(tempfile.gettempdir()) if inside is None else inside
    with claimed(above) as start:
        folder = above / start
        folder.mkdir(FOLDER)
        yield folder


def sweep(folder: Path, *, deep: bool = False) -> None:
    """Remove what processes that are gone left behind in a folder; deep: also in all folders within it."""
    for path in _own_entries(folder):
        if path.name.startswith(PREFIX) and path.suffix == LOCK:
            _remove_if_dead(path)
        elif deep and not path.name.startswith(PREFIX) and path.is_dir():
            sweep(path, deep=True)


def _claim(folder: Path) -> tuple[str, int]:
    """A new token, and its lock file, which is ours."""
    while True:
        start = f"{PREFIX}{secrets.token_hex(BYTES)}"
        path = folder / f"{start}{LOCK}"
        file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE)
        with suppress(OSError):  # a file system may have no locks
            locked(file, wait=True)
        with suppress(OSError):
            if os.path.samestat(path.stat(), os.fstat(file)):
                return start, file
        os.close(file)  # between the two steps somebody took it for one that was left behind


def _remove_if_dead(lock: Path) -> None:
    try:
        file = os.open(lock, os.O_RDWR)
    except OSError:
        return
    if _is_free(file):
        for semaphore in SEMAPHORES.glob(f"sem.{lock.stem.removeprefix('.')}-*"):
            with suppress(OSError):
                semaphore.unlink()
        _remove(lock, file)
    else:
        os.close(file)


def _is_free(file: int) -> bool:
    """Whether nobody holds a lock; where a file system has none, nothing is known to be dead."""
    try:
        return locked(file)
    except OSError:
        return False


def _remove(lock: Path, file: int) -> None:
    """Remove temporaries, then their lock; if some cannot be removed, it stays for the next who tries."""
    paths = [path for path in _own_entries(lock.parent) if path.name.startswith(lock.stem) and path != lock]
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()
    all_gone = not any(map(os.path.lexists, paths))
    if all_gone:
        with suppress(OSError):  # on Windows a file that is open cannot be removed
            lock.unlink()
    os.close(file)
    if all_gone:
        with suppress(OSError):
            lock.unlink(missing_ok=True)


def _own_entries(folder: Path) -> list[Path]:
    """The temporaries and the folders in a folder that are ours."""
    found = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) or entry.is_dir(follow_symlinks=False):
                with suppress(OSError):
                    if _is_ours(entry):
                        found.append(Path(entry.path))
    return found


def _is_ours(entry: "os.DirEntry[str]") -> bool:
    return os.name != "posix" or entry.stat(follow_symlinks=False).st_uid == os.geteuid()
