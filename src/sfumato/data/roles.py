"""Guessing the role of a column from its name and its values."""

import re

from sfumato.data.attribute import Role

WORDS: dict[Role, str] = {
    "identifier": """id ids identifier uuid guid name names surname firstname lastname forename ssn nif dni passport
        email mail phone telephone mobile address street iban login username""",
    "weight": "weight weights wgt wt fnlwgt pweight hweight",
    "household": "household hh hhid famid familyid dwelling",
    "key": """age sex gender race ethnicity ethnic marital married region state province county municipality
        district city town zip zipcode postcode postal country nationality citizenship birth birthday birthplace dob
        education degree school occupation job profession employment industry sector religion language children
        size tenure urban area""",
    "confidential": """income salary wage wages earnings tax taxes disease diagnosis health disability debt credit
        loan benefit benefits crime conviction vote wealth savings turnover profit""",
}


def role_of(name: str, values: list[str], scale: str, present: int) -> tuple[Role, str]:
    """The role a column seems to have, and why.

    >>> role_of("householdIncome", [], "numeric", 0)
    ('household', "the name says 'household'")
    >>> role_of("net_income", [], "numeric", 0)
    ('confidential', "the name says 'income'")
    """
    words = set(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()))
    roles: tuple[Role, ...] = ("weight", "household", "identifier", "key", "confidential")
    for role in roles:
        found = words.intersection(WORDS[role].split())
        if found and not (role == "weight" and scale != "numeric"):
            return role, f"the name says {min(found)!r}"
    if scale == "nominal" and present >= 20 and len(values) >= 0.95 * present:
        return "identifier", "nearly every record has a value of its own"
    if scale == "numeric" and present >= 20 and _is_counter(values, present):
        return "identifier", "the values count the records"
    return "other", "nothing suggests that others know it"


def _is_counter(values: list[str], present: int) -> bool:
    if len(values) != present or not all(re.fullmatch(r"\d+", value.strip()) for value in values):
        return False
    numbers = [int(value) for value in values]
    return max(numbers) - min(numbers) + 1 == present
