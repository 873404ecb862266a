"""Running many independent jobs on the same data, here or in worker processes.

A job is a small value; the data are shared once. Jobs of a worker that dies are run again elsewhere, and
since a job depends on nothing but itself and the data, the results are the same on any number of workers.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from sfumato.core import ParameterError, SfumatoError
from sfumato.parallel.placing import Places
from sfumato.parallel.sharing import attach, sharing

Shared = TypeVar("Shared")
Job = TypeVar("Job")
Outcome = TypeVar("Outcome")

ATTEMPTS = 3

_attached: Any = None


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
        self._places = Places()

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
        `things` go to the same process where they can, which may have kept something of use to them.
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
            places = [*self._places.shared_out([things[position] for position in waiting], range(self.count))]
        with deaf_to_interrupts():  # the pools start their processes as jobs come in
            futures = {
                self._started(place).submit(_call, function, jobs[position]): position
                for position, place in zip(waiting, places, strict=True)
            }
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            for future in futures:
                future.cancel()

    def _started(self, place: int | None) -> ProcessPoolExecutor:
        """The processes for jobs that may run anywhere, or the one of a place."""
        if self._path is None:
            self._path = self._cleanup.enter_context(sharing(self.shared))
        if place not in self._pools:
            # spawn, not fork: the caller may hold threads (a progress bar, a notebook)
            context = multiprocessing.get_context("spawn")
            self._pools[place] = ProcessPoolExecutor(
                self.count if place is None else 1,
                mp_context=context,
                initializer=_start,
                initargs=(self._path,),
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


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Processes born inside the block never hear Ctrl-C: only their parent does, and it stops them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)


def _start(path: Path) -> None:
    global _attached
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ["SFUMATO_THREADS"] = "1"  # the processes share the cores already
    _attached = attach(path)


def _end_with_parent() -> None:
    """A parent that was killed cannot stop its processes, which would wait for jobs for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _call(function: Callable[[Any, Any], Any], job: Any) -> Any:
    return function(_attached, job)
