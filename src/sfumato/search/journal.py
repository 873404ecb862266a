"""The journal of a search: the outcomes of every generation, each written whole or not at all.

An optimiser is deterministic, so the outcomes it was told are all that is needed to bring it back to where it
was: a resumed run replays them, which takes no judging, and goes on.
"""

from collections.abc import Iterator, Sequence

import msgspec

from sfumato.core import FileError
from sfumato.search.contracts import Leg, Outcome
from sfumato.search.run_file import RunFile

Stored = tuple[tuple[float, ...], tuple[int, ...], tuple[Leg, ...]]
"""Costs, which steps were kept, and what the legs came to."""


class Journal(RunFile):
    """The outcomes of a run, generation by generation."""

    format = "2"
    tables = ("CREATE TABLE generations (number INTEGER PRIMARY KEY, seconds REAL, outcomes BLOB)",)

    def append(self, number: int, seconds: float, outcomes: Sequence[Outcome]) -> None:
        """Store a generation in one transaction."""
        blob = msgspec.msgpack.encode([(one.costs, one.kept, one.legs) for one in outcomes])
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
                stored = msgspec.msgpack.decode(blob, type=list[Stored])
                yield seconds, [Outcome(costs, kept, legs) for costs, kept, legs in stored]
