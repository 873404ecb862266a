"""How the missing codes of an attribute are spelled in the cells of a statistics file."""

from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.data.attribute import Attribute

LONGEST_SPSS_TEXT = 8
MOST_SPSS_CODES = 3


@dataclass(frozen=True)
class Spelling:
    """For each code the cell that stands for it, and what the file declares; codes left out are lost."""

    cells: dict[str, Any] = field(default_factory=dict)
    declared: list[Any] = field(default_factory=list)
    renamed: bool = False


def spelling(attribute: Attribute, values: pa.Array, suffix: str) -> Spelling:
    """The spelling of an attribute's codes beside these values, in the format of a suffix.

    >>> age = Attribute(name="age", scale="numeric", missing=("-9", "-8"))
    >>> spelling(age, pa.array([31.0]), ".sav").declared
    [-9.0, -8.0]
    >>> spelling(age, pa.array([31.0]), ".dta").cells
    {'-9': 'a', '-8': 'b'}
    """
    numeric = pa.types.is_floating(values.type)
    if not numeric and not pa.types.is_string(values.type):
        return Spelling()
    if suffix == ".dta" and numeric:
        return Spelling(_letters(attribute.missing), renamed=True)
    if suffix in (".dta", ".xpt"):
        return Spelling({} if numeric else {code: code for code in attribute.missing})
    return _spss_numbers(attribute, values) if numeric else _spss_texts(attribute.missing)


def _letters(codes: tuple[str, ...]) -> dict[str, str]:
    """A letter for each code: its own for .a to .z, the next free one for any other."""
    own = {
        code: code[1] for code in codes if len(code) == 2 and code[0] == "." and code[1] in ascii_lowercase
    }
    free = [letter for letter in ascii_lowercase if letter not in own.values()]
    others = [code for code in codes if code not in own]
    return {**own, **dict(zip(others, free, strict=False))}


def _spss_texts(codes: tuple[str, ...]) -> Spelling:
    kept = [code for code in codes if len(code.encode()) <= LONGEST_SPSS_TEXT][:MOST_SPSS_CODES]
    return Spelling({code: code for code in kept}, kept)


def _spss_numbers(attribute: Attribute, values: pa.Array) -> Spelling:
    numbers = {code: number for code in attribute.missing if (number := _number(code)) is not None}
    codes = list(numbers.values())
    if len(codes) <= MOST_SPSS_CODES:
        return Spelling(dict(numbers), list(codes))
    taken = np.asarray(values.drop_null(), dtype=float)
    domain = [number for text in attribute.categories if (number := _number(text)) is not None]
    low, *middle, high = sorted(codes)
    candidates: list[tuple[float, float, list[float]]] = [
        (low, high, []),
        (middle[0], high, [low]),
        (low, middle[-1], [high]),
    ]
    for lo, hi, alone in candidates:
        if not np.any((np.array([*taken, *domain]) >= lo) & (np.array([*taken, *domain]) <= hi)):
            return Spelling(dict(numbers), [{"lo": lo, "hi": hi}, *alone])
    kept = dict(list(numbers.items())[:MOST_SPSS_CODES])
    return Spelling(dict(kept), list(kept.values()))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
