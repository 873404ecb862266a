"""A small survey of every scale, with relations, missing values and columns that others determine."""

import numpy as np

from sfumato.data import Attribute, Schema, Table

TOWNS = tuple("abcdef")
ATTRIBUTES = (
    Attribute(name="number", scale="numeric", role="identifier", decimals=0),
    Attribute(name="age", scale="numeric", role="key", decimals=0, low=16, high=99),
    Attribute(name="income", scale="numeric", role="confidential", decimals=0, low=0, missing=("-8", "-9")),
    Attribute(name="bracket", scale="ordinal", role="other", categories=tuple("1234"), missing=("8", "9")),
    Attribute(name="rent", scale="numeric", role="other", decimals=1, low=0),
    Attribute(name="food", scale="numeric", role="other", decimals=1, low=0),
    Attribute(name="spent", scale="numeric", role="other", decimals=1, low=0),
    Attribute(name="degree", scale="ordinal", role="key", categories=tuple("12345"), missing=("9",)),
    Attribute(name="house", scale="nominal", role="key", categories=TOWNS),
    Attribute(name="quarter", scale="nominal", role="key", categories=("north", "south")),
    Attribute(name="status", scale="nominal", role="key", categories=("single", "married", "widowed")),
    Attribute(name="weight", scale="numeric", role="weight"),
)
FREE = ("age", "income", "rent", "food", "degree", "house", "status", "weight")


def survey(n, *, seed=0, missing=0.1, strata=False):
    """Bracket is a function of income, quarter one of house, and spent is rent + food."""
    rng = np.random.default_rng(seed)
    age = rng.integers(16, 100, n).astype(float)
    income = np.round(np.exp(rng.normal(7, 0.4, n) + (age - 50) / 60))
    without = rng.random(n) < missing
    codes = np.where(without, rng.integers(0, 3, n), 0)
    rent, food = np.round(income / 3 + rng.normal(0, 12, n) ** 2, 1), np.round(rng.gamma(3, 90, n), 1)
    income[without], food[rng.random(n) < missing] = np.nan, np.nan
    degree = np.clip((age / 25 + rng.normal(0, 1, n)).astype(int), 0, 4)
    no_degree = rng.random(n) < missing
    house = np.minimum((rng.gamma(2, 1, n) + degree / 2).astype(int), 5)
    columns = {
        "number": np.arange(n, dtype=float),
        "age": age,
        "income": income,
        "bracket": bracket(income),
        "rent": rent,
        "food": food,
        "spent": np.round(rent + food, 1),
        "degree": np.where(no_degree, -1, degree),
        "house": house,
        "quarter": house // 3,
        "status": np.where(age < 40, 0, rng.integers(0, 3, n)),
        "weight": rng.uniform(1, 9, n),
    }
    attributes = list(ATTRIBUTES)
    if strata:
        columns["sector"] = np.minimum(house // 2 + rng.integers(0, 2, n), 2)
        attributes.append(Attribute(name="sector", scale="nominal", role="stratum", categories=tuple("xyz")))
    no_degree_codes = np.where(no_degree, rng.integers(0, 2, n), 0)
    reasons = {"income": codes, "bracket": codes, "degree": no_degree_codes}
    return Table(Schema(attributes), columns, reasons=reasons)


def bracket(income):
    """Four brackets; none without an income."""
    cuts = np.digitize(income, [700, 1100, 1700])
    return np.where(np.isnan(income), -1, cuts)


def contents(table, name):
    """Every value of a column and every code for a missing one, in order."""
    reasons = table.reasons(name)
    told = np.zeros(table.n) if reasons is None else reasons
    values = np.where(table.missing(name), -np.inf, table[name])
    return sorted(zip(values.tolist(), told.tolist(), strict=True))
