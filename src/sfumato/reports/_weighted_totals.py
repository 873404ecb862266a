"""Weighted totals before and after: what the file is mostly used for, where its records stand for many people."""

from typing import Any

import numpy as np

from sfumato.data import Table
from sfumato.jobs import Protection, ReleasedFile

TOTALLED = ("key", "confidential", "other")
SMALLEST = 5  # values; a total of fewer would tell of single records


def weighted_totals(p: ReleasedFile) -> list[dict[str, Any]]:
    """How many people the records stand for, and the total of each number over them; none of a file that stays on disk."""
    weights = [name for name in p.original.schema.with_role("weight") if name in p.aligned]
    if not weights or (isinstance(p, Protection) and p.whole is not None):
        return []
    names = [
        one.name
        for one in p.original.schema
        if one.is_numeric and not one.is_moment and one.role in TOTALLED and one.name in p.aligned
    ]
    known = [name for name in names if int((~p.original.missing(name)).sum()) >= SMALLEST]
    return [
        _row(name, _total(p.original, weights[0], name), _total(p.aligned, weights[0], name))
        for name in ("", *known)
    ]


def _total(table: Table, weight: str, name: str) -> float:
    """The sum of the weights, each times the value of a column if one is named; what is missing is in no total."""
    weights = table[weight]
    return float(np.nansum(weights * table[name] if name else weights))


def _row(name: str, before: float, after: float) -> dict[str, Any]:
    change = 100 * (after - before) / abs(before) if before else None
    return {"name": name, "before": before, "after": after, "change": change}
