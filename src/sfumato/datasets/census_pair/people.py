"""The people of the census pair: what is usual, and what is typical of the group."""

import numpy as np

from sfumato.datasets._random_columns import draw
from sfumato.datasets.census_pair.attributes import CODES, NUMBERS

WALKED = list(CODES["transport"][1]).index("50")
AT_HOME = list(CODES["transport"][1]).index("70")

# chances of the categories, first of people in general, then of typical members of the group
EDUCATION = np.array(
    [[0.6, 0.8, 2.5, 2, 3, 4, 33, 12, 10, 3, 19, 10], [0.1, 0.1, 0.3, 0.5, 1, 3, 52, 21, 12, 4, 5, 1]]
)
SEX = np.array([[53, 47], [87, 13]])
RACE = np.array([[76, 11, 0.8, 1, 0.4, 4, 4, 2.4, 0.4], [70, 18, 1, 0.4, 0.3, 4, 3.5, 2.5, 0.3]])
HISPANIC = np.array([[87, 8, 1.5, 0.5, 3], [88, 6, 2.5, 0.5, 3]])
TRANSPORT = np.array([[86, 0.4, 3, 1.8, 0.6, 0.6, 3.2, 1, 3.4], [43, 1.5, 2.5, 0.3, 0.2, 2.5, 46, 2, 2]])
WEEKS = np.array([[6, 6, 7, 9, 5, 67], [3, 4, 4, 4, 4, 81]])
ENGLISH = np.array([[1.5, 82, 10, 4, 2.5], [0.1, 88, 10, 1.5, 0.4]])
# by age band: below 22, below 28, below 36, below 55, others
MARITAL_FROM = np.array([22, 28, 36, 55])
MARITAL = np.array(
    [
        [6, 1, 1, 1, 0.1, 91],
        [33, 2, 2, 5, 0.2, 58],
        [58, 2, 3, 10, 0.5, 27],
        [66, 2, 3, 16, 2, 11],
        [66, 2, 2, 15, 10, 5],
    ]
)


def people(typical: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The 13 basic attributes of all records; `typical` marks those that look as the group does."""
    n, kind = len(typical), typical.astype(np.int8)
    age = _age(typical, rng)
    education = draw(rng, EDUCATION, kind)
    sex = draw(rng, SEX, kind)
    transport = draw(rng, TRANSPORT, kind)
    hours = _hours(typical, rng)
    weeks = draw(rng, WEEKS, kind)
    walks = transport == WALKED
    numbers = {
        "age": age,
        "hours": hours,
        "departure": _departure(typical, transport, rng),
        "travel_time": _travel_time(typical, walks, transport, rng),
        "income": _income(typical, age, education, hours, weeks, rng),
    }
    columns = {name: np.clip(np.round(v), *NUMBERS[name][1:]) for name, v in numbers.items()}
    band = np.searchsorted(MARITAL_FROM, age, side="right")
    marital = draw(rng, MARITAL, np.where(typical & (rng.random(n) < 0.5), 0, band))
    codes = {
        "education": education,
        "sex": sex,
        "race": draw(rng, RACE, kind),
        "hispanic": draw(rng, HISPANIC, kind),
        "marital": marital,
        "transport": transport,
        "weeks": weeks,
        "english": draw(rng, ENGLISH, kind),
    }
    return {**columns, **codes}


def _age(typical: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    n = len(typical)
    age = 16 + 60 * rng.beta(1.7, 2.2, n)
    young = 18 + np.minimum(rng.gamma(1.6, 4.0, n), 32)
    return np.where(typical, young, age)


def _hours(typical: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    n = len(typical)
    part_time = rng.random(n) < np.where(typical, 0.03, 0.2)
    centre = np.where(part_time, 22, np.where(typical, 54, 41))
    return np.clip(rng.normal(centre, np.where(typical, 11, 7)), 1, 99)


def _departure(typical: np.ndarray, transport: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    n = len(typical)
    usual = rng.random(n) < np.where(typical, 0.92, 0.8)
    minute = np.where(typical, rng.normal(345, 45, n), rng.normal(470, 60, n))
    minute = np.where(usual, minute, rng.uniform(1, 1439, n)) % 1440
    minute = np.maximum(np.floor(minute), 1)
    clock: np.ndarray = 100 * (minute // 60) + minute % 60
    return np.where(transport == AT_HOME, 0, clock)


def _travel_time(
    typical: np.ndarray, walks: np.ndarray, transport: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    centre = np.where(walks, 10, np.where(typical, 14, 22))
    minutes: np.ndarray = np.maximum(centre * np.exp(0.6 * rng.standard_normal(len(typical))), 1)
    return np.where(transport == AT_HOME, 0, minutes)


def _income(
    typical: np.ndarray,
    age: np.ndarray,
    education: np.ndarray,
    hours: np.ndarray,
    weeks: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    n = len(typical)
    years = np.clip(age - 18, 0, 40)
    log_income = 9.1 + 0.045 * years - 0.0007 * years**2 + 0.09 * np.maximum(education - 5, 0)
    log_income += (
        0.7 * np.log(np.maximum(hours, 8) / 40) + 0.22 * (weeks - 5.0) + 0.55 * rng.standard_normal(n)
    )
    soldier = 10.15 + 0.02 * years + 0.28 * rng.standard_normal(n)
    income: np.ndarray = np.exp(np.where(typical, soldier, log_income + 0.45))
    income *= np.where(rng.random(n) < 0.01, -0.1, 1)  # losses
    return income
