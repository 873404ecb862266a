"""What looks wrong about a column, as questions to its owner."""

import numpy as np

from sfumato.data import Table

PLACEHOLDERS = (-9, -99, -999, -9999, 99, 999, 9999, 99999)


def column_doubts(table: Table, name: str, present: np.ndarray, distinct: int) -> list[str]:
    attribute = table.schema[name]
    doubts = []
    if table.n and len(present) == 0:
        doubts.append("all values are missing")
    elif table.n > 1 and distinct == 1:
        doubts.append("all values are the same")
    if attribute.is_numeric:
        doubts += [f"is {code} a missing code?" for code in PLACEHOLDERS if _stands_apart(present, code)]
    else:
        trimmed = {category.strip().casefold() for category in attribute.categories}
        if len(trimmed) < attribute.domain_size:
            doubts.append("some categories differ only in spaces or capitals")
    return doubts


def _stands_apart(present: np.ndarray, code: int) -> bool:
    """Whether a typical placeholder occurs more than once, far outside the range of the other values."""
    same = present == code
    others = present[~same]
    if same.sum() < 2 or len(others) == 0:
        return False
    low, high = others.min(), others.max()
    return bool((code < low and low >= 0) or code > high + 2 * (high - low))
