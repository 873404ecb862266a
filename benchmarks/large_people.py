"""A census of people, drawn block by block and written to Parquet, so that its size knows no bounds."""

from pathlib import Path

import numpy as np
import pyarrow.parquet

from sfumato.data import Attribute, Schema, Table
from sfumato.data.formats.parquet import KEY
from sfumato.datasets import household_survey

BLOCK = 500_000
CATEGORIES = ("region", "sex", "marital", "education", "employment", "occupation")
NUMBERS = ("age", "hours", "income", "wealth", "rent", "commute")


def write_people(path: Path, n: int, *, seed: int = 0) -> None:
    """Twelve key attributes, six of them numbers; the same records for the same seed."""
    writer = None
    for block, start in enumerate(range(0, n, BLOCK)):
        table = people(min(BLOCK, n - start), seed=1000 * seed + block)
        arrow = table.to_arrow().replace_schema_metadata({KEY: table.schema.to_toml().encode()})
        writer = writer or pyarrow.parquet.ParquetWriter(path, arrow.schema)
        writer.write_table(arrow)
    if writer is not None:
        writer.close()


def people(n: int, *, seed: int) -> Table:
    """One block."""
    survey = household_survey(n, seed=seed)
    n = survey.n
    rng = np.random.default_rng(seed)
    income = np.nan_to_num(survey["income"], nan=20_000.0)
    rent = np.round(2_000 + 0.2 * np.maximum(income, 0) * rng.lognormal(0, 0.3, n))
    commute = np.round(rng.gamma(2.0, 12.0, n) + 5 * (survey["hours"] > 30))
    added = [
        Attribute(name="rent", scale="numeric", role="key", storage="integer", decimals=0, low=0),
        Attribute(name="commute", scale="numeric", role="key", storage="integer", decimals=0, low=0),
    ]
    kept = [survey.schema[name].evolve(role="key") for name in (*CATEGORIES, *NUMBERS[:4])]
    columns = {a.name: survey[a.name] for a in kept} | {"rent": rent, "commute": commute}
    return Table(
        Schema([*kept, *added]),
        columns,
        reasons={a.name: r for a in kept if (r := survey.reasons(a.name)) is not None},
    )
