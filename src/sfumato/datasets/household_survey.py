"""Household survey: generated persons in households, all scales and roles, missing answers with reasons."""

import numpy as np

from sfumato.core import stream
from sfumato.data import MISSING, Table
from sfumato.datasets._household_people import NAME, People, people
from sfumato.datasets._household_schema import EMPLOYMENT, OCCUPATIONS, PARTS, REGIONS, schema
from sfumato.datasets._random_columns import checked_size, draw, reasons

EMPLOYED, SELF_EMPLOYED, UNEMPLOYED, UNABLE = (
    EMPLOYMENT.index(word) for word in ("employed", "self-employed", "unemployed", "unable to work")
)
NOT_IN_WORK = OCCUPATIONS.index("not in work")

# columns: child, student, employed, self-employed, unemployed, retired, at home, unable
STATUS_FROM = np.array([16, 19, 25, 55, 65, 75])
STATUS = np.array(
    [
        [1, 0, 0, 0, 0, 0, 0, 0],
        [0, 0.88, 0.06, 0.002, 0.03, 0, 0.02, 0.008],
        [0, 0.42, 0.42, 0.02, 0.09, 0, 0.04, 0.01],
        [0, 0.02, 0.72, 0.11, 0.05, 0.001, 0.07, 0.029],
        [0, 0.001, 0.48, 0.11, 0.04, 0.22, 0.09, 0.06],
        [0, 0, 0.05, 0.04, 0, 0.85, 0.06, 0],
        [0, 0, 0.004, 0.006, 0, 0.96, 0.03, 0],
    ]
)
LITTLE_SCHOOL = np.array([1, 1, 0.8, 0.9, 2.2, 1, 1.6, 2.5])
WOMEN = np.array([1, 1, 0.92, 0.55, 1, 0.95, 3.0, 1])

# rows: lower secondary or less, upper secondary, higher; columns: the occupations of the schema
WORK = np.array(
    [
        [1, 0.3, 3, 5, 22, 6, 18, 17, 26, 0.6, 0, 0, 0, 0.4, 0, 0],
        [5, 3, 16, 16, 24, 3, 16, 9, 6, 1.2, 0.05, 0, 0.03, 0.1, 0, 0],
        [14, 48, 17, 8, 6, 1, 2, 1, 1, 0.6, 0.3, 0.12, 0.1, 0.02, 0, 0],
    ]
)
PAY = np.array([0.45, 0.25, 0.12, 0, -0.1, -0.25, 0, 0, -0.2, 0.05, -0.2, 1.1, 0.9, -0.2, 0, 0])
BASE = np.array([0, 7.6, 10.0, 9.9, 9.2, 9.7, 7.8, 9.3])  # log income by status
NO_INCOME = np.array([1, 0.4, 0, 0.01, 0.1, 0.005, 0.6, 0.03])
HEALTH_STEPS = np.array([-0.5, 0.75, 1.6, 2.4])


def household_survey(n: int = 5000, *, seed: int = 0) -> Table:
    """A survey of persons; the members of a household share region, wealth and weight.

    Schooling runs in families and rises with the year of birth, income depends on schooling, age, hours,
    occupation and region and is skewed to the right, health gets worse with age. Some occupations and
    districts are rare; some categories have no record at all. Answers are missing because they were refused
    (income: more often where it is high), not known, or not asked (health of children).

    >>> survey = household_survey(1000, seed=1)
    >>> survey.schema.with_role("household", "weight", "confidential")
    ('household', 'income', 'wealth', 'health', 'weight')
    >>> answers = survey.to_arrow(text=True)["health"].to_pylist()
    >>> answers.count("refused") > 0, answers.count("very bad") < answers.count("good")
    (True, True)
    """
    n = checked_size("household_survey", n)
    who = people(n, seed)
    status = _status(who, seed)
    occupation = _occupation(who, status, seed)
    hours = _hours(who, status, seed)
    income = _income(who, status, occupation, hours, seed)
    columns = {
        "person_id": 100_000 + stream(seed, NAME, "register").permutation(n),
        "household": who.household + 1,
        "person": who.place + 1,
        "region": who.region,
        "age": who.age,
        "sex": who.sex,
        "marital": who.marital,
        "education": who.education,
        "employment": status,
        "occupation": occupation,
        "hours": hours,
        "income": income,
        "wealth": _wealth(who, seed),
        "health": _health(who, status, seed),
        "weight": _weight(who, seed),
    }
    return _with_gaps(columns, who, seed)


def _at_work(status: np.ndarray) -> np.ndarray:
    at_work: np.ndarray = (status == EMPLOYED) | (status == SELF_EMPLOYED)
    return at_work


def _status(who: People, seed: int) -> np.ndarray:
    changes = [
        np.ones(STATUS.shape[1]) * by_school * by_sex
        for by_school in (1, LITTLE_SCHOOL)
        for by_sex in (WOMEN, 1)
    ]
    chances = np.concatenate([STATUS * change for change in changes])
    band = np.searchsorted(STATUS_FROM, who.age, side="right")
    group = 2 * (who.education < 3) + who.sex
    return draw(stream(seed, NAME, "status"), chances, band + len(STATUS) * group)


