"""The records at greatest risk, for their owner alone: what singles each out, its household, and where the risk comes from."""

from typing import Any

import numpy as np

from sfumato.measures.listings import riskiest
from sfumato.measures.suda2 import BoundSuda2, Suda2
from sfumato.web.questions.process.project_data import ProjectData
from sfumato.web.questions.risk import MOST_KEYS

SHOWN = 50  # records
CATEGORIES = 15  # that have the greatest part in the risk


def at_risk(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    """The riskiest records by their place in the file, the greatest risk first; no value of any is told."""
    table, names = held.table, held.keys(arguments)[:MOST_KEYS]
    found: dict[str, Any] = {"records": table.n, "keys": names}
    if not names or not table.n:
        return {**found, "riskiest": [], "contributions": [], "attributes": {}, "households": False}
    households = table.schema.with_role("household")
    suda = BoundSuda2(Suda2(), table, names)
    parts = suda.score(table).parts
    records = riskiest(table, table, count=min(SHOWN, table.n), attributes=names).records
    sizes = _members(table[households[0]]) if households else np.ones(table.n, int)
    return {
        **found,
        "households": bool(households),
        "singled_out": parts["special_uniques"],
        "riskiest": [{**one._asdict(), "members": int(sizes[one.record - 1])} for one in records],
        "attributes": {name: parts[name] for name in names},
        "contributions": _greatest(suda.contributions(table).percents),
    }


def _members(households: np.ndarray) -> np.ndarray:
    """How many records the household of each record has."""
    _, labels, counts = np.unique(households, return_inverse=True, return_counts=True)
    found: np.ndarray = counts[labels]
    return found


def _greatest(percents: dict[str, dict[str, float]]) -> list[dict[str, Any]]:
    every = [
        (percent, attribute, category)
        for attribute, shares in percents.items()
        for category, percent in shares.items()
    ]
    return [
        {"attribute": attribute, "category": category, "percent": percent}
        for percent, attribute, category in sorted(every, key=lambda one: -one[0])[:CATEGORIES]
    ]
