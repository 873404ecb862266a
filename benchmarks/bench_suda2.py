"""SUDA2: all minimal sample uniques of generated surveys with seven keys, and the measure as a whole."""

from collections.abc import Iterator

import numpy as np

from benchmarks.timing import Row, best_of
from sfumato.data import Attribute, Schema, Table
from sfumato.measures import Suda2

SIZES = (2, 5, 9, 16, 3, 7, 20)
BARS = {100_000: 0.2, 1_000_000: 4.0}


def rows() -> Iterator[Row]:
    for n, bar in BARS.items():
        file = survey(n)
        seconds = best_of(lambda file=file: Suda2(size=len(SIZES)).bind(file).score(file), cpu=True)
        yield Row(f"suda2 {n:,} x {len(SIZES)}: all sizes", seconds, bar=bar)


def survey(n: int) -> Table:
    """Seven keys of 2 to 20 categories, some of them rare, that depend on each other; and weights."""
    rng = np.random.default_rng(1)
    attributes, columns = [], {}
    common = rng.random(n)
    for j, size in enumerate(SIZES):
        shares = np.cumsum(0.75 ** np.arange(size))
        u = np.where(rng.random(n) < 0.3, common, rng.random(n))
        columns[f"c{j}"] = np.searchsorted(shares / shares[-1], u)
        domain = tuple(f"c{i}" for i in range(size))
        attributes.append(Attribute(name=f"c{j}", scale="nominal", role="key", categories=domain))
    attributes.append(Attribute(name="weight", scale="numeric", role="weight"))
    columns["weight"] = rng.uniform(5, 50, n)
    return Table(Schema(attributes), columns)