def _occupation(who: People, status: np.ndarray, seed: int) -> np.ndarray:
    drawn = draw(stream(seed, NAME, "occupation"), WORK, np.clip(who.education - 2, 0, 2))
    return np.where(_at_work(status), drawn, NOT_IN_WORK).astype(np.int8)


def _hours(who: People, status: np.ndarray, seed: int) -> np.ndarray:
    rng = stream(seed, NAME, "hours")
    part_time = rng.random(len(status)) < np.where(who.sex == 0, 0.35, 0.08)
    centre = np.where(status == SELF_EMPLOYED, 45, np.where(part_time, 22, 39))
    spread = np.where(status == SELF_EMPLOYED, 13, np.where(part_time, 6, 4))
    hours = np.clip(np.round(rng.normal(centre, spread)), 1, 98)
    return np.where(_at_work(status), hours, 0.0)


def _income(
    who: People, status: np.ndarray, occupation: np.ndarray, hours: np.ndarray, seed: int
) -> np.ndarray:
    rng = stream(seed, NAME, "income")
    years = np.clip(who.age - 18, 0, 45)
    career = 0.04 * years - 0.0006 * years**2 + PAY[occupation] + 0.8 * np.log(np.maximum(hours, 5) / 38)
    place = 0.12 * (who.region % len(PARTS) == 0) - 0.02 * (who.region // len(PARTS))
    log_income = BASE[status] + 0.13 * who.education + place + 0.06 * who.sex + 0.08 * who.background
    log_income = log_income + np.where(_at_work(status), career, 0) + 0.42 * rng.standard_normal(len(status))
    income: np.ndarray = np.exp(log_income) * (
        1 + (rng.random(len(status)) < 0.01) * rng.pareto(1.8, len(status))
    )
    income[rng.random(len(status)) < NO_INCOME[status]] = 0
    loss = (status == SELF_EMPLOYED) & (rng.random(len(status)) < 0.05)
    income[loss] *= -0.3
    return income


def _wealth(who: People, seed: int) -> np.ndarray:
    rng, heads = stream(seed, NAME, "wealth"), who.heads
    log_wealth = (
        10.3 + 0.03 * (who.age[heads] - 45) + 0.25 * who.education[heads] + 0.4 * who.background[heads]
    )
    wealth: np.ndarray = np.exp(log_wealth + 1.1 * rng.standard_normal(len(heads)))
    wealth *= np.where(rng.random(len(heads)) < 0.11, -0.15, 1)  # debts
    wealth[rng.random(len(heads)) < 0.05] = 0
    return wealth.take(who.household)


def _health(who: People, status: np.ndarray, seed: int) -> np.ndarray:
    burden = 0.028 * (who.age - 45) - 0.12 * (who.education - 3.0)
    burden += 2.0 * (status == UNABLE) + 0.4 * (status == UNEMPLOYED)
    burden += stream(seed, NAME, "health").standard_normal(len(status))
    return np.where(who.age < 16, MISSING, np.searchsorted(HEALTH_STEPS, burden))


def _weight(who: People, seed: int) -> np.ndarray:
    # small districts are sampled more densely, and single people answer less often
    rate = np.linspace(420, 90, len(REGIONS))[who.region[who.heads]]
    alone = np.bincount(who.household, minlength=len(who.heads)) == 1
    noise = np.exp(0.15 * stream(seed, NAME, "weight").standard_normal(len(who.heads)))
    weight: np.ndarray = (rate * np.where(alone, 1.2, 1.0) * noise)[who.household]
    return weight


def _with_gaps(columns: dict[str, np.ndarray], who: People, seed: int) -> Table:
    described, n = schema(), len(who.age)
    always = np.ones(n)
    work, adult = columns["occupation"] != NOT_IN_WORK, who.age >= 16
    chances = {
        "marital": (0.003 * adult, 0.001 * adult),
        "education": (0.004 * always, 0.012 * always),
        "occupation": (0.004 * work, 0.01 * work),
        "hours": (0.002 * work, 0.02 * work),
        "income": (adult * (0.03 + 0.08 * (columns["income"] > 60_000)), 0.02 * adult),
        "wealth": (0.06 * always, 0.05 * always),
        "health": (0.01 * adult, 0.006 * adult),
    }
    found = {name: reasons(stream(seed, NAME, "gaps", name), *both) for name, both in chances.items()}
    found["wealth"] = found["wealth"][who.heads][who.household]  # one answers for the household
    for attribute in described:
        values = columns[attribute.name]
        if attribute.is_numeric:
            values = attribute.conform(values.astype(np.float64))
        if attribute.name in found:
            values = np.where(found[attribute.name] > 0, np.nan if attribute.is_numeric else MISSING, values)
        columns[attribute.name] = values
    return Table(described, columns, reasons=found)
