"""Intervals of a column of numbers before they are taken: how many records each holds and what it releases.

The `cuts` are given, or asked for as so many ("count") of equal width ("widths") or of equally many records ("records").
"""

from typing import Any

import numpy as np

from sfumato.core import DataError
from sfumato.data import Attribute, Table
from sfumato.masking import Intervals
from sfumato.web.questions._hand_work import asked_hand, hand_work
from sfumato.web.questions.process.project_data import ProjectData

MOST = 200  # intervals
DIGITS = 2  # of the width of equal intervals


def intervals(held: ProjectData, arguments: dict[str, Any]) -> dict[str, Any]:
    work = hand_work(held, asked_hand(arguments))
    table, name = work.table, str(arguments.get("column", ""))
    attribute = table.schema[name]
    if not attribute.is_numeric:
        raise DataError(f"Column {name} holds no numbers.")
    cuts = _asked_cuts(table, attribute, arguments)
    if not cuts:
        return {"cuts": [], "rows": []}
    step = Intervals(cuts=tuple(cuts), value=str(arguments.get("value", "middle")), attributes=(name,))
    return {"cuts": cuts, "rows": _rows(step, table, name)}


def _rows(step: Intervals, table: Table, name: str) -> list[dict[str, Any]]:
    values = table[name][~table.missing(name)]
    counts = np.bincount(step.placed(values), minlength=len(step.cuts) + 1)
    shown = step.released(table, name)
    starts, ends = (None, *step.cuts), (*step.cuts, None)
    return [
        {"from": start, "below": end, "share": 100 * int(count) / max(table.n, 1), "shown": float(number)}
        for start, end, count, number in zip(starts, ends, counts, shown, strict=True)
    ]


def _asked_cuts(table: Table, attribute: Attribute, arguments: dict[str, Any]) -> list[float]:
    way = str(arguments.get("by", ""))
    if not way:
        return sorted({float(cut) for cut in arguments.get("cuts", ())})
    count = int(arguments.get("count", 0))
    if not 2 <= count <= MOST:
        raise DataError(f"Say how many intervals there shall be: from 2 to {MOST}.")
    values = table[attribute.name][~table.missing(attribute.name)]
    if not len(values):
        return []
    found = _of_equal_width(values, count) if way == "widths" else _of_equal_numbers(values, count)
    decimals = attribute.decimals if attribute.decimals is not None else 6
    cuts = sorted({float(cut) for cut in np.round(found, decimals)})
    return [cut for cut in cuts if values.min() < cut <= values.max()]


def _of_equal_width(values: np.ndarray, count: int) -> np.ndarray:
    """Cuts at multiples of a round width, from the first within the numbers on, that few very large ones do not stretch."""
    low, high = np.quantile(values, [0.01, 0.99])
    width = float(high - low) / count or 1.0
    unit = 10.0 ** (np.floor(np.log10(width)) - DIGITS + 1)
    width = max(round(width / unit), 1) * unit
    start = np.floor(low / width) * width
    found: np.ndarray = start + width * np.arange(1, count)
    return found


def _of_equal_numbers(values: np.ndarray, count: int) -> np.ndarray:
    """Cuts at values, between which there are as equally many records as can be."""
    found: np.ndarray = np.quantile(values, np.arange(1, count) / count, method="higher")
    return found
