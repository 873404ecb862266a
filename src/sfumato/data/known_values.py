"""What values alone say of a column that has no telling name."""

import re
from collections.abc import Sequence

SEXES = (
    {"m", "f"},
    {"m", "w"},
    {"m", "v"},
    {"h", "f"},
    {"h", "m"},
    {"male", "female"},
    {"man", "woman"},
    {"men", "women"},
    {"mann", "frau"},
    {"männlich", "weiblich"},
    {"homme", "femme"},
    {"masculin", "féminin"},
    {"hombre", "mujer"},
    {"varón", "mujer"},
    {"masculino", "femenino"},
    {"maschio", "femmina"},
    {"uomo", "donna"},
)
NUTS = r"[A-Z]{2}[0-9A-Z]{1,3}"
FEWEST_AGES = 50  # different ones, from children to old people
OLDEST = 110


def known_values(values: Sequence[str], scale: str) -> str:
    """What everybody's values like these are: sex, ages, years of birth, regions; nothing where they could be anything.

    >>> known_values(["DE11", "DE12", "FR10"], "nominal"), known_values(["1", "2"], "nominal")
    ('regions', '')
    """
    if scale == "numeric":
        return _of_numbers(values)
    plain = {value.strip().casefold() for value in values}
    if any(sexes == plain or (sexes < plain and len(plain) == 3) for sexes in SEXES):
        return "sex"
    are_regions = len(values) > 2 and all(re.fullmatch(NUTS, value.strip()) for value in values)
    return "regions" if are_regions and any(re.search("[0-9]", value) for value in values) else ""


def _of_numbers(values: Sequence[str]) -> str:
    """Ages run from children to old people without gaps; years of birth lie in one century."""
    if len(values) < FEWEST_AGES or not all(re.fullmatch(r"[0-9]{1,4}", value.strip()) for value in values):
        return ""
    numbers = {int(value) for value in values}
    low, high = min(numbers), max(numbers)
    if low >= 1890 and high <= 2040 and high - low <= OLDEST:
        return "years of birth"
    young = low <= 18 and 75 <= high <= OLDEST and len(numbers) >= 0.9 * (min(high, 90) - low)
    return "ages" if young else ""
