"""Describing a table before anything is done to it: quality of each column, and what an intruder sees."""

import itertools
from typing import Any, ClassVar

import numpy as np

from sfumato.core import Result
from sfumato.data import Table
from sfumato.kernels.distinct_records import distinct

LARGEST_COMBINATION = 3
COMBINATIONS_SHOWN = 10
PLACEHOLDERS = (-9, -99, -999, -9999, 99, 999, 9999, 99999)


class ColumnProfile(Result):
    """What a column holds, in counts and statistics."""

    name: str
    scale: str
    role: str
    missing: float
    distinct: int
    summary: str
    notes: tuple[str, ...]


class CombinationProfile(Result):
    """How far some key attributes together single people out."""

    attributes: tuple[str, ...]
    uniques: float
    below_3: float
    below_5: float
    smallest: int


class Profile(Result):
    """A table seen by its owner: columns, and the risk that the key attributes carry as they are."""

    drawn_by: ClassVar[str] = "key_risks"

    records: int
    columns: tuple[ColumnProfile, ...]
    keys: CombinationProfile | None
    riskiest: tuple[CombinationProfile, ...]

    def _rows(self) -> list[dict[str, Any]]:
        return [column.to_dict() for column in self.columns]


def describe(table: Table) -> Profile:
    """Profile a table.

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> people = table_from_frame(pa.table({"age": ["31", "31", "80"], "sex": ["f", "f", "m"]}))
    >>> profile = describe(people)
    >>> round(profile.keys.uniques, 1), profile.keys.smallest
    (33.3, 1)
    """
    names = table.schema.with_role("key")
    keys = combination_profile(table, names) if names and table.n else None
    return Profile(
        records=table.n,
        columns=tuple(column_profile(table, name) for name in table.names),
        keys=keys,
        riskiest=riskiest_combinations(table, names) if table.n else (),
    )


def combination_profile(table: Table, names: tuple[str, ...]) -> CombinationProfile:
    """How many records share their values of these attributes with few others or with nobody."""
    classes = distinct([table[name] for name in names])
    sizes = classes.counts[classes.labels]
    return CombinationProfile(
        attributes=names,
        uniques=100 * float(np.mean(sizes == 1)),
        below_3=100 * float(np.mean(sizes < 3)),
        below_5=100 * float(np.mean(sizes < 5)),
        smallest=int(sizes.min()),
    )


def riskiest_combinations(table: Table, names: tuple[str, ...]) -> tuple[CombinationProfile, ...]:
    """The single keys, pairs and triples that single out most records."""
    found = [
        combination_profile(table, chosen)
        for size in range(1, min(LARGEST_COMBINATION, len(names)) + 1)
        for chosen in itertools.combinations(names, size)
    ]
    found.sort(key=lambda profile: (-profile.uniques, len(profile.attributes)))
    return tuple(profile for profile in found[:COMBINATIONS_SHOWN] if profile.below_5 > 0)


def column_profile(table: Table, name: str) -> ColumnProfile:
    """Counts, a short summary and doubts about one column."""
    attribute, values = table.schema[name], table[name]
    missing = table.missing(name)
    present = values[~missing]
    distinct = len(np.unique(present))
    return ColumnProfile(
        name=name,
        scale=attribute.scale,
        role=attribute.role,
        missing=100 * float(missing.mean()) if table.n else 0.0,
        distinct=distinct,
        summary=_numbers_in_short(present) if attribute.is_numeric else f"{attribute.domain_size} categories",
        notes=tuple(_doubts(table, name, present, distinct)),
    )


def _numbers_in_short(present: np.ndarray) -> str:
    if len(present) == 0:
        return ""
    low, median, high = np.quantile(present, [0, 0.5, 1])
    return f"{low:g} … {median:g} … {high:g}"


def _doubts(table: Table, name: str, present: np.ndarray, distinct: int) -> list[str]:
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
