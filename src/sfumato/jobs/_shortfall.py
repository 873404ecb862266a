"""In words why no candidate may be released, and how far each requirement is off."""

from collections.abc import Iterable, Sequence

from sfumato.jobs._policy import Terms
from sfumato.search.maskings.candidates import Candidate
from sfumato.search.maskings.gates import Gate, GateReading


def shortfall(candidates: Sequence[Candidate], terms: Terms, asked: Iterable[GateReading]) -> str:
    """Why none of the candidates meets what is required.

    `asked` are the readings of what takes long, of the candidates that were asked for it.
    """
    quick = [gate.read(one.scores) for one in candidates for gate in terms.quick]
    readings = [*quick, *asked]
    of_each = {gate: [one for one in readings if one.gate == gate] for gate in terms.gates}
    if len(candidates) == 1:
        told = (f"{gate} (it reaches {best_of(gate, found):g})" for gate, found in of_each.items() if found)
        return f"The only candidate does not meet all of {', '.join(told)}; nothing was written."
    for gate, found in of_each.items():
        if found and not any(one.holds for one in found):
            best = best_of(gate, found)
            return f"None of {len(candidates)} candidates meets {gate}: the best reaches {best:g}; nothing was written."
    gates = ", ".join(map(str, terms.gates))
    return f"None of {len(candidates)} candidates meets all of {gates}; nothing was written."


def best_of(gate: Gate, readings: Iterable[GateReading]) -> float:
    values = [one.reading for one in readings]
    return max(values) if gate.wants_more else min(values)
