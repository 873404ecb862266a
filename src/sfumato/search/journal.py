"""The journal of a search: the outcomes of every generation, each written whole or not at all.

An optimiser is deterministic, so the outcomes it was told are all that is needed to bring it back to where it
was: a resumed run replays them, which takes no judging, and goes on. A journal is an SQLite file in
write-ahead mode with one transaction a generation; killing the process at any moment leaves the generations
that were finished.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import msgspec

from sfumato.core import FileError
from sfumato.search.contracts import Outcome

FORMAT = "1"
SAYS = {
    "sfumato": "version of sfumato",
    "problem": "file or other measures",
    "optimizer": "optimiser or other parameters",
    "seed": "seed",
}


class Journal:
    """The outcomes of a run, generation by generation.

    `identity` says what run it is. A file that holds another run is refused, naming what differs.
    """

    def __init__(self, path: Path, identity: dict[str, Any]) -> None:
        self.path = path
        with self._reading():
            self._open(json.loads(json.dumps(identity)))

    def _open(self, identity: dict[str, Any]) -> None:
        self._base = sqlite3.connect(self.path, isolation_level=None)
        self._base.execute("PRAGMA journal_mode=WAL")
        self._base.execute("PRAGMA synchronous=NORMAL")
        self._base.execute("BEGIN IMMEDIATE")
        self._base.execute("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT)")
        self._base.execute(
            "CREATE TABLE IF NOT EXISTS generations (number INTEGER PRIMARY KEY, seconds REAL, outcomes BLOB)"
        )
        found = dict(self._base.execute("SELECT key, value FROM meta"))
        if not found:
            rows = {
                "format": FORMAT,
                **{key: json.dumps(value, sort_keys=True) for key, value in identity.items()},
            }
            self._base.executemany("INSERT INTO meta VALUES (?, ?)", rows.items())
        self._base.execute("COMMIT")
        if found:
            self._check(found, identity)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self._base.close()

    def append(self, number: int, seconds: float, outcomes: Sequence[Outcome]) -> None:
        """Store a generation in one transaction."""
        blob = msgspec.msgpack.encode([(outcome.costs, outcome.kept) for outcome in outcomes])
        with self._reading():
            self._base.execute("INSERT INTO generations VALUES (?, ?, ?)", (number, seconds, blob))

    def generations(self) -> Iterator[tuple[float, list[Outcome]]]:
        """The seconds run when each stored generation was done, and its outcomes, from the first."""
        with self._reading():
            rows = self._base.execute(
                "SELECT number, seconds, outcomes FROM generations ORDER BY number"
            ).fetchall()
            for expected, (number, seconds, blob) in enumerate(rows):
                if number != expected:
                    raise FileError(f"{self.path}: generation {expected} is missing; start a new run.")
                pairs = msgspec.msgpack.decode(blob, type=list[tuple[tuple[float, ...], tuple[int, ...]]])
                yield seconds, [Outcome(costs, kept) for costs, kept in pairs]

    def _check(self, found: dict[str, str], identity: dict[str, Any]) -> None:
        if found.get("format") != FORMAT:
            raise FileError(
                f"{self.path}: written in another format; resume it with the version that made it."
            )
        for key, value in identity.items():
            if found.get(key) != json.dumps(value, sort_keys=True):
                raise FileError(
                    f"{self.path}: holds a run with another {SAYS.get(key, key)}; "
                    "name another run folder, or resume with what it was started with."
                )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, msgspec.DecodeError) as error:
            raise FileError(
                f"{self.path}: not a journal that can be used ({error}); name another run folder."
            ) from None
