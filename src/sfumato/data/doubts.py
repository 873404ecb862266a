"""Doubts: columns that nobody declared and that look like more than an answer, such as free text or dates of birth.

A doubtful column is not released before somebody has said what it is. The rules err on that side: more than
half of the values different is what amounts, serial numbers and addresses have, and codes, ages and hours have not.
"""

import re

import numpy as np

from sfumato.data.attribute import Attribute
from sfumato.data.column_facts import ColumnFacts
from sfumato.data.known_names import words_of

NEAR_UNIQUE = 0.5  # different values for each that is there
FEWEST_RECORDS = 20  # below that, half of the values differ in almost every column
MANY_DAYS = 366  # an interview takes place within a year
WORDS = 4  # of an answer in somebody's own words, on average
OWN_WORDS = 0.1  # different texts for each that is there; a list of labels has fewer
BORN = (
    "birth",
    "birthday",
    "birthdate",
    "dob",
    "born",
    "naissance",
    "nacimiento",
    "nascita",
    "geburtsdatum",
    "geburtstag",
    "geboren",
)
DAY = r"\d{4}[-/.]?\d{1,2}[-/.]?\d{1,2}([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
BIRTH = "dates of birth"
DECIDED = ("identifier", "household", "weight")  # roles whose names say what becomes of a column


def doubt_of(attribute: Attribute, facts: ColumnFacts) -> str:
    """Why a column should not leave before somebody has looked at it; empty if nothing speaks against it.

    >>> import pyarrow as pa
    >>> from sfumato.data.column_facts import facts_of
    >>> income = Attribute(name="income", scale="numeric", storage="real")
    >>> doubt_of(income, facts_of(pa.array([i * 1.5 for i in range(40)])))
    '40 different values among 40 tell people apart'
    """
    if attribute.role in DECIDED or not facts.values:
        return ""
    if _are_days(attribute, facts):
        if set(words_of(attribute.name)) & set(BORN):
            return BIRTH
        if facts.distinct > MANY_DAYS:
            return f"{facts.distinct} different dates"
    if facts.records < FEWEST_RECORDS or (attribute.labels and set(facts.values) <= set(attribute.labels)):
        return ""
    if attribute.scale == "nominal" and _is_free_text(facts):
        return "free text"
    if facts.distinct > NEAR_UNIQUE * facts.present:
        return f"{facts.distinct} different values among {facts.present} tell people apart"
    return ""


def are_day_numbers(numbers: np.ndarray) -> np.ndarray:
    """Which numbers are days written as year, month and day, such as 19610304."""
    years, rest = np.divmod(np.where(np.abs(numbers) < 1e9, numbers, 0), 10_000)
    months, days = np.divmod(rest, 100)
    found: np.ndarray = (years >= 1850) & (years <= 2100) & (months >= 1) & (months <= 12)
    found &= (days >= 1) & (days <= 31) & (days == np.floor(days))
    return found


def _are_days(attribute: Attribute, facts: ColumnFacts) -> bool:
    if attribute.storage in ("date", "timestamp"):
        return True
    if attribute.storage == "integer":
        return bool(np.all(are_day_numbers(np.array([float(value) for value in facts.values]))))
    return attribute.storage == "text" and all(re.fullmatch(DAY, value.strip()) for value in facts.values)


def _is_free_text(facts: ColumnFacts) -> bool:
    words = sum(len(value.split()) for value in facts.values)
    return words >= WORDS * len(facts.values) and facts.distinct >= OWN_WORDS * facts.present
