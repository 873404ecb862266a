"""How many threads array work may use; the number changes how long it takes, never what comes out."""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from sfumato.core import Cancelled, ParameterError, progress
from sfumato.parallel.workers import available_cores

VARIABLE = "SFUMATO_THREADS"

_threads: ContextVar[int | None] = ContextVar("threads", default=None)
_block = threading.local()  # the one that this thread works on


@contextmanager
def using_threads(count: int) -> Iterator[None]:
    """Let all work inside the block use so many threads.

    >>> with using_threads(1):
    ...     thread_count()
    1
    """
    token = _threads.set(_checked(count, "threads"))
    try:
        yield
    finally:
        _threads.reset(token)


def thread_count() -> int:
    """The threads to use: those of `using_threads`, of the variable SFUMATO_THREADS, or one per core."""
    count = _threads.get()
    if count is not None:
        return count
    given = os.environ.get(VARIABLE, "")
    if not given:
        return available_cores()
    return _checked(int(given) if given.isdecimal() else given, VARIABLE)


def in_blocks(function: Callable[[int, int], np.ndarray], n: int, block: int) -> np.ndarray:
    """Call a function of start and end for each block of n rows, and put what it returns in a row.

    Blocks do not depend on the number of threads, so that every bit of the answer is the same. What they count is told
    once, as a sum.

    >>> in_blocks(lambda start, end: np.arange(start, end) ** 2, 5, 2).tolist()
    [0, 1, 4, 9, 16]
    """
    starts = range(0, max(n, 1), block)
    ends = [min(start + block, n) for start in starts]
    count = min(thread_count(), len(starts))
    tally, dropped = progress.Tally(), threading.Event()

    def tallied(start: int, end: int) -> np.ndarray:
        with tally.open(), _droppable(dropped):
            return function(start, end)

    if count == 1:
        found = [tallied(start, end) for start, end in zip(starts, ends, strict=True)]
    else:
        with ThreadPoolExecutor(count) as threads:
            try:
                found = list(threads.map(tallied, starts, ends))
            except BaseException:
                dropped.set()
                raise
    tally.tell()
    return np.concatenate(found)


def stop_if_dropped() -> None:
    """End the work on a block that nobody waits for any more; for blocks that take long, between two steps."""
    dropped = getattr(_block, "dropped", None)
    if dropped is not None and dropped.is_set():
        raise Cancelled("Another block failed, or the work was stopped.")


@contextmanager
def _droppable(dropped: threading.Event) -> Iterator[None]:
    before, _block.dropped = getattr(_block, "dropped", None), dropped
    try:
        yield
    finally:
        _block.dropped = before


def _checked(count: object, what: str) -> int:
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ParameterError(f"{what} must be an integer of at least 1. Got {count!r}.")
    return count
