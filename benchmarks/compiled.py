"""What a command compiles: python -m benchmarks.compiled OUT.json WORDS… runs `sfumato WORDS` and writes it down.

A kernel counts with all that it calls and nothing else has compiled yet. Other processes are not looked into.
"""

import json
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from numba.core import event

from sfumato.cli import main


class Spent(NamedTuple):
    """On a kernel: seconds of the processor, and for how many combinations of types."""

    seconds: float
    signatures: int


class Compilations(event.Listener):
    """Watches numba; a kernel that is compiled for another one is part of it."""

    def __init__(self) -> None:
        self._open = threading.local()
        self.seconds: dict[str, list[float]] = defaultdict(list)

    def on_start(self, event: Any) -> None:
        self._starts.append(time.thread_time())

    def on_end(self, event: Any) -> None:
        start = self._starts.pop()
        if not self._starts:
            function = event.data["dispatcher"].py_func
            name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
            self.seconds[name].append(time.thread_time() - start)

    @property
    def _starts(self) -> list[float]:
        return self._open.__dict__.setdefault("starts", [])  # each thread compiles by itself

    def spent(self) -> dict[str, Spent]:
        """By kernel, the dearest first."""
        by_kernel = {name: Spent(sum(times), len(times)) for name, times in self.seconds.items()}
        return dict(sorted(by_kernel.items(), key=lambda item: -item[1].seconds))


if __name__ == "__main__":
    compilations = Compilations()
    event.register("numba:compile", compilations)
    try:
        main(sys.argv[2:])
    finally:
        Path(sys.argv[1]).write_text(json.dumps(compilations.spent()), encoding="utf-8")
