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
        "CREATE TABLE parts (number INTEGER, seconds REAL, outcomes BLOB)",
    )

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


def _stored(outcome: Outcome) -> Stored:
    return outcome.costs, outcome.kept, outcome.legs, outcome.facts


def _outcome(stored: Stored) -> Outcome:
    costs, kept, legs, facts = stored
    return Outcome(costs, kept, legs, facts=facts)
