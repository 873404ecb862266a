"""The first run on a machine: processor time of commands that find no compiled code, and of each kernel they compile."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.compiled import Spent
from benchmarks.timing import Row
from benchmarks.watched import children_seconds
from sfumato import datasets
from sfumato.core import FileError
from sfumato.data import write_table

LONG = True  # minutes: the kernels are compiled anew for each command
COMMANDS = {
    "mask": (["mask", "file.csv", "--method", "mdav(k=5)", "-o", "masked.csv", "-q"], 5.0),
    "evaluate": (["evaluate", "file.csv", "masked.csv", "-q"], 8.0),
    "demo": (["demo", "-q"], 30.0),
}


def rows() -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        try:
            write_table(datasets.load("census"), Path(folder) / "file.csv")
        except FileError:
            write_table(datasets.business_survey(1080, seed=0), Path(folder) / "file.csv")
        for name, (words, bar) in COMMANDS.items():
            seconds, kernels = _cold(words, Path(folder))
            yield Row(f"{name}, nothing compiled", seconds, bar=bar, digits=1)
            yield Row(f"{name}: compiling", sum(spent.seconds for spent in kernels.values()), digits=1)
            for kernel, spent in kernels.items():
                times = f" for {spent.signatures} combinations of types" if spent.signatures > 1 else ""
                yield Row(f"  {kernel}{times}", spent.seconds, digits=2)


def _cold(words: list[str], folder: Path) -> tuple[float, dict[str, Spent]]:
    """Processor time of a command and its children, and what was compiled, the dearest first."""
    with TemporaryDirectory() as cache:
        out = Path(cache) / "compiled.json"
        path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        before = children_seconds()
        subprocess.run(
            [sys.executable, "-m", "benchmarks.compiled", str(out), *words],
            cwd=folder,
            env={**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": path},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        found = json.loads(out.read_text(encoding="utf-8"))
        return children_seconds() - before, {name: Spent(*spent) for name, spent in found.items()}
