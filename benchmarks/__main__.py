"""Run the benchmarks: print a table, write a JSON file.

    python -m benchmarks [--only PART] [--json FILE]
    python -m benchmarks mutants [--count N] [--seed N] …

Each file `bench_*.py` here has a function `rows()` that yields `Row`s. Times are the best of several runs
in one process; the ratio to a plain twin measured in the same run is what to compare between machines. What other programs
took is recorded in `peers.toml`, of another machine. `python docs/make_speed_page.py FILE` writes the page of it.
A file with `LONG = True` runs only when `--only` asks for it. `mutants` does not measure time but tests: see
`benchmarks.mutants.check`.
"""

import argparse
import importlib
import json
import platform
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.mutants import check
from benchmarks.timing import Row
from sfumato import __version__


def main() -> int:
    if sys.argv[1:2] == ["mutants"]:
        return check.run(sys.argv[2:])
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure what sfumato promises."
    )
    parser.add_argument("--only", default="", help="run only files whose name contains this")
    parser.add_argument(
        "--json", type=Path, default=Path("benchmarks.json"), help="where to write the numbers"
    )
    arguments = parser.parse_args()
    rows: list[Row] = []
    print(
        f"{'benchmark':<52}{'value':>12}{'bar':>12}{'twin':>12}{'ratio':>9}{'growth':>9}{'peer':>12}  verdict"
    )
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        if arguments.only not in path.stem:
            continue
        benchmark = importlib.import_module(f"benchmarks.{path.stem}")
        if getattr(benchmark, "LONG", False) and not arguments.only:
            continue
        for row in benchmark.rows():
            rows.append(row)
            print(row.line(), flush=True)
    record = {
        "sfumato": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "processor": platform.machine(),
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "rows": [row.to_dict() for row in rows],
    }
    arguments.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    missed = [row for row in rows if row.verdict == "missed"]
    print(f"{len(rows)} measured, {len(missed)} bars missed; numbers in {arguments.json}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
