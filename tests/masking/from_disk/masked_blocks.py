"""Small tables in tiny blocks, for tests of masking on disk."""

import numpy as np

from sfumato.data import Attribute, Hierarchy, Schema, Table
from sfumato.data.blocks import BlockWriter

TOWNS = Hierarchy(
    (
        ("Lleida", "Catalonia"),
        ("Soria", "Castile"),
        ("Girona", "Catalonia"),
        ("Avila", "Castile"),
        ("Porto", "Norte"),
    )
)
NUMBERS = ("age", "income", "wealth")
CATEGORIES = ("degree", "town")


def people(n, *, seed=0, strata=0, missing=0.1):
    """Records of all scales; incomes have a heavy tail, and strata are of very different size."""
    rng = np.random.default_rng(seed)
    attributes = [
        Attribute(name="number", scale="numeric", role="identifier", decimals=0),
        Attribute(name="age", scale="numeric", role="key", low=0, high=110, decimals=0),
        Attribute(name="income", scale="numeric", role="key", decimals=1, missing=("-9",)),
        Attribute(name="wealth", scale="numeric", role="key"),
        Attribute(name="degree", scale="ordinal", role="key", categories=tuple("12345678"), missing=("9",)),
        Attribute(name="town", scale="nominal", role="key", categories=TOWNS.leaves, hierarchy=TOWNS),
        Attribute(name="weight", scale="numeric", role="weight"),
    ]
    columns = {
        "number": np.arange(n, dtype=float),
        "age": rng.integers(0, 100, n).astype(float),
        "income": np.round(rng.lognormal(7, 1.5, n), 1),
        "wealth": rng.normal(0, 5, n) ** 3,
        "degree": np.minimum(rng.geometric(0.3, n) - 1, 6),
        "town": np.minimum(rng.geometric(0.4, n) - 1, 4),
        "weight": rng.uniform(1, 9, n),
    }
    for name in (*NUMBERS, *CATEGORIES):
        columns[name][rng.random(n) < missing] = np.nan if name in NUMBERS else -1
    if strata:
        names = tuple(f"s{i}" for i in range(strata))
        attributes.append(Attribute(name="sector", scale="nominal", role="stratum", categories=names))
        columns["sector"] = np.minimum(rng.geometric(0.5, n) - 1, strata - 1)
    reasons = {name: (rng.random(n) < 0.5).astype(np.int8) for name in ("income", "degree")}
    return Table(Schema(attributes), columns, reasons=reasons)


def on_disk(table, folder, records):
    """The table in blocks of so many records."""
    pieces = [table.take(np.arange(at, min(at + records, table.n))) for at in range(0, table.n, records)]
    return BlockWriter(folder, table.schema).write_all(pieces)


def in_memory(blocks):
    """All records of a table on disk."""
    return blocks.take(np.arange(blocks.n))


def files(folder):
    """What a folder holds, byte by byte."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
