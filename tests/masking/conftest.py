from functools import cache

import numpy as np
import pytest

from sfumato.data import Attribute, Hierarchy, Schema, Table

PLACES = Hierarchy(
    (
        ("Lleida", "Catalonia", "Spain"),
        ("Girona", "Catalonia", "Spain"),
        ("Soria", "Castile", "Spain"),
        ("Avila", "Castile", "Spain"),
        ("Porto", "Norte", "Portugal"),
    )
)
DEGREES = Hierarchy(
    tuple((d, "low" if d in "12" else "middle" if d in "345" else "high", "any") for d in "12345678")
)


@pytest.fixture(scope="session")
def mixed():
    """A table of every scale and most roles, by number of records; four strata where asked for."""

    @cache  # a table never changes
    def make(n, *, seed=0, strata=False, missing=0.1):
        rng = np.random.default_rng(seed)
        attributes = [
            Attribute(name="id", scale="nominal", role="identifier", categories=tuple(map(str, range(n)))),
            Attribute(
                name="age", scale="numeric", role="key", low=16, high=99, decimals=0, storage="integer"
            ),
            Attribute(name="income", scale="numeric", role="key", decimals=2),
            Attribute(
                name="degree",
                scale="ordinal",
                role="key",
                categories=tuple("12345678"),
                hierarchy=DEGREES,
                labels={"1": "none", "8": "doctor"},
                missing=("9",),
            ),
            Attribute(name="town", scale="nominal", role="key", categories=PLACES.leaves, hierarchy=PLACES),
            Attribute(name="illness", scale="nominal", role="confidential", categories=("no", "yes")),
            Attribute(name="weight", scale="numeric", role="weight"),
            Attribute(
                name="sector",
                scale="nominal",
                role="stratum" if strata else "other",
                categories=("a", "b", "c", "d"),
            ),
        ]
        columns = {
            "id": np.arange(n),
            "age": rng.integers(16, 100, n).astype(float),
            "income": np.round(rng.lognormal(7, 1, n), 2),
            "degree": np.minimum(rng.geometric(0.3, n) - 1, 6),
            "town": np.minimum(rng.geometric(0.4, n) - 1, 4),
            "illness": rng.integers(0, 2, n),
            "weight": rng.uniform(1, 9, n),
            "sector": np.arange(n) % 4,
        }
        for name in ("age", "income"):
            columns[name][rng.random(n) < missing] = np.nan
        for name in ("degree", "town"):
            columns[name][rng.random(n) < missing] = -1
        return Table(Schema(attributes), columns)

    return make
