"""Housing: a generated stand-in for the 1993 U.S. housing file, 11 categorical and 3 numeric attributes."""

from collections.abc import Iterable

import numpy as np

from sfumato.core import stream
from sfumato.data import Attribute, Schema, Table
from sfumato.datasets._attributes import UNUSED, number
from sfumato.datasets._random_columns import checked_size, cut, draw, draw_alike

DEGREE = {
    "1": "coldest",
    "2": "cold",
    "3": "cool",
    "4": "mild",
    "5": "mixed",
    "6": "hot",
    "9": "not reported",
}
DEGREE_FREQUENCIES = np.array([98, 173, 251, 195, 170, 80, 33, 0])  # Marés, thesis, Table 4.2
BUILT = (
    *("1919", "1920", "1930", "1940", "1950", "1955", "1960", "1965", "1970", "1975"),
    *(str(year) for year in range(1980, 1994)),
)
BUILT_SHARES = np.array([9, 5, 6, 8, 7, 8, 8, 8, 11, 11, *np.linspace(2.2, 1.0, 14), 0])
GRADE_SHARES = np.array([1, 0.4, 0.5, 0.8, 1, 1, 1.5, 2, 5, 3, 4.5, 4.5, 36, 6, 11, 4, 12, 2.5, 3, 1.3, 0])
METRO_SHARES = np.array([[14, 12, 12, 11, 12, 10, 10, 10, 9, 0]])
AREAS = np.array(
    [520, 1120, 1600, 1680, 1920, 2160, 3360, 4480, 5000, 5120, 5600, 6160, 6200, 6780, 7320, 9999]
)

# rows: DEGREE; columns: gas, electricity, oil, bottled gas, wood, coal, kerosene, solar, other, none
FUEL_CHANCES = np.array(
    [
        [50, 12, 26, 6, 4, 0.8, 0.8, 0, 0.3, 0.1, 0],
        [55, 14, 21, 5, 3, 0.8, 0.8, 0, 0.3, 0.1, 0],
        [56, 20, 14, 5, 3, 0.5, 1, 0.1, 0.3, 0.1, 0],
        [48, 36, 4, 6, 4, 0.1, 1, 0.3, 0.3, 0.3, 0],
        [44, 44, 2, 6, 2, 0, 1, 0.3, 0.3, 0.4, 0],
        [24, 66, 0.5, 3, 0.5, 0, 0.5, 1, 0.5, 4, 0],
        [50, 30, 10, 5, 3, 0.3, 0.8, 0.2, 0.3, 0.4, 0],
    ]
)
SKEWED = np.array([[76, 12, 5, 3, 2.5, 1.5, 0], [55, 27, 8, 5, 3, 2, 0]])
TRAVEL_CHANCES = np.array([[72, 12, 6, 2.5, 0.8, 0.3, 0.3, 0.6, 3.5, 0.5, 1.5, 0], [*[0] * 11, 1]])


def housing(n: int = 1000, *, seed: int = 0) -> Table:
    """Dwellings and their householders. The records are made up: only the shape is that of the real file.

    The real extract (1000 records) is not to be had. Names and numbers of categories are those of its
    description (Marés, *thesis*, Table 2.2), each domain with one category more, ".", as in the experiments:
    no record takes it in BUILT, DEGREE, GRADE1 and METRO; elsewhere it says that the question did not apply.
    The frequencies of DEGREE are those of Table 4.2, in proportion for other n. The keys are the three
    ordinal attributes protected there.

    >>> dwellings = housing()
    >>> np.bincount(dwellings["DEGREE"], minlength=8).tolist()
    [98, 173, 251, 195, 170, 80, 33, 0]
    >>> [dwellings.schema[name].domain_size for name in ("BUILT", "DEGREE", "GRADE1")]
    [25, 8, 21]
    """
    n = checked_size("housing", n)
    columns = {**_dwellings(n, seed), **_householders(n, seed)}
    columns |= _moves(columns["AGE"], seed)
    return Table(_schema(), columns)


