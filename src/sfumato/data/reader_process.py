"""A reader that may crash, stall or flood memory, run in a process of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

import pyarrow as pa

QUIET = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "ARROW_IO_THREADS": "1"}
PATIENCE = 20  # how many times as long as its processor time a reader may take on a busy machine
SIGNALS_OF_LIMITS = {
    "SIGXCPU": "time",
    "SIGTERM": "time",
    "SIGKILL": "memory",
}  # the last by the system, if it has none


class ReaderFailure(Exception):  # noqa: N818 -- becomes an error by whoever knows what was read
    """A reader gave no table. `why` is a word of its script's statuses, or memory, time or crash."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


@dataclass(frozen=True, kw_only=True)
class ReaderProcess:
    """A script that reads a request from its standard input and writes an Arrow stream to its standard output.

    It is run by a plain process, not one of multiprocessing: those cannot be started by the workers of a cluster, and
    import the program of whoever uses this package first. The limits on `memory`, in bytes beyond what its imports
    take, and on `seconds` of processor time are its own to set; it is ended from here where it does not.
    """

    script: Path
    statuses: Mapping[str, int]
    memory: int
    seconds: int

    def read(self, **request: Any) -> pa.Table:
        asked = {**request, "path": sys.path, "memory": self.memory, "seconds": self.seconds}
        with self._running() as process:
            with suppress(BrokenPipeError):
                process.stdin.write(json.dumps(asked).encode())
                process.stdin.close()
            table = _answer(process.stdout)
            process.stdout.close()
            status = process.wait()
        if status or table is None:
            raise ReaderFailure(self._why(status))
        return table

    @contextmanager
    def _running(self) -> Iterator[Any]:
        """The process, which has ended, by itself or not, when the block does."""
        command = [sys.executable, "-I", str(self.script)]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, env={**os.environ, **QUIET}, **pipes) as process:
            watch = Timer(PATIENCE * self.seconds, process.terminate)
            watch.daemon = True
            watch.start()
            try:
                yield process
            finally:
                watch.cancel()
                process.kill()

    def _why(self, status: int) -> str:
        told = {number: why for why, number in self.statuses.items()}
        ended = {-getattr(signal, name, 0): why for name, why in SIGNALS_OF_LIMITS.items()}
        return {**ended, **told}.get(status, "crash")


def _answer(stream: Any) -> pa.Table | None:
    """The table in a stream; none where it is not whole, or not a table at all."""
    try:
        table = pa.ipc.open_stream(stream).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError):
        return None
    return table
