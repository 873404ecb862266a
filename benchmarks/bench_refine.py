"""Refinement and proofs on the classic files; up to five minutes each, so only with `--only refine`.

    python -m benchmarks --only refine

`SFUMATO_REFINE` names what to run (`census-3,eia-10`; default all), `SFUMATO_REFINE_SECONDS` for how long, and
`SFUMATO_REFINE_SEED` the seed. A partition that loses less than the one in `docs/records` takes its place.
"""

import os
import time
from collections.abc import Iterator

import numpy as np

from benchmarks import records
from benchmarks.peers import best_known
from benchmarks.timing import Row
from sfumato import datasets
from sfumato.core import FileError
from sfumato.data import Table
from sfumato.masking import ColumnGeneration, Refine

LONG = True

BEST_KNOWN = best_known()
PROVEN = {"census": 1.0, "tarragona": None, "eia": None}  # percent between the result and its bound, at most


def rows() -> Iterator[Row]:
    seconds = float(os.environ.get("SFUMATO_REFINE_SECONDS", "300"))
    wanted = os.environ.get("SFUMATO_REFINE", "")
    for name, by_k in BEST_KNOWN.items():
        try:
            table = datasets.load(name)
        except FileError:
            continue
        for k, best in by_k.items():
            if wanted and f"{name}-{k}" not in wanted.split(","):
                continue
            yield _refined(name, table, k, seconds, best)
            if k == 3:
                yield from _proof(name, table)


def _refined(name: str, table: Table, k: int, seconds: float, best: float) -> Row:
    rng = np.random.default_rng(int(os.environ.get("SFUMATO_REFINE_SEED", "0")))
    start = time.process_time()
    partition = Refine(k=k, refine_seconds=seconds).partition(table, rng)
    spent = round(time.process_time() - start, 1)
    records.keep(records.Record(name, k, round(partition.il, 6), spent), partition.labels)
    title = f"refine {name} k={k}, {seconds:g} s (twin: best known)"
    return Row(title, round(partition.il, records.DIGITS), "%", bar=best, twin=best)


def _proof(name: str, table: Table) -> Iterator[Row]:
    start = time.process_time()
    partition = ColumnGeneration(k=3).partition(table, np.random.default_rng(0))
    spent = time.process_time() - start
    gap = 100 * (partition.il / (partition.lower_bound or np.nan) - 1)
    yield Row(f"column_generation {name} k=3: IL", partition.il, "%", twin=BEST_KNOWN[name][3])
    yield Row(f"column_generation {name} k=3: gap", gap, "%", bar=PROVEN[name])
    yield Row(f"column_generation {name} k=3", spent)
