"""The way back from the processes of a pool: reports come, and a number tells them which jobs are unwanted."""

import threading
from contextlib import suppress
from multiprocessing.context import SpawnContext
from queue import SimpleQueue
from typing import Any

from sfumato.parallel.worker_reports import Report

SECONDS = 0.5  # that a report waits for the others to be sent
REMEMBERED = 64  # runs that were called back; a job that goes on for longer than so many runs is not
CROWDED = 1000  # reports that wait to be read, beyond which more are dropped


class Ends:
    """What a process of the pool gets: where reports go, and which runs were called back."""

    def __init__(self, writer: Any, lock: Any, called_back: Any) -> None:
        self._writer, self._lock, self._called_back = writer, lock, called_back

    def send(self, run: int, position: int, report: Report) -> None:
        """Send a report; it is lost where the way is blocked."""
        if self._lock.acquire(timeout=SECONDS):
            try:
                self._writer.send((run, position, report))
            finally:
                self._lock.release()

    def unwanted(self, run: int) -> bool:
        """Whether nobody waits for the jobs of a run any more."""
        return bool(self._called_back[run % REMEMBERED] == run)


class Channel:
    """A pipe that all processes of a pool write to, and the thread here that reads it.

    `inboxes` holds, by the number of the run, where reports go; those of other runs are dropped.
    """

    def __init__(self, context: SpawnContext, inboxes: dict[int, SimpleQueue[Any]]) -> None:
        self._reader, self._writer = context.Pipe(duplex=False)
        self._inboxes = inboxes
        self._called_back = context.RawArray("q", REMEMBERED)
        self.ends = Ends(self._writer, context.Lock(), self._called_back)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def call_back(self, run: int) -> None:
        """Let the jobs of a run stop at their next step."""
        self._called_back[run % REMEMBERED] = run

    def close(self) -> None:
        """Stop reading; the processes must be gone."""
        self._writer.close()  # the last end to write to, so that the thread sees the end of the file
        self._thread.join(SECONDS)

    def _read(self) -> None:
        with self._reader, suppress(EOFError, OSError):
            while True:
                run, position, report = self._reader.recv()
                inbox = self._inboxes.get(run)
                if inbox is not None and inbox.qsize() < CROWDED:
                    inbox.put((position, report))
