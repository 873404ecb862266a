"""How long to search, as people write it: 60s, 5m, 1h, 1h30m, or seconds; or a number of generations, 300g."""

import re
from typing import Any

import click

UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}
NUMBER = r"\d+(?:\.\d+)?"


def seconds_of(text: str) -> float | None:
    """The seconds that a duration stands for; nothing if it is none.

    >>> seconds_of("90"), seconds_of("5m"), seconds_of("1h30m"), seconds_of("soon")
    (90.0, 300.0, 5400.0, None)
    """
    text = text.strip().lower()
    if re.fullmatch(NUMBER, text):
        return float(text) or None
    if not text or not re.fullmatch("".join(rf"(?:{NUMBER}{unit})?" for unit in UNITS), text):
        return None
    found = re.findall(rf"({NUMBER})([hms])", text)
    return sum(float(number) * UNITS[unit] for number, unit in found) or None


class Duration(click.ParamType):  # type: ignore[type-arg]
    """Seconds, as a number or with units."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds."""
        seconds = value if isinstance(value, float) else seconds_of(value)
        if seconds is None:
            self.fail(f"a duration reads 60s, 5m or 1h. Got {value!r}", param, ctx)
        return seconds


class Effort(click.ParamType):  # type: ignore[type-arg]
    """A duration, or a number of generations such as 300g: the arguments of a `Stop`."""

    name = "effort"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> dict[str, float]:
        """When to stop."""
        if isinstance(value, dict):
            return value
        counted = re.fullmatch(r"\s*([1-9]\d*)\s*g\s*", value.lower())
        if counted:
            return {"generations": int(counted[1])}
        seconds = seconds_of(value)
        if seconds is None:
            self.fail(
                f"give a duration such as 60s or 5m, or generations such as 300g. Got {value!r}", param, ctx
            )
        return {"seconds": seconds}
