"""Histories of long runs, and where files began, short enough to draw and to keep."""

import re
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


def origin_in_short(origin: str) -> str:
    """What made a file, without the list of its columns.

    >>> origin_in_short("mdav (k = 50, attributes = staff, wages) → pram (attributes = sector)")
    'mdav (k = 50) → pram'
    """
    listed = r"attributes = [^()]*"
    return re.sub(rf",? ?{listed}(?=\))", "", origin).replace(" ()", "")
