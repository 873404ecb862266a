"""The journal of a search: the outcomes of every generation, each written whole or not at all.

An optimiser is deterministic, so the outcomes it was told are all that is needed to bring it back to where it
was: a resumed run replays them, which takes no judging, and goes on. Of a generation that takes long, those
outcomes are written that are there, so that an end in its midst loses little.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from sfumato.core import FileError
from sfumato.search.contracts import Leg, Outcome
from sfumato.search.run_file import RunFile

Stored = tuple[tuple[float, ...], tuple[int, ...], tuple[Leg, ...], Any]
"""Costs, which steps were kept, what the legs came to, and facts."""


class Journal(RunFile):
    """The outcomes of a run, generation by generation."""

    format = "3"
    tables = (
        "CREATE TABLE generations (number INTEGER PRIMARY KEY, seconds REAL, outcomes BLOB)",
        "CREATE TABLE parts (number INTEGER, seconds REAL, positions BLOB, outcomes BLOB)",
    )

    def append(self, number: int, seconds: float, outcomes: Sequence[Outcome]) -> None:
        """Store a generation in one transaction."""
        with self._refusing():
            self._base.execute("INSERT INTO generations VALUES (?, ?, ?)", (number, seconds, _blob(outcomes)))

    def append_part(self, number: int, seconds: float, outcomes: Mapping[int, Outcome]) -> None:
        """Store some outcomes of a generation that is under way, by their positions, in one transaction."""
        positions = msgspec.msgpack.encode(list(outcomes))
        row = (number, seconds, positions, _blob([*outcomes.values()]))
        with self._refusing():
            self._base.execute("INSERT INTO parts VALUES (?, ?, ?, ?)", row)

    def parts(self, number: int) -> tuple[float, dict[int, Outcome]]:
        """The seconds run when the last part of a generation was stored, and its outcomes by their positions."""
        last, found = 0.0, dict[int, Outcome]()
        with self._refusing():
            rows = self._base.execute(
                "SELECT seconds, positions, outcomes FROM parts WHERE number = ? ORDER BY rowid", (number,)
            ).fetchall()
            for seconds, positions, blob in rows:
                places = msgspec.msgpack.decode(positions, type=list[int])
                last, found = seconds, found | dict(zip(places, _outcomes(blob), strict=True))
        return last, found

    def generations(self) -> Iterator[tuple[float, list[Outcome]]]:
        """The seconds run when each stored generation was done, and its outcomes, from the first."""
        with self._refusing():
            rows = self._base.execute(
                "SELECT number, seconds, outcomes FROM generations ORDER BY number"
            ).fetchall()
            for expected, (number, seconds, blob) in enumerate(rows):
                if number != expected:
                    raise FileError(f"{self.path}: generation {expected} is missing; start a new run.")
                yield seconds, _outcomes(blob)


def _blob(outcomes: Sequence[Outcome]) -> bytes:
    return msgspec.msgpack.encode([(one.costs, one.kept, one.legs, one.facts) for one in outcomes])


def _outcomes(blob: bytes) -> list[Outcome]:
    stored = msgspec.msgpack.decode(blob, type=list[Stored])
    return [Outcome(costs, kept, legs, facts=facts) for costs, kept, legs, facts in stored]
