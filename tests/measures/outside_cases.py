"""A generated population in three samples, and the classic files with a fifth held out."""

from functools import cache

import numpy as np

from sfumato import datasets
from sfumato.data import Attribute, Schema, Table
from sfumato.data.held_out import held_out

FILES = ("census", "tarragona", "diabetes", "german", "adult")


def population(n=1500, seed=0):
    """Related columns of all scales, a confidential one among them, with some values missing."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 2))
    columns = {
        "x": np.round(np.exp(z[:, 0] + 0.4 * rng.normal(size=n)) * 1000),
        "y": np.where(rng.random(n) < 0.05, np.nan, z[:, 1] + z[:, 0]),
        "u": np.clip(z[:, 0] * 1.5 + 2 + rng.normal(size=n), 0, 4).astype(int),
        "v": np.where(rng.random(n) < 0.05, -1, (z[:, 1] > 0) * 2 + (rng.random(n) < 0.3)),
        "ill": (z[:, 0] + rng.normal(size=n) > 1.5).astype(int),
    }
    schema = Schema(
        [
            Attribute(name="x", scale="numeric", role="key"),
            Attribute(name="y", scale="numeric", role="key"),
            Attribute(name="u", scale="ordinal", role="key", categories=tuple("abcde")),
            Attribute(name="v", scale="nominal", role="key", categories=tuple("klmn")),
            Attribute(name="ill", scale="nominal", role="confidential", categories=("no", "yes")),
        ]
    )
    return Table(schema, columns)


POPULATION = population()


def in_thirds(table):
    """Three tables of as many people each: inside, outside, and a fresh sample of the same population."""
    rows = np.array_split(np.random.default_rng(1).permutation(table.n), 3)
    return [table.take(part) for part in rows]


def inside_and_outside(name, fold=0):
    """A classic file without its identifiers, of which one fifth is held out; of Adult, 5,000 people."""
    return held_out(_classic(name), 1, fold=fold)


@cache
def _classic(name):
    table = getattr(datasets, name)()
    if table.n > 5000:
        table = table.take(np.random.default_rng(0).choice(table.n, 5000, replace=False))
    return table.select([a.name for a in table.schema if a.role != "identifier"])
