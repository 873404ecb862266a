"""Amounts as people write them: how long (60s, 5m, 1h30m) and how much memory (512MB, 2GB)."""

import re
from math import inf
from typing import Any, ClassVar, Self

NUMBER = r"\d+(?:\.\d+)?"
SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0}
BYTES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


class Duration(float):
    """A number of seconds.

    >>> Duration.convert("90"), Duration.convert("5m"), Duration.convert("1h30m"), str(Duration(60))
    (90.0, 300.0, 5400.0, '60s')
    """

    noun: ClassVar[str] = "a duration such as 60s, 5m or 1h"
    word: ClassVar[str] = "TIME"

    @classmethod
    def convert(cls, value: Any) -> Self:
        seconds = seconds_in(value) if isinstance(value, str) else value
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < inf:
            raise ValueError("no duration")
        return cls(seconds)

    def __str__(self) -> str:
        return f"{self.plain():.15g}s"

    def plain(self) -> float:
        return float(self)


class Size(int):
    """A number of bytes.

    >>> Size.convert("1.5GB"), str(Size(1_530_000_000)), Size(1_530_000_001).plain()
    (1500000000, '1.53 GB', '1530000001B')
    """

    noun: ClassVar[str] = "a size: a number with KB, MB, GB or TB, such as 2GB"
    word: ClassVar[str] = "SIZE"

    @classmethod
    def convert(cls, value: Any) -> Self:
        size = bytes_in(value) if isinstance(value, str) else value
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ValueError("no size")
        return cls(size)

    def __str__(self) -> str:
        amount = int(self)
        unit = next((name for name in ("TB", "GB", "MB") if amount >= BYTES[name]), "KB")
        shown = amount / BYTES[unit]
        return f"{shown:.0f} {unit}" if unit == "KB" or shown >= 10 else f"{shown:.3g} {unit}"

    def plain(self) -> str:
        """The bytes as a text that reads back as the same size."""
        unit = max((unit for unit in BYTES if int(self) % BYTES[unit] == 0), key=BYTES.__getitem__)
        return f"{int(self) // BYTES[unit]}{unit}"


def seconds_in(text: str) -> float | None:
    """The seconds that a text stands for; nothing if it is no duration."""
    text = text.strip().lower()
    if re.fullmatch(NUMBER, text):
        return float(text)
    if not text or not re.fullmatch("".join(rf"(?:{NUMBER}{unit})?" for unit in SECONDS), text):
        return None
    return sum(float(number) * SECONDS[unit] for number, unit in re.findall(rf"({NUMBER})([hms])", text))


def bytes_in(text: str) -> int | None:
    """The bytes that a text stands for; nothing if it is no size. A unit must be given."""
    found = re.fullmatch(rf"\s*({NUMBER})\s*([KMGT]?)(I?B)?\s*", text.upper())
    if found is None or not (found[2] or found[3]):
        return None
    return round(float(found[1]) * BYTES[f"{found[2]}B"])