def _dwellings(n: int, seed: int) -> dict[str, np.ndarray]:
    warmth = stream(seed, "housing", "climate").standard_normal(n)
    degree = cut(warmth, DEGREE_FREQUENCIES)
    metro = draw(stream(seed, "housing", "metro"), METRO_SHARES, np.zeros(n, np.int8))
    # houses are newer where it is warm and away from the old centres
    newness = 0.35 * warmth + 0.12 * (metro - 4) + stream(seed, "housing", "built").standard_normal(n)
    jitter = stream(seed, "housing", "area").integers(0, 4, n)
    weight = stream(seed, "housing", "weight").gamma(20, 100, n) * (1 + 0.05 * metro)
    return {
        "DEGREE": degree,
        "METRO": metro,
        "BUILT": cut(newness, BUILT_SHARES),
        "WFUEL": draw(stream(seed, "housing", "fuel"), FUEL_CHANCES, degree),
        "SMSA": AREAS[np.where(metro < 7, 2 * metro + jitter % 3, 15)],
        "WEIGHT": np.round(weight, 2),
    }


def _householders(n: int, seed: int) -> dict[str, np.ndarray]:
    age = np.floor(18 + 75 * stream(seed, "housing", "age").beta(1.7, 2.2, n))
    schooling = stream(seed, "housing", "grade").standard_normal(n) - 0.02 * (age - 48)
    grade = cut(schooling, GRADE_SHARES)
    at_work = stream(seed, "housing", "work").random(n) < np.where(age < 65, 0.8, 0.12)
    return {
        "AGE": age,
        "GRADE1": grade,
        "SCH": draw_alike(stream(seed, "housing", "schools"), SKEWED[0], n),
        "SHP": draw_alike(stream(seed, "housing", "shops"), SKEWED[1], n),
        "TRAN1": draw(stream(seed, "housing", "travel"), TRAVEL_CHANCES, (~at_work).astype(np.int8)),
    }


def _moves(age: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    moved = stream(seed, "housing", "moved").random(len(age)) < np.where(age < 35, 0.45, 0.12)
    why = np.where(moved, 1 + (age >= 35), 0).astype(np.int8)
    columns = {}
    for name, size in (("WHYMOVE", 19), ("WHYTOH", 13), ("WHYTON", 13)):
        young = 1 / (1 + np.arange(size))
        chances = np.array([[*[0.0] * size, 1], [*young, 0], [*np.roll(young, 4), 0]])
        columns[name] = draw(stream(seed, "housing", name), chances, why)
    return columns


def _schema() -> Schema:
    degree = _ordinal("DEGREE", "long-term average degree days", DEGREE)
    return Schema(
        [
            number("AGE", "age of the householder", role="other", low=0.0, high=120),
            _ordinal("BUILT", "year built, first of the period", BUILT),
            degree.evolve(labels={**DEGREE, UNUSED: "missing"}),
            _ordinal("GRADE1", "highest grade of school", [str(grade) for grade in range(20)]),
            _nominal("METRO", "metropolitan area", 9),
            _nominal("SCH", "schools adequate", 6),
            _nominal("SHP", "shops adequate", 6),
            number("SMSA", "number of the metropolitan area", role="other", low=0.0, high=9999),
            _nominal("TRAN1", "means of travel to work", 11),
            number("WEIGHT", "survey weight", decimals=2, role="weight", low=0.0, high=1e6),
            _nominal("WFUEL", "fuel for water heating", 10),
            _nominal("WHYMOVE", "why moved", 19),
            _nominal("WHYTOH", "why this house", 13),
            _nominal("WHYTON", "why this neighbourhood", 13),
        ]
    )


def _nominal(name: str, label: str, size: int) -> Attribute:
    codes = (str(code) for code in range(1, size + 1))
    labels = {UNUSED: "not applicable"}
    return Attribute(name=name, scale="nominal", categories=(*codes, UNUSED), label=label, labels=labels)


def _ordinal(name: str, label: str, categories: Iterable[str]) -> Attribute:
    labels = {UNUSED: "missing"}
    return Attribute(
        name=name, scale="ordinal", role="key", categories=(*categories, UNUSED), label=label, labels=labels
    )
