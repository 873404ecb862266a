"""Refinement and proofs on the classic files; minutes each, so only with `--only refine`.

    python -m benchmarks --only refine

`SFUMATO_REFINE` names what to run (`census-3,eia-10`; default all) and `SFUMATO_REFINE_SECONDS` for how long.
"""

import os
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.timing import Row
from sfumato import datasets
from sfumato.core import FileError
from sfumato.data import Table
from sfumato.masking import ColumnGeneration, Refine

LONG = True

# the least 100·SSE/SST known to us, by k
BEST_KNOWN = {
    "tarragona": {3: 14.4678, 4: 17.0806, 5: 20.1608, 6: 23.4940, 10: 30.1201},
    "census": {3: 4.6679, 4: 6.0373, 5: 7.2886, 6: 8.2803, 10: 11.3919},
    "eia": {3: 0.3502, 4: 0.4831, 5: 0.7319, 6: 0.9012, 10: 1.9377},
}
SLACK = 1.005  # 60 seconds of one core must come within half a percent
PROVEN = {"census": 1.0, "tarragona": None, "eia": None}  # percent between the result and its bound, at most


def rows() -> Iterator[Row]:
    seconds = float(os.environ.get("SFUMATO_REFINE_SECONDS", "60"))
    wanted = os.environ.get("SFUMATO_REFINE", "")
    for name, by_k in BEST_KNOWN.items():
        try:
            table = datasets.load(name)
        except FileError:
            continue
        for k, best in by_k.items():
            if wanted and f"{name}-{k}" not in wanted.split(","):
                continue
            il = Refine(k=k, refine_seconds=seconds).partition(table, np.random.default_rng(0)).il
            title = f"refine {name} k={k}, {seconds:g} s (twin: best known)"
            yield Row(title, il, "%", bar=best * SLACK, twin=best)
            if k == 3:
                yield from _proof(name, table)


def _proof(name: str, table: Table) -> Iterator[Row]:
    start = time.process_time()
    partition = ColumnGeneration(k=3).partition(table, np.random.default_rng(0))
    spent = time.process_time() - start
    gap = 100 * (partition.il / (partition.lower_bound or np.nan) - 1)
    yield Row(f"column_generation {name} k=3: IL", partition.il, "%", twin=BEST_KNOWN[name][3])
    yield Row(f"column_generation {name} k=3: gap", gap, "%", bar=PROVEN[name])
    yield Row(f"column_generation {name} k=3", spent)
