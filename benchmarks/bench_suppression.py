"""Local suppression of a million records with very many patterns of missing values, by each reading of these.

Processor seconds, kernels warm; names say how many patterns there are and how many cells went. Six keys have at most 64
patterns, so that more of them come with more keys. As many records with a single pattern beside none show that cells, and
not patterns, are what is paid for.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.timing import Row, once
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import LocalSuppression

N, K, BAR = 1_000_000, 3, 5.0
SIZES = (2, 5, 8, 16, 12, 40, 3, 2, 4)  # categories of each attribute
GAPS = 0.2  # of the records that have a pattern


def rows() -> Iterator[Row]:
    for keys, patterns in ((6, 1), (6, 60), (9, 200)):
        yield suppressed(keys, patterns, "any")
    for patterns in (1, 60):
        yield suppressed(6, patterns, "category")
    yield suppressed(6, 60, "best")


def suppressed(keys: int, patterns: int, missing: str) -> Row:
    masking = LocalSuppression(k=K, missing=missing)
    masking.apply(people(1000, keys, patterns), np.random.default_rng(1))  # compiles
    table, found = people(N, keys, patterns), []
    seconds = once(lambda: found.append(masking.apply(table, np.random.default_rng(1))), cpu=True)
    gone = sum(int((found[0].missing(n) & ~table.missing(n)).sum()) for n in table.names)
    name = f"{N:,} x {keys}, {1 + patterns} patterns, {missing}: {gone:,} cells"
    return Row(name, seconds, bar=BAR, digits=2)


def people(n: int, keys: int, patterns: int) -> Table:
    """Categories with a common cause; some records miss what one of the patterns says, and none misses all."""
    rng = np.random.default_rng(1)
    cause = rng.random(n)
    subsets = np.arange(1, 2**keys - 1)
    chosen = (rng.permutation(subsets)[:patterns, None] >> np.arange(keys)) & 1
    which = np.where(rng.random(n) < GAPS, rng.integers(0, patterns, n), -1)
    attributes, columns = [], {}
    for j, size in enumerate(SIZES[:keys]):
        spread = (cause + rng.random(n)) / 2 + rng.normal(0, 0.1, n)
        values = np.clip(spread * size, 0, size - 1).astype(np.int64)
        columns[f"c{j}"] = np.where((which >= 0) & (chosen[which, j] == 1), -1, values)
        names = tuple(map(str, range(size)))
        attributes.append(Attribute(name=f"c{j}", scale="nominal", role="key", categories=names))
    return Table(Schema(attributes), columns)
