"""Originals: small surveys whose columns tell little of each other, so that only a leak can tell of a cell."""

import numpy as np

from sfumato.data import Attribute, Hierarchy, Schema, Table

TOWNS = Hierarchy(tuple((f"town {a}{b}", f"county {a}", "land") for a in "ABCDE" for b in "12345"))
DEGREES = Hierarchy(tuple((d, "low" if d in "123" else "high", "any") for d in "123456"))
RARE = "lighthouse keeper"
JOBS = (*(f"job {number}" for number in range(12)), RARE)
RELATED = np.linalg.cholesky(
    np.array([[1, 0.5, 0.2], [0.5, 1, 0.7], [0.2, 0.7, 1]])
).T  # numbers masked together

SCHEMA = Schema(
    [
        Attribute(name="home", scale="numeric", role="household", decimals=0, storage="integer"),
        Attribute(name="age", scale="numeric", role="key", low=0, high=99, decimals=0, storage="integer"),
        Attribute(name="income", scale="numeric", role="key", decimals=2),
        Attribute(name="wealth", scale="numeric", role="key", decimals=2),
        Attribute(name="degree", scale="ordinal", role="key", categories=tuple("123456"), hierarchy=DEGREES),
        Attribute(name="job", scale="nominal", role="key", categories=JOBS),
        Attribute(name="town", scale="nominal", role="key", categories=TOWNS.leaves, hierarchy=TOWNS),
        Attribute(name="illness", scale="nominal", role="confidential", categories=("no", "yes")),
        Attribute(name="weight", scale="numeric", role="weight", decimals=2),
    ]
)


def people(n: int, *, seed: int, sorted_by: str = "", homes: bool = False) -> Table:
    """So many people, or households of one to three; one has a job of which there is no second.

    A file `sorted_by` a column has its records in the order of it, and numbers of households that grow with the file.
    Only members of a household share something, which is their town.
    """
    rng = np.random.default_rng([seed, 13])
    home = np.repeat(np.arange(n), rng.integers(1, 4, n))[:n] if homes else np.arange(n)
    young, rich, thrifty = (rng.standard_normal((n, 3)) @ RELATED).T
    columns = {
        "home": home.astype(float),
        "age": np.round(np.clip(45 + 17 * young, 0, 99)),
        "income": np.round(np.exp(7 + 0.5 * rich), 2),
        "wealth": np.round(50_000 + 12_000 * thrifty, 2),
        "degree": rng.choice(6, n, p=[0.25, 0.2, 0.2, 0.15, 0.1, 0.1]),
        "job": rng.integers(0, len(JOBS) - 1, n),
        "town": rng.integers(0, len(TOWNS.leaves), n)[home],
        "illness": rng.integers(0, 2, n),
        "weight": np.round(rng.uniform(5, 50, n), 2),
    }
    columns["job"][rng.integers(n)] = JOBS.index(RARE)
    if sorted_by:
        order = np.lexsort((home, columns[sorted_by]))
        columns = {name: values[order] for name, values in columns.items()}
        columns["home"] = np.cumsum(np.diff(columns["home"], prepend=-1) != 0).astype(float)
    table = Table(SCHEMA, columns)
    return table if homes else table.select(name for name in table.names if name != "home")
