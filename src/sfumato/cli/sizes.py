"""Amounts of memory, as people write them."""

import re
from typing import Any

import click

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


class Size(click.ParamType):  # type: ignore[type-arg]
    """A number of bytes such as 512MB or 2GB.

    >>> Size().convert("1.5GB", None, None)
    1500000000
    """

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes."""
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?\s*", value.upper())
        size = round(float(found[1]) * UNITS[f"{found[2]}B"]) if found and found[2] else 0
        if size < 1:
            self.fail(f"a size is a number with KB, MB, GB or TB, such as 2GB. Got {value!r}", param, ctx)
        return size


def size_in_words(size: int) -> str:
    """A number of bytes as people read it.

    >>> size_in_words(1_530_000_000), size_in_words(20_000)
    ('1.53 GB', '20 KB')
    """
    for unit in ("TB", "GB", "MB"):
        if size >= UNITS[unit]:
            return (
                f"{size / UNITS[unit]:.3g} {unit}"
                if size < 10 * UNITS[unit]
                else f"{size / UNITS[unit]:.0f} {unit}"
            )
    return f"{size / UNITS['KB']:.0f} KB"
