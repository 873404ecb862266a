"""The role that a column seems to have, from its name and its values."""

import re

from sfumato.data.attribute import Role
from sfumato.data.known_names import named_role
from sfumato.data.known_values import known_values

FEWEST = 20  # records below which values say nothing of their own
MOST_MEMBERS = 20  # of a household, on average
SHORTEST_NUMBER = 5  # digits of a number that names somebody


def role_of(name: str, values: list[str], scale: str, present: int) -> tuple[Role, str]:
    """The role a column seems to have, and why: first by its name, then by its values.

    >>> role_of("householdIncome", [], "numeric", 0)
    ('confidential', "the name says 'income'")
    >>> role_of("x", ["m", "w"], "nominal", 90)
    ('key', 'the values are those of sex')
    """
    named = named_role(name, scale == "numeric")
    if named is not None and not (named[0] == "household" and _are_few(values, present)):
        return named[0], f"the name says {named[1]!r}"
    if present >= FEWEST and (why := _tells_apart(values, scale, present)):
        return "identifier", why
    known = known_values(values, scale)
    if known:
        return "key", f"the values are those of {known}"
    return "other", "nothing suggests that others know it"


def _are_few(values: list[str], present: int) -> bool:
    """Whether there are too few values to number households, of which each has few people."""
    return present >= FEWEST and len(values) * MOST_MEMBERS < present


def _tells_apart(values: list[str], scale: str, present: int) -> str:
    """Why a column is a number of each record, whatever it is called; nothing where it is none."""
    if scale == "nominal" and len(values) >= 0.95 * present:
        return "nearly every record has a value of its own"
    if scale != "numeric" or not all(re.fullmatch(r"\d+", value.strip()) for value in values):
        return ""
    if _is_counter(values, present):
        return "the values count the records"
    lengths = {len(value.strip()) for value in values}
    if len(values) == present and len(lengths) == 1 and min(lengths) >= SHORTEST_NUMBER:
        return "every record has a number of its own, all of one length"
    return ""


def _is_counter(values: list[str], present: int) -> bool:
    if len(values) != present or not all(re.fullmatch(r"\d+", value.strip()) for value in values):
        return False
    numbers = [int(value) for value in values]
    return max(numbers) - min(numbers) + 1 == present
