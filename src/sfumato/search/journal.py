"""The journal of a search: the outcomes of every generation, each written whole or not at all.

An optimiser is deterministic, so the outcomes it was told are all that is needed to bring it back to where it
was: a resumed run replays them, which takes no judging, and goes on. Of a generation that takes long, those
outcomes are written that are there, so that an end in its midst loses little.

The file is SQLite in write-ahead mode, with one transaction an entry: killing the process at any moment leaves the
entries that were finished. It belongs to one process as long as it is open. It is locked before it enters
write-ahead mode: only so can SQLite do without memory that processes share, which the file systems of networks do
not give. The lock is one of the operating system, so that it is gone with the process, however that ends, and holds
between machines where their common file system passes locks on.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec

from sfumato.core import FileError
from sfumato.core.private import private_file
from sfumato.search.contracts import Leg, Outcome

Stored = tuple[tuple[float, ...], tuple[int, ...], tuple[Leg, ...], Any]
"""Costs, which steps were kept, what the legs came to, and facts."""

SAYS = {
    "sfumato": "another version of sfumato",
    "seed": "another seed",
    "optimizer": "another optimiser or other parameters of it",
    "problem.metric": "other attributes, or another metric",
    "problem.file": "another file",
    "problem.start": "other starting files",
    "problem.attributes": "other attributes",
    "problem.fitness": "other measures",
    "problem.synthesis": "another synthesis",
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
TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
    "CREATE TABLE generations (number INTEGER PRIMARY KEY, seconds REAL, outcomes BLOB)",
    "CREATE TABLE parts (number INTEGER, seconds REAL, outcomes BLOB)",
)


class Journal:
    """The outcomes of a run, generation by generation.

    `identity` says of which run: a file that holds another one is refused, naming what differs.
    """

    format: ClassVar[str] = "3"

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        self.path = path
        with self._refusing():
            self._base = sqlite3.connect(private_file(path), isolation_level=None, timeout=0)
        try:
            with self._refusing():
                self._claim({"format": self.format, **_flat(identity)})
        except FileError:
            self._base.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self._base.close()

    def append(self, number: int, seconds: float, outcomes: Sequence[Outcome]) -> None:
        """Store a generation in one transaction."""
        blob = msgspec.msgpack.encode([_stored(outcome) for outcome in outcomes])
        with self._refusing():
            self._base.execute("INSERT INTO generations VALUES (?, ?, ?)", (number, seconds, blob))

    def append_part(self, number: int, seconds: float, outcomes: Mapping[int, Outcome]) -> None:
        """Store some outcomes of a generation that is under way, by their positions, in one transaction."""
        blob = msgspec.msgpack.encode({position: _stored(outcome) for position, outcome in outcomes.items()})
        with self._refusing():
            self._base.execute("INSERT INTO parts VALUES (?, ?, ?)", (number, seconds, blob))

    def generations(self) -> Iterator[tuple[float, list[Outcome]]]:
        """The seconds run when each stored generation was done, and its outcomes, from the first."""
        with self._refusing():
            rows = self._base.execute(
                "SELECT number, seconds, outcomes FROM generations ORDER BY number"
            ).fetchall()
            for expected, (number, seconds, blob) in enumerate(rows):
                if number != expected:
                    raise FileError(f"{self.path}: generation {expected} is missing; start a new run.")
                yield seconds, [_outcome(one) for one in msgspec.msgpack.decode(blob, type=list[Stored])]

    def parts(self, number: int) -> tuple[float, dict[int, Outcome]]:
        """The seconds run when the last part of a generation was stored, and its outcomes by their positions."""
        last, found = 0.0, dict[int, Outcome]()
        with self._refusing():
            rows = self._base.execute(
                "SELECT seconds, outcomes FROM parts WHERE number = ? ORDER BY rowid", (number,)
            ).fetchall()
            for seconds, blob in rows:
                last, part = seconds, msgspec.msgpack.decode(blob, type=dict[int, Stored])
                found |= {position: _outcome(one) for position, one in part.items()}
        return last, found

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


def _stored(outcome: Outcome) -> Stored:
    return outcome.costs, outcome.kept, outcome.legs, outcome.facts


def _outcome(stored: Stored) -> Outcome:
    costs, kept, legs, facts = stored
    return Outcome(costs, kept, legs, facts=facts)
