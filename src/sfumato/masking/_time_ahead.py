"""How long a method that grows faster than the file will take, from how long it takes for some of the records."""

import time
from collections.abc import Callable

import numpy as np

from sfumato.core import progress

SAMPLE, LARGER_SAMPLE = 1000, 5000  # records; no more than the larger take seconds
LONG = 20.0  # seconds that are worth a word


def tell_time_ahead(owner: str, X: np.ndarray, grows: float, group: Callable[[np.ndarray], object]) -> None:
    """Say how long groups of all rows of X will take, where time grows with such a power of the rows and that is long."""
    if len(X) <= LARGER_SAMPLE:
        return
    seconds = seconds_ahead(X, grows, group)
    if seconds >= LONG:
        progress.note(
            f"{owner}: {len(X):,} records will take about {in_words(seconds)}; time grows with the power {grows:g} of their number."
        )


def seconds_ahead(
    X: np.ndarray,
    grows: float,
    group: Callable[[np.ndarray], object],
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """How long groups of all rows of X will take, by a small sample; if that is long, by a larger one.

    The small one is grouped twice: the first time may compile.
    """
    seconds = 0.0
    for size in (SAMPLE, SAMPLE, LARGER_SAMPLE):
        if size == LARGER_SAMPLE and seconds < LONG:
            break
        some = np.ascontiguousarray(X[np.linspace(0, len(X) - 1, size).astype(np.int64)])
        start = clock()
        with progress.without_notes():
            group(some)
        seconds = (clock() - start) * (len(X) / size) ** grows
    return seconds


def in_words(seconds: float) -> str:
    """A span of time, roughly.

    >>> in_words(45), in_words(600), in_words(9000)
    ('45 seconds', '10 minutes', '2.5 hours')
    """
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.2g} hours"
