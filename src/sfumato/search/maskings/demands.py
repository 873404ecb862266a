"""Demands: what requirements ask of the parameters of methods, so that a method is tried with the very k that is wanted."""

from collections.abc import Iterable, Iterator, Mapping
from math import ceil
from typing import Any

from sfumato.core import GateError, parameters
from sfumato.masking import Masking
from sfumato.measures.k_anonymity import KAnonymity
from sfumato.measures.l_diversity import LDiversity
from sfumato.measures.t_closeness import TCloseness
from sfumato.search.maskings.gates import Gate

Demands = dict[str, Any]


def demands(gates: Iterable[Gate]) -> Demands:
    """The k, l and t that requirements name, the strictest of each; and how missing values are read by all of them.

    >>> demands([Gate.parse("k >= 5"), Gate.parse("k(missing=any) >= 3"), Gate.parse("loss <= 3")])
    {'k': 5}
    >>> demands([Gate.parse("k(missing=any) > 3"), Gate.parse("t_closeness.largest <= 20")])
    {'k': 4, 't': 0.2, 'missing': 'any'}
    """
    found: Demands = {}
    readings = set()
    for gate in gates:
        measure = gate.measure
        if isinstance(measure, KAnonymity) and (k := _least(gate, measure.k)):
            found["k"] = max(found.get("k", 1), ceil(k))
            readings.add(measure.missing)
        elif isinstance(measure, LDiversity) and (least := _least(gate, measure.l)):
            found |= {"l": max(found.get("l", 1.0), float(least)), "variant": measure.variant}
        elif isinstance(measure, TCloseness) and gate.part == "largest" and not gate.wants_more:
            found["t"] = min(found.get("t", 1.0), gate.limit / 100)
    return {**found, "missing": "any"} if readings == {"any"} else found


def _least(gate: Gate, of_all: float) -> float:
    """What the smallest class must have: as a limit of it, or where no record may be in one that has less."""
    if gate.part == "smallest" and gate.wants_more:
        return gate.limit + (gate.comparison == ">")
    return of_all if not gate.part and gate.comparison == "<=" and gate.limit == 0 else 0.0


def check_reachable(gates: Iterable[Gate], records: int) -> None:
    """Refuse what so few records can never meet."""
    for gate in gates:
        if isinstance(gate.measure, KAnonymity) and _least(gate, gate.measure.k) > records:
            raise GateError(
                f"{gate} cannot be met: the table has only {records} records; nothing was written."
            )


def over_all_keys(gates: Iterable[Gate]) -> bool:
    """Whether k is asked of all keys together, so that masking some of them apart from the others cannot reach it."""
    return any(
        isinstance(gate.measure, KAnonymity)
        and _least(gate, gate.measure.k) > 1
        and not gate.measure.attributes
        and not gate.measure.scenario
        for gate in gates
    )


def demanded(
    method: type[Masking], settings: Iterable[Mapping[str, Any]], asked: Demands
) -> Iterator[dict[str, Any]]:
    """The settings of a method as demanded, each once; a method that makes no groups of like records is not asked."""
    known = parameters(method)
    able = {name: value for name, value in asked.items() if name in known}
    able = {
        name: value for name, value in able.items() if not known[name].choices or value in known[name].choices
    }
    if not method.k_anonymous or not able:
        yield from map(dict, settings)
        return
    seen: list[dict[str, Any]] = []
    for setting in settings:
        one = {**setting, **able}
        if one not in seen:
            seen.append(one)
            yield one
