"""What would help where no candidate meets what is required: tried on the candidate that comes nearest, and told with numbers."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sfumato.core import SfumatoError, parameters, progress
from sfumato.jobs._bench import Bench
from sfumato.jobs._policy import stand_in
from sfumato.masking import Generalisation, Masking
from sfumato.measures import Measure
from sfumato.search.maskings.candidates import Candidate
from sfumato.search.maskings.gates import Gate

MOST_KEYS = 12  # that are left out in turn
COARSER = ((10, 5.0), (25, 10.0), (100, 20.0))  # k and percent suppressed of files that are coarser


def remedies(gate: Gate, nearest: Candidate, bench: Bench) -> Iterator[str]:
    """What a gate that nobody meets would read if an intruder knew less, or if more were recoded and suppressed."""
    yield from _without_a_key(gate, nearest.masking, bench)
    yield from _coarser(gate, bench)


def _without_a_key(gate: Gate, masking: Masking, bench: Bench) -> Iterator[str]:
    """The key without which the nearest candidate does best; what takes long is told by what is quick."""
    keys = bench.table.schema.with_role("key")
    quick = stand_in(gate) or gate.measure
    if len(keys) < 2 or gate.measure.attributes or gate.measure.scenario:
        return
    readings = {}
    for key in keys[:MOST_KEYS]:
        fewer = _knowing(quick, tuple(name for name in keys if name != key))
        if fewer is not None:
            readings[key] = _reading(replace_measure(gate, fewer), masking, bench)
    known = {key: reading for key, reading in readings.items() if reading is not None}
    if known:
        better = max if gate.wants_more else min
        best = better(known, key=lambda key: known[key])
        met = " and be met" if gate.allows(known[best]) else ""
        by = " by the nearest record alone" if stand_in(gate) is not None else ""
        yield f"If the key {best} were left out, it would be {known[best]:.3g}{by}{met} ({masking.name})."


def _coarser(gate: Gate, bench: Bench) -> Iterator[str]:
    """The first of some ever coarser files that meets it, or what the coarsest reads."""
    keys = bench.table.schema.with_role("key")
    found = None
    for k, percent in COARSER:
        if k > bench.table.n:
            break
        masking = Generalisation(k=k, suppress=percent, attributes=keys)
        reading = _reading(gate, masking, bench)
        if reading is None:
            continue
        met = gate.allows(reading)
        progress.found(
            "remedy", {"gate": gate.in_words, "reading": reading, "met": met, "spec": masking.spec()}
        )
        found = (
            f"Recoding until {k} records are alike, with up to {percent:g} % of the records suppressed, "
            f"would bring it to {reading:.3g}{' and meet it' if met else ''}: --masking '{_written(masking)}'."
        )
        if met:
            break
    if found is not None:
        yield found


def _written(masking: Masking) -> str:
    return replace(masking, attributes=()).plain()


def replace_measure(gate: Gate, measure: Measure) -> Gate:
    return Gate(measure, gate.part, gate.comparison, gate.limit)


def _knowing(measure: Measure, names: Sequence[str]) -> Measure | None:
    """The measure against an intruder who knows these columns."""
    told: dict[str, Any] = {"knows" if "knows" in parameters(type(measure)) else "attributes": tuple(names)}
    with suppress(SfumatoError):
        return replace(measure, **told)
    return None


def _reading(gate: Gate, masking: Masking, bench: Bench) -> float | None:
    with suppress(SfumatoError):
        score = bench.score(gate.measure, masking)
        return None if score is None else gate.read({gate.label: score}).reading
    return None
