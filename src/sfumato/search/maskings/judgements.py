"""The judgements of a portfolio, kept in a file, so that one that was cut off does not start over.

A candidate is known by its spec and the part of the keys it was judged on. Where it stands in the list, and on
how many workers it was judged, does not matter.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from sfumato.masking import Masking
from sfumato.measures import Score
from sfumato.search.maskings.candidates import Candidate, Judge
from sfumato.search.run_file import RunFile, run_folder
from sfumato.version import __version__

JUDGEMENTS = "judgements.sqlite"

Number = int | float
Kept = tuple[float, dict[str, tuple[Number, dict[str, Number], float]]]
"""The seconds it took, and value, parts and seconds by measure."""


class Judgements(RunFile):
    """What judges said of maskings: a candidate, or the reason why it was left out."""

    format = "1"
    tables = ("CREATE TABLE judgements (candidate TEXT PRIMARY KEY, judgement BLOB)",)

    def keep(self, part: str, masking: Masking, outcome: Candidate | str) -> None:
        """Store a judgement in one transaction."""
        blob = msgspec.msgpack.encode(outcome if isinstance(outcome, str) else _kept(outcome))
        with self._refusing():
            self._base.execute("INSERT OR REPLACE INTO judgements VALUES (?, ?)", (_key(part, masking), blob))

    def recall(self, part: str, masking: Masking) -> Candidate | str | None:
        """The judgement that was stored; nothing if there is none."""
        with self._refusing():
            rows = self._base.execute(
                "SELECT judgement FROM judgements WHERE candidate = ?", (_key(part, masking),)
            ).fetchall()
            return _recalled(masking, rows[0][0]) if rows else None


def judgements(folder: Path, judges: Mapping[str, Judge]) -> Judgements:
    """The judgements in the folder of a run by these judges."""
    whole = judges["all"]
    identity = {
        "sfumato": __version__,
        "seed": whole.seed,
        "problem": {
            "file": whole.original.fingerprint,
            "attributes": list(whole.original.schema.with_role("key")),
            "fitness": [measure.spec() for measure in whole.measures.values()],
        },
    }
    return Judgements(run_folder(folder) / JUDGEMENTS, identity)


def _key(part: str, masking: Masking) -> str:
    return json.dumps([part, masking.spec()], sort_keys=True)


def _kept(candidate: Candidate) -> Kept:
    scores = {
        name: (_number(s.value), {part: _number(value) for part, value in s.parts.items()}, s.seconds)
        for name, s in candidate.scores.items()
    }
    return candidate.seconds, scores


def _number(value: Any) -> Number:
    """A number of Python's own, whole if it is one, so that a record reads the same."""
    found: Number = value.item() if isinstance(value, np.generic) else value
    return found


def _recalled(masking: Masking, blob: bytes) -> Candidate | str:
    found: Any = msgspec.msgpack.decode(blob, type=Kept | str)
    if isinstance(found, str):
        return found
    seconds, kept = found
    scores = {
        name: Score(measure=name, value=value, parts=parts, seconds=took)
        for name, (value, parts, took) in kept.items()
    }
    return Candidate(masking=masking, scores=scores, seconds=seconds)
