"""The journal of a search: the outcomes of every generation, each written whole or not at all.

An optimiser is deterministic, so the outcomes it was told are all that is needed to bring it back to where it
was: a resumed run replays them, which takes no judging, and goes on. A journal is an SQLite file in
write-ahead mode with one transaction a generation; killing the process at any moment leaves the generations
that were finished. A journal belongs to one process as long as it is open.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import msgspec

from sfumato.core import FileError
from sfumato.search.contracts import Outcome

FORMAT = "1"
SAYS = {
    "sfumato": "another version of sfumato",
    "seed": "another seed",
    "optimizer": "another optimiser or other parameters of it",
    "problem.file": "another file",
    "problem.start": "other starting files",
    "problem.attributes": "other attributes",
    "problem.fitness": "other measures",
    "problem.shape": "another diagonal, or another choice of invariance",
}
SETTINGS = ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=NORMAL")
TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
    "CREATE TABLE generations (number INTEGER PRIMARY KEY, seconds REAL, outcomes BLOB)",
)


class Journal:
    """The outcomes of a run, generation by generation.

    `identity` says what run it is. A file that holds another run is refused, naming what differs.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        self.path = path
        with self._refusing():
            self._base = sqlite3.connect(path, isolation_level=None, timeout=0)
        try:
            with self._refusing():
                self._claim({"format": FORMAT, **_flat(identity)})
        except FileError:
            self._base.close()
            raise

    def _claim(self, identity: dict[str, str]) -> None:
        for setting in SETTINGS:
            self._base.execute(f"PRAGMA {setting}")
        self._base.execute("BEGIN EXCLUSIVE")
        tables = {name for (name,) in self._base.execute("SELECT name FROM sqlite_master")}
        if not tables:
            for table in TABLES:
                self._base.execute(table)
            self._base.executemany("INSERT INTO meta VALUES (?, ?)", identity.items())
        self._base.execute("COMMIT")
        if tables:
            self._check(dict(self._base.execute("SELECT key, value FROM meta")), identity)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self._base.close()

    def append(self, number: int, seconds: float, outcomes: Sequence[Outcome]) -> None:
        """Store a generation in one transaction."""
        blob = msgspec.msgpack.encode([(outcome.costs, outcome.kept) for outcome in outcomes])
        with self._refusing():
            self._base.execute("INSERT INTO generations VALUES (?, ?, ?)", (number, seconds, blob))

    def generations(self) -> Iterator[tuple[float, list[Outcome]]]:
        """The seconds run when each stored generation was done, and its outcomes, from the first."""
        with self._refusing():
            rows = self._base.execute(
                "SELECT number, seconds, outcomes FROM generations ORDER BY number"
            ).fetchall()
            for expected, (number, seconds, blob) in enumerate(rows):
                if number != expected:
                    raise FileError(f"{self.path}: generation {expected} is missing; start a new run.")
                pairs = msgspec.msgpack.decode(blob, type=list[tuple[tuple[float, ...], tuple[int, ...]]])
                yield seconds, [Outcome(costs, kept) for costs, kept in pairs]

    def _check(self, found: dict[str, str], identity: dict[str, str]) -> None:
        if found.get("format") != FORMAT:
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
                    f"{self.path}: another run is writing to it; wait for its end, or name another run folder."
                ) from None
            raise self._unusable(error) from None
        except (sqlite3.Error, msgspec.DecodeError) as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> FileError:
        return FileError(f"{self.path}: not a journal that can be used ({error}); name another run folder.")


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
