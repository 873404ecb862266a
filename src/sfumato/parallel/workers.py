"""Running many independent jobs on the same data, here or in worker processes.

A job is a small value; the data are shared once. Jobs of a worker that dies are run again elsewhere, and
since a job depends on nothing but itself and the data, the results are the same on any number of workers.
"""

import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing import resource_tracker
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Generic, Self, TypeVar

from sfumato.core import ParameterError, SfumatoError, progress
from sfumato.parallel.affinity import Affinity
from sfumato.parallel.channel import Channel, Ends
from sfumato.parallel.progress_relay import ProgressRelay
from sfumato.parallel.semaphores import semaphores_of
from sfumato.parallel.shared_file import attach, shared_file
from sfumato.parallel.worker_reports import Reporter

Shared = TypeVar("Shared")
Job = TypeVar("Job")
Outcome = TypeVar("Outcome")

ATTEMPTS = 3
AHEAD = 2  # jobs for each process that are handed out before an outcome is taken

_attached: Any = None
_ends: Ends | None = None


def available_cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers(Generic[Shared]):
    """So many processes that all see the same data; with one, the work is done here.

    >>> with Workers(2) as workers:
    ...     list(workers.run(pow, [1, 2, 3]))
    [(0, 2), (1, 4), (2, 8)]
    """

    def __init__(self, shared: Shared, count: int = 1) -> None:
        if count < 1:
            raise ParameterError(f"workers must be an integer of at least 1. Got {count}.")
        self.shared, self.count = shared, count
        self._cleanup = ExitStack()
        self._path: Path | None = None
        self._pools: dict[int | None, ProcessPoolExecutor] = {}  # one for all, or one for each place
        self._channels: list[Channel] = []  # one for each pool
        self._inboxes: dict[int, SimpleQueue[Any]] = {}  # one for each run under way
        self._runs = itertools.count(1)
        self._relay = ProgressRelay()
        self._affinity = Affinity()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None:
        self._stop(at_once=kind is not None)
        self._cleanup.close()

    def run(
        self,
        function: Callable[[Shared, Job], Outcome],
        jobs: Sequence[Job],
        things: Sequence[int] | None = None,
    ) -> Iterator[tuple[int, Outcome]]:
        """Yield the position and outcome of each job, in the order in which they finish.

        `function` must be importable by name, since worker processes call it. Jobs on the same of the
        `things` go to the same process where they can, which may have kept something of use to them. What
        jobs tell of their progress reaches the listener of the caller while it waits; if the caller stops,
        so do they at their next step.
        """
        if self.count == 1 or (len(jobs) < 2 and things is None):
            for position, job in enumerate(jobs):
                yield position, function(self.shared, job)
            return
        waiting = set(range(len(jobs)))
        for _ in range(ATTEMPTS):
            try:
                for position, outcome in self._attempt(function, jobs, sorted(waiting), things):
                    waiting.discard(position)
                    yield position, outcome
            except BrokenProcessPool:
                self._stop()
                continue
            return
        raise SfumatoError(
            f"Worker processes died {ATTEMPTS} times; try fewer workers, or a machine with more memory."
        )

    def _attempt(
        self,
        function: Callable[[Shared, Job], Outcome],
        jobs: Sequence[Job],
        waiting: list[int],
        things: Sequence[int] | None,
    ) -> Iterator[tuple[int, Outcome]]:
        places: list[int | None] = [None] * len(waiting)
        if things is not None:
            places = [
                *self._affinity.shared_out([things[position] for position in waiting], range(self.count))
            ]
        run = next(self._runs)
        inbox = self._inboxes[run] = SimpleQueue()
        futures: dict[Future[Any], int] = {}
        ready = zip(waiting, places, strict=True)

        def hand_out(count: int) -> None:
            with deaf_to_interrupts():  # the pools start their processes as jobs come in
                for position, place in itertools.islice(ready, count):
                    future = self._started(place).submit(_call, function, jobs[position], run, position)
                    futures[future] = position
                    future.add_done_callback(inbox.put)

        try:
            hand_out(AHEAD * self.count if things is None else len(waiting))
            for position, outcome in self._outcomes(futures, run, inbox):
                yield position, outcome
                hand_out(1)  # not before: a listener that lets the caller wait wants the workers idle
        finally:
            self._end(futures, run)

    def _outcomes(
        self, futures: "dict[Future[Any], int]", run: int, inbox: SimpleQueue[Any]
    ) -> Iterator[tuple[int, Any]]:
        """Wait for outcomes, and tell the listener meanwhile what the jobs report."""
        told = 0
        while told < len(futures):
            arrived = inbox.get()
            if isinstance(arrived, Future):
                told, position = told + 1, futures[arrived]
                outcome, notes = arrived.result()
                self._relay.ended((run, position))
                self._relay.noted(notes)
                yield position, outcome
            else:
                position, report = arrived
                self._relay.heard((run, position), report)

    def _end(self, futures: "dict[Future[Any], int]", run: int) -> None:
        """Call back the jobs that are waiting or under way, and let nobody show them."""
        del self._inboxes[run]
        left = {future: position for future, position in futures.items() if not future.done()}
        if left:
            for channel in self._channels:
                channel.call_back(run)
        for future in left:
            future.cancel()
        for position in futures.values():
            self._relay.ended((run, position))

    def _started(self, place: int | None) -> ProcessPoolExecutor:
        """The processes for jobs that may run anywhere, or the one of a place."""
        if self._path is None:
            self._path = self._cleanup.enter_context(shared_file(self.shared))
        if place not in self._pools:
            # spawn, not fork: the caller may hold threads (a progress bar, a notebook)
            context = multiprocessing.get_context("spawn")
            with semaphores_of(self._path.parent):
                self._channels.append(Channel(context, self._inboxes))
                self._pools[place] = ProcessPoolExecutor(
                    self.count if place is None else 1,
                    mp_context=context,
                    initializer=_start,
                    initargs=(self._path, self._channels[-1].ends),
                )
        return self._pools[place]

    def _stop(self, *, at_once: bool = False) -> None:
        for pool in self._pools.values():
            if at_once:  # nobody waits for the jobs under way; a pool has no public way to say so before 3.14
                for process in list((getattr(pool, "_processes", None) or {}).values()):
                    process.terminate()
        for pool in self._pools.values():
            pool.shutdown(wait=True, cancel_futures=True)
        self._pools.clear()
        for channel in self._channels:
            channel.close()
        self._channels.clear()


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Processes born inside the block never hear Ctrl-C: only their parent does, and it stops them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # whoever starts it lets interrupts through again
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)


def _start(path: Path, ends: Ends) -> None:
    global _attached, _ends
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ["SFUMATO_THREADS"] = "1"  # the processes share the cores already
    _attached, _ends = attach(path), ends


def _end_with_parent() -> None:
    """A parent that was killed cannot stop its processes, which would wait for jobs for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _call(
    function: Callable[[Any, Any], Any], job: Any, run: int, position: int
) -> tuple[Any, tuple[str, ...]]:
    assert _ends is not None
    reporter = Reporter(partial(_ends.send, run, position), partial(_ends.unwanted, run))
    with progress.listening(reporter):
        return function(_attached, job), reporter.report.notes
