"""In words why no candidate may be released, how far off each requirement is, and what would help."""

from collections.abc import Sequence

from sfumato.jobs._choice import Contest, Finalist
from sfumato.jobs._remedies import remedies
from sfumato.search.maskings.candidates import Candidate
from sfumato.search.maskings.gates import Gate, GateReading
from sfumato.search.maskings.short_names import without_columns

Read = tuple[GateReading, Candidate]


def shortfall(contest: Contest, asked: Sequence[Finalist]) -> str:
    """Why none of the candidates meets what is required: how near the nearest comes, and what would help it."""
    readings = _readings(contest, asked)
    if len(contest.candidates) == 1:
        return _of_one(contest, readings)
    count = len(contest.candidates)
    for gate, found in readings.items():
        if found and not any(one.holds for one, _ in found):
            best, nearest = nearest_of(gate, found)
            helps = " ".join(remedies(gate, nearest, contest.bench))
            return (
                f"None of {count} candidates meets {gate}: the best reaches {best.reading:g}; nothing was written. "
                f"The nearest is {without_columns(nearest.masking)}. {helps}"
            ).rstrip()
    gates = ", ".join(map(str, contest.terms.gates))
    return f"None of {count} candidates meets all of {gates}; nothing was written. {_each(readings)}"


def _readings(contest: Contest, asked: Sequence[Finalist]) -> dict[Gate, list[Read]]:
    """What is known of each requirement: of every candidate what is quick, of those that were asked the rest."""
    found: dict[Gate, list[Read]] = {gate: [] for gate in contest.terms.gates}
    for one in contest.candidates:
        for gate in contest.terms.quick:
            found[gate].append((gate.read(one.scores), one))
        for reading in contest.seen_to_fail(one):
            found[reading.gate].append((reading, one))
        for gate in contest.terms.dear if not one.masking.of_people else ():
            if gate.asks_whom:
                found[gate].append((GateReading(gate=gate, reading=0.0, holds=True), one))
    for finalist in asked:
        for reading in finalist.gates:
            if reading.gate.is_dear:
                found[reading.gate].append((reading, finalist.candidate))
    return found


def _of_one(contest: Contest, readings: dict[Gate, list[Read]]) -> str:
    told = [f"{gate} (it reaches {found[0][0].reading:g})" for gate, found in readings.items() if found]
    text = f"The only candidate does not meet all of {', '.join(told)}; nothing was written."
    failed = [gate for gate, found in readings.items() if found and not found[0][0].holds]
    helps = (line for gate in failed for line in remedies(gate, contest.candidates[0], contest.bench))
    return " ".join([text, *helps])


def _each(readings: dict[Gate, list[Read]]) -> str:
    """Of each requirement the candidate that does best by it, and what it reads of the others."""
    told = []
    for gate, found in readings.items():
        if found:
            best, nearest = nearest_of(gate, found)
            others = [
                f"{other} is {one.reading:g}"
                for other, all_read in readings.items()
                for one, candidate in all_read
                if other != gate and candidate is nearest
            ]
            beside = f", where {', '.join(dict.fromkeys(others))}" if others else ""
            told.append(
                f"{gate}: the best reaches {best.reading:g} by {without_columns(nearest.masking)}{beside}."
            )
    return " ".join(told)


def nearest_of(gate: Gate, found: Sequence[Read]) -> Read:
    better = max if gate.wants_more else min
    return better(found, key=lambda one: one[0].reading)
