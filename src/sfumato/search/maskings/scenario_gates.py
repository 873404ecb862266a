"""What is required of a release against each intruder that a schema or a policy declares."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sfumato.core import DataError, SfumatoError, parameters
from sfumato.data import Schema
from sfumato.data.declarations import Scenario
from sfumato.measures.k_anonymity import KAnonymity
from sfumato.measures.risky_combinations import RiskyCombinations
from sfumato.search.maskings.gates import Gate


def gates_of_scenarios(schema: Schema) -> dict[str, tuple[Gate, ...]]:
    """The requirements of each scenario that has any."""
    found = {label: scenario_gates(label, one) for label, one in schema.scenarios.items()}
    return {label: gates for label, gates in found.items() if gates}


def scenario_gates(label: str, scenario: Scenario) -> tuple[Gate, ...]:
    """What one scenario requires: of what he knows, of each of the sets of columns he may know, or of any few of them.

    >>> str(scenario_gates("neighbour", Scenario(knows=("age", "sex"), require=("k >= 3",)))[0])
    'k_anonymity(scenario=neighbour).smallest >= 3'
    >>> str(scenario_gates("argus", Scenario(knows=("age", "sex", "job"), any=2, require=("k >= 3",)))[0])
    'risky_combinations(scenario=argus) <= 0'
    """
    try:
        return tuple(gate for text in scenario.require for gate in _gates(label, scenario, Gate.parse(text)))
    except SfumatoError as error:
        raise DataError(f"[scenarios.{label}]: {error}") from None


def _gates(label: str, scenario: Scenario, gate: Gate) -> Iterator[Gate]:
    if scenario.any:
        yield _of_any_few(label, scenario.any, gate)
    elif scenario.sets:
        for columns in scenario.sets:
            yield _knowing(gate, attributes=columns)
    else:
        yield _knowing(gate, scenario=label)


def _of_any_few(label: str, most: int, gate: Gate) -> Gate:
    """The rule of μ-Argus: in each combination of at most so many columns every record is like k."""
    measure = gate.measure
    if not isinstance(measure, KAnonymity) or gate.part != "smallest" or gate.comparison != ">=":
        raise DataError(f"any = {most} goes with a requirement like 'k >= 3'. Got {gate}.")
    few: Any = {"dimension": most, "k": int(gate.limit), "missing": measure.missing, "scenario": label}
    return Gate(RiskyCombinations(**few), "", "<=", 0.0)


def _knowing(gate: Gate, **known: Any) -> Gate:
    for name in known:
        if name not in parameters(type(gate.measure)):
            raise DataError(f"{gate.measure.name} cannot be told what an intruder knows ({name}).")
        if getattr(gate.measure, name):
            raise DataError(f"{gate}: what the intruder knows is said by the scenario; leave out {name}.")
    return Gate(replace(gate.measure, **known), gate.part, gate.comparison, gate.limit)
