"""Running many independent jobs on the same data, here or in worker processes.

A job is a small value; the data are shared once. Jobs of a worker that dies are run again elsewhere, and
since a job depends on nothing but itself and the data, the results are the same on any number of workers.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sfumato.core import ParameterError, SfumatoError
from sfumato.parallel.sharing import attach, sharing

Shared = TypeVar("Shared")
Job = TypeVar("Job")
Outcome = TypeVar("Outcome")

ATTEMPTS = 3

_shared: Any = None


def available_cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_jobs(
    function: Callable[[Shared, Job], Outcome], jobs: Sequence[Job], *, shared: Shared, workers: int = 1
) -> Iterator[tuple[int, Outcome]]:
    """Yield the position and outcome of each job, in the order in which they finish.

    `function` must be importable by name, since worker processes call it.

    >>> list(run_jobs(pow, [1, 2, 3], shared=2))
    [(0, 2), (1, 4), (2, 8)]
    """
    if workers < 1:
        raise ParameterError(f"workers must be an integer of at least 1. Got {workers}.")
    if workers == 1 or len(jobs) < 2:
        for position, job in enumerate(jobs):
            yield position, function(shared, job)
        return
    with sharing(shared) as path:
        yield from _with_retries(function, jobs, path, min(workers, len(jobs)))


def _with_retries(
    function: Callable[[Any, Any], Any], jobs: Sequence[Any], path: Path, workers: int
) -> Iterator[tuple[int, Any]]:
    waiting = set(range(len(jobs)))
    for _ in range(ATTEMPTS):
        with _pool(workers, path) as pool:
            futures = {pool.submit(_call, function, jobs[position]): position for position in sorted(waiting)}
            try:
                for position, outcome in _finished(futures):
                    waiting.discard(position)
                    yield position, outcome
            except BrokenProcessPool:
                continue
        return
    raise SfumatoError(f"Worker processes died {ATTEMPTS} times; try fewer workers, or a machine with more memory.")


def _finished(futures: dict[Future[Any], int]) -> Iterator[tuple[int, Any]]:
    for future in as_completed(futures):
        yield futures[future], future.result()


@contextmanager
def _pool(workers: int, path: Path) -> Iterator[ProcessPoolExecutor]:
    # spawn, not fork: the caller may hold threads (a progress bar, a notebook)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start, initargs=(path,))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _start(path: Path) -> None:
    global _shared
    _shared = attach(path)


def _call(function: Callable[[Any, Any], Any], job: Any) -> Any:
    return function(_shared, job)
