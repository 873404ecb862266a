"""Histories of long runs, short enough to draw and to keep."""

from collections.abc import Sequence
from typing import TypeVar

Step = TypeVar("Step")

MOST_STEPS = 400


def thinned(history: Sequence[Step], most: int = MOST_STEPS) -> list[Step]:
    """At most so many generations, evenly spread, the first and the last among them.

    >>> thinned("abcdefg", 3)
    ['a', 'd', 'g']
    """
    if len(history) <= most:
        return list(history)
    return [history[round(i * (len(history) - 1) / (most - 1))] for i in range(most)]
