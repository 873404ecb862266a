"""Correlated noise on 100,000 × 10 numbers, beside the package as it was at an earlier commit, where there is git.

    python -m benchmarks --only noise

Each package is measured in a process of its own, in seconds of the processor.
"""

import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bench_mdav import BEFORE
from benchmarks.timing import Row

LONG = True  # it compiles what the earlier package needs
N, COLUMNS, AHEAD, REPEATS = 100_000, 10, 3.0, 9
ROOT = Path(__file__).parents[1]
MEASURED = f"""
import time
import numpy as np
from sfumato.data import Attribute, Schema, Table
from sfumato.masking import Noise

X = np.random.default_rng(0).normal(size=({N}, {COLUMNS}))
schema = Schema([Attribute(name=f"x{{j}}", scale="numeric", role="key") for j in range({COLUMNS})])
table = Table(schema, {{f"x{{j}}": column.copy() for j, column in enumerate(X.T)}})
seconds = []
for _ in range({REPEATS}):
    start = time.process_time()
    Noise(kind="correlated").apply(table, np.random.default_rng(1))
    seconds.append(time.process_time() - start)
print(min(seconds))
"""


def rows() -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        try:
            archive = subprocess.run(
                ["git", "archive", BEFORE, "src"], cwd=ROOT, check=True, capture_output=True
            ).stdout
        except (OSError, subprocess.CalledProcessError):
            return  # no history here
        with tarfile.open(fileobj=BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        now, then = seconds(ROOT / "src"), seconds(Path(folder) / "src")
    yield Row(f"noise correlated {N}×{COLUMNS}, as it was before", now, bar=then / AHEAD, twin=then)


def seconds(source: Path) -> float:
    """Of one application, of all threads together: those of linear algebra that wait take time, too."""
    here = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-c", MEASURED], env=here, check=True, capture_output=True, text=True
    )
    return float(done.stdout)
