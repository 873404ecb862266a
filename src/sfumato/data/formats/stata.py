"""Stata files, which keep labels of whole numbers, and missing codes as .a to .z."""

from string import ascii_lowercase

import pyarrow as pa

from sfumato.data.attribute import Attribute
from sfumato.data.formats._statistics import Spelling, StatisticsFormat

LARGEST_LABELLED = 2**31 - 28  # the integers above are missing values


class Stata(StatisticsFormat):
    """Files of Stata.

    >>> age = Attribute(name="age", scale="numeric", missing=("-9", "-8"))
    >>> Stata().spelling(age, pa.array([31.0])).cells
    {'-9': 'a', '-8': 'b'}
    """

    suffixes = (".dta",)
    package = "Stata"
    reader = "read_dta"
    writer = "write_dta"
    missing_option = "missing_user_values"

    def spelling(self, attribute: Attribute, values: pa.Array) -> Spelling:
        """A letter for each code of a number; texts as they are."""
        if pa.types.is_floating(values.type):
            return Spelling(_letters(attribute.missing), renamed=True)
        return Spelling({code: code for code in attribute.missing})

    def label_key(self, number: float) -> float | None:
        return int(number) if number.is_integer() and abs(number) < LARGEST_LABELLED else None


def _letters(codes: tuple[str, ...]) -> dict[str, str]:
    """A letter for each code: its own for .a to .z, the next free one for any other."""
    own = {
        code: code[1] for code in codes if len(code) == 2 and code[0] == "." and code[1] in ascii_lowercase
    }
    free = [letter for letter in ascii_lowercase if letter not in own.values()]
    others = [code for code in codes if code not in own]
    return {**own, **dict(zip(others, free, strict=False))}
