"""Who lives together in the made-up household survey: ages, sexes, marriages, schooling."""

from dataclasses import dataclass

import numpy as np

from sfumato.core import stream
from sfumato.datasets._household_schema import PARTS
from sfumato.datasets._random_columns import draw, draw_alike

NAME = "household_survey"
SIZE_SHARES = np.array([0.34, 0.33, 0.15, 0.12, 0.04, 0.015, 0.004, 0.001])
PART_SHARES = np.array([5.0, 3.0, 1.0])
PROVINCE_SHARES = np.array([9.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.25])
HEAD_AGES = np.array([[1.3, 1.2], [1.6, 1.3], [2.5, 4.0]])  # of the beta curve for 1, 2, 3 or more people

# columns: never married, married, registered, separated, divorced, widowed, dissolved
COUPLES = np.array([[0.42, 0.53, 0.05, 0, 0, 0, 0], [0.09, 0.87, 0.04, 0, 0, 0, 0]])
ALONE_FROM = np.array([18, 30, 50, 70])
ALONE = np.array(
    [
        [1, 0, 0, 0, 0, 0, 0],
        [0.965, 0.01, 0, 0.01, 0.014, 0.001, 0],
        [0.55, 0.03, 0.002, 0.10, 0.30, 0.018, 0],
        [0.25, 0.03, 0.002, 0.07, 0.47, 0.178, 0],
        [0.10, 0.02, 0.001, 0.02, 0.18, 0.679, 0],
    ]
)
SCHOOLING_STEPS = np.array([-2.4, -1.5, -0.6, 0.65, 1.4, 2.5])
SCHOOL_AGES = np.array([11, 15, 18, 21, 23, 27])  # the first ages at which each level can be completed


@dataclass(frozen=True, kw_only=True)
class People:
    """Arrays over persons, except `heads`: the record of the first person of each household."""

    household: np.ndarray
    place: np.ndarray
    heads: np.ndarray
    region: np.ndarray
    background: np.ndarray
    age: np.ndarray
    sex: np.ndarray
    marital: np.ndarray
    education: np.ndarray


def people(n: int, seed: int) -> People:
    """Persons in households; those of one household share region and background."""
    household, place, heads = _households(n, seed)
    in_couple = _couples(household, place, seed)
    age = _ages(household, place, heads, in_couple, seed)
    sex = _sexes(household, place, heads, in_couple, seed)
    background = stream(seed, NAME, "background").standard_normal(len(heads))[household]
    shares = np.outer(PROVINCE_SHARES, PART_SHARES).ravel()
    region = draw_alike(stream(seed, NAME, "region"), shares, len(heads))[household]
    return People(
        household=household,
        place=place,
        heads=heads,
        region=region,
        background=background,
        age=age,
        sex=sex,
        marital=_marital(age, in_couple, heads[household], seed),
        education=_education(age, background, region, seed),
    )


def _households(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    sizes = 1 + draw_alike(stream(seed, NAME, "size"), SIZE_SHARES, n).astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    heads = starts[starts < n]
    household = np.repeat(np.arange(len(heads)), sizes[: len(heads)])[:n]  # the last one may be cut short
    return household, np.arange(n) - heads[household], heads


def _couples(household: np.ndarray, place: np.ndarray, seed: int) -> np.ndarray:
    sizes = np.bincount(household)
    couple = (stream(seed, NAME, "couple").random(len(sizes)) < 0.8) & (sizes > 1)
    together: np.ndarray = couple[household] & (place < 2)
    return together


def _ages(
    household: np.ndarray, place: np.ndarray, heads: np.ndarray, in_couple: np.ndarray, seed: int
) -> np.ndarray:
    rng = stream(seed, NAME, "age")
    curve = HEAD_AGES[np.minimum(np.bincount(household, minlength=len(heads)), 3) - 1]
    head = np.floor(18 + 78 * rng.beta(curve[:, 0], curve[:, 1]))[household]
    partner = np.maximum(head + np.round(rng.normal(-1.0, 4.0, len(head))), 18)
    child = head - 18 - np.floor(rng.gamma(4.0, 2.8, len(head)))
    # too young a head for such a child: an infant of the couple, or somebody to share the flat with
    infant, flatmate = np.floor(3 * rng.random(len(head))), np.floor(18 + 12 * rng.random(len(head)))
    child = np.where(child >= 0, child, np.where(in_couple[heads][household], infant, flatmate))
    return np.select([place == 0, in_couple], [head, partner], child)


def _sexes(
    household: np.ndarray, place: np.ndarray, heads: np.ndarray, in_couple: np.ndarray, seed: int
) -> np.ndarray:
    rng = stream(seed, NAME, "sex")
    own = rng.random(len(place)) < np.where(place == 0, np.where(in_couple, 0.56, 0.42), 0.51)
    differs = rng.random(len(place)) < 0.985
    partner = in_couple & (place == 1)
    return np.where(partner, own[heads[household]] ^ differs, own).astype(np.int8)


def _marital(age: np.ndarray, in_couple: np.ndarray, head: np.ndarray, seed: int) -> np.ndarray:
    together = draw(stream(seed, NAME, "couples"), COUPLES, (age >= 35).astype(np.int8))[head]
    alone = draw(stream(seed, NAME, "alone"), ALONE, np.searchsorted(ALONE_FROM, age, side="right"))
    return np.where(in_couple, together, alone)


def _education(age: np.ndarray, background: np.ndarray, region: np.ndarray, seed: int) -> np.ndarray:
    talent = 0.8 * stream(seed, NAME, "education").standard_normal(len(age)) + 0.6 * background
    in_city = region % len(PARTS) == 0
    level = np.searchsorted(SCHOOLING_STEPS, talent - 0.014 * (age - 42) + 0.25 * in_city)
    reached: np.ndarray = np.minimum(level, np.searchsorted(SCHOOL_AGES, age, side="right"))
    return reached.astype(np.int8)
