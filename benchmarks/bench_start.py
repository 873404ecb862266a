"""Start-up: how long a person waits before anything happens. Each value is the best of five new processes."""

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.timing import Row, best_of

COMMANDS = {
    "import sfumato": (["-c", "import sfumato"], 0.3),
    "sfumato --help": (["-m", "sfumato", "--help"], 0.5),
    "sfumato methods": (["-m", "sfumato", "methods"], 0.5),
}


def rows() -> Iterator[Row]:
    bare = best_of(lambda: _run(["-c", "pass"]), 5)
    for name, (arguments, bar) in COMMANDS.items():
        yield Row(f"{name} (twin: bare Python)", best_of(lambda a=arguments: _run(a), 5), bar=bar, twin=bare)


def _run(arguments: list[str]) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
