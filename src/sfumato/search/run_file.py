"""The files that keep a search: SQLite in write-ahead mode, with one transaction an entry.

Killing the process at any moment leaves the entries that were finished. A file belongs to one process as long as
it is open. It is locked before it enters write-ahead mode: only so can SQLite do without memory that processes
share, which the file systems of networks do not give. The lock is one of the operating system, so that it is gone
with the process, however that ends, and holds between machines where their common file system passes locks on.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec

from sfumato.core import FileError

SAYS = {
    "sfumato": "another version of sfumato",
    "seed": "another seed",
    "optimizer": "another optimiser or other parameters of it",
    "problem.metric": "other attributes, or another metric",
    "problem.file": "another file",
    "problem.start": "other starting files",
    "problem.attributes": "other attributes",
    "problem.fitness": "other measures",
    "problem.grouped": "other groups of attributes",
    "problem.shape": "another diagonal, or another choice of invariance",
    "problem.group": "another group, or another attack on it",
    "problem.vocabulary": "other words",
    "problem.givers": "other places to hide",
    "problem.takers": "other places to hide",
    "problem.wanted": "another limit, or another signal that is wanted",
}
# in this order: https://www.sqlite.org/wal.html#use_of_wal_without_shared_memory
SETTINGS = ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=NORMAL")
META = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)"


class RunFile:
    """A file of a run. `identity` says which: a file that holds another one is refused, naming what differs.

    A subclass says in which `format` it writes what `tables`.
    """

    format: ClassVar[str]
    tables: ClassVar[Sequence[str]]

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        self.path = path
        with self._refusing():
            self._base = sqlite3.connect(path, isolation_level=None, timeout=0)
        try:
            with self._refusing():
                self._claim({"format": self.format, **_flat(identity)})
        except FileError:
            self._base.close()
            raise

    def _claim(self, identity: dict[str, str]) -> None:
        for setting in SETTINGS:
            self._base.execute(f"PRAGMA {setting}")
        self._base.execute("BEGIN EXCLUSIVE")
        tables = {name for (name,) in self._base.execute("SELECT name FROM sqlite_master")}
        if not tables:
            for table in (META, *self.tables):
                self._base.execute(table)
            self._base.executemany("INSERT INTO meta VALUES (?, ?)", identity.items())
        self._base.execute("COMMIT")
        if tables:
            self._check(dict(self._base.execute("SELECT key, value FROM meta")), identity)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self._base.close()

    def _check(self, found: dict[str, str], identity: dict[str, str]) -> None:
        if found.get("format") != self.format:
            raise FileError(
                f"{self.path}: written in another format; resume it with the version that made it."
            )
        for key in (*SAYS, *identity, *found):
            if found.get(key) != identity.get(key):
                raise FileError(
                    f"{self.path}: holds a run with {SAYS.get(key, f'another {key}')}; "
                    "name another run folder, or resume with what it was started with."
                )

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                raise FileError(
                    f"{self.path.parent}: another run is writing to it; wait for its end, or name another run folder."
                ) from None
            raise self._unusable(error) from None
        except (sqlite3.Error, msgspec.DecodeError) as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> FileError:
        return FileError(f"{self.path}: not a journal that can be used ({error}); name another run folder.")


def run_folder(folder: Path) -> Path:
    """The folder of a run, made where it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: the run folder cannot be made ({error.strerror}).") from None
    return folder


def _flat(identity: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """One text per part of the problem, so that a difference can be named."""
    flat: dict[str, str] = {}
    for key, value in identity.items():
        flat |= (
            _flat(value, "problem.")
            if key == "problem" and isinstance(value, Mapping)
            else {before + key: json.dumps(value, sort_keys=True)}
        )
    return flat
