"""Where a group is, as anybody can count it in the file: its signal over places, and the places that stand out."""

from typing import Any

from sfumato.core import DataError, ParameterError
from sfumato.groups.outliers import SIGNIFICANCE, outliers
from sfumato.groups.signals import KINDS, Group, concentration, quantity
from sfumato.web.questions.process.project_data import ProjectData, listed

MOST_PLACES = 2000


def group_signals(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    kind = str(arguments.get("signal") or "quantity")
    if kind not in KINDS:
        raise ParameterError(f"signal must be one of {', '.join(KINDS)}. Got {kind!r}.")
    group, table = _group(arguments), held.table
    places = group.places(table)
    if len(places.names) > MOST_PLACES:
        raise DataError(
            f"Column {group.parameter} has {len(places.names):,} values: choose one with at most {MOST_PLACES:,}."
        )
    signal = (quantity if kind == "quantity" else concentration)(table, group)
    found = outliers(signal, alpha=_significance(arguments))
    members = places.sums(group.members(table).astype(float))
    return {
        "group": {"vital": group.vital, "parameter": group.parameter},
        "signal": kind,
        "records": table.n,
        "members": int(members.sum()),
        "outliers": list(found.names),
        "signals": [
            {"place": place, "value": value, "records": int(records), "outlier": flag}
            for place, value, records, flag in zip(
                signal.places, signal.values, signal.records, found.flags, strict=True
            )
        ],
    }


def _group(arguments: dict[str, Any]) -> Group:
    vital, parameter = str(arguments.get("vital") or ""), str(arguments.get("parameter") or "")
    values = listed(arguments.get("values") or [])
    if not (vital and parameter and values):
        raise ParameterError("Say which values of which column make the group, and over what it is counted.")
    return Group(vital={vital: tuple(values)}, parameter=parameter)


def _significance(arguments: dict[str, Any]) -> float:
    try:
        return float(arguments.get("significance") or SIGNIFICANCE)
    except ValueError:
        raise ParameterError("significance must be a number between 0 and 1.") from None
