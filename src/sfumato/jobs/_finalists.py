"""Which candidates may be released where loss and risk are balanced, the most promising first."""

from collections.abc import Sequence

import numpy as np

from sfumato.core import DataError
from sfumato.jobs._verdict import Verdict
from sfumato.search.maskings.candidates import Candidate
from sfumato.search.maskings.gates import Gate, GateReading

Prospects = tuple[bool, float, float]


def finalists(candidates: Sequence[Candidate], gates: Sequence[Gate], score: str) -> list[Candidate]:
    """The candidates that meet every gate, the most promising first; ties go to the earlier one.

    By the verdict these are methods that leave nobody's record in the file, then the best balanced.
    """
    if not candidates:
        raise DataError("No method of the portfolio could be applied to this table; see the notes.")
    allowed = [c for c in candidates if all(gate.holds(c.scores) for gate in gates)]
    return sorted(allowed, key=lambda candidate: prospects(candidate, score))


def prospects(candidate: Candidate, score: str) -> Prospects:
    """What orders candidates: whether records are people's, where the verdict decides, and the balance."""
    is_of_people = score == "verdict" and candidate.masking.of_people
    return is_of_people, candidate.score(balance_of(score)), candidate.score("mean")


def balance_of(score: str) -> str:
    """The balance of loss and risk that goes with what decides.

    >>> balance_of("mean"), balance_of("verdict")
    ('mean', 'max')
    """
    return "mean" if score == "mean" else "max"


def loss_of(verdict: Verdict) -> float:
    return verdict.loss.value if verdict.loss is not None else np.inf


def unmet(readings: Sequence[GateReading]) -> str:
    """The gates that do not hold, each with the best that was reached."""
    best: dict[Gate, float] = {}
    for found in readings:
        if not found.holds:
            better = max if found.gate.wants_more else min
            best[found.gate] = better(best.get(found.gate, found.reading), found.reading)
    return ", ".join(f"{gate} (it reaches {reading:g})" for gate, reading in best.items())
