"""Methods that are slow on large files: what 50,000 records take, how that grows, and what was said beforehand.

The twin is the estimate told before a method starts, which comes from a thousand of the records, or five.
"""

from collections.abc import Callable, Iterator
from functools import partial
from time import process_time

import numpy as np

from benchmarks.bench_mdav import normal
from benchmarks.timing import Row, once
from sfumato.core import registry
from sfumato.masking._microaggregation import Microaggregation
from sfumato.masking._time_ahead import seconds_ahead

METHODS = ("kward", "mst", "mhm", "md", "genetic", "iamat", "omma")
SIZES, COLUMNS = (12_500, 50_000), 10
K = 5


def rows() -> Iterator[Row]:
    for name in METHODS:
        method: Microaggregation = registry.make("masking", {"method": name, "k": K})
        ahead = seconds_ahead(
            normal(SIZES[-1], COLUMNS), method.grows, grouping(method.of_many()), process_time
        )
        seconds = [once(partial(grouping(method), normal(n, COLUMNS)), cpu=True) for n in SIZES]
        growth = float(np.diff(np.log(seconds))[0] / np.diff(np.log(SIZES))[0])
        title = f"slow method {name}, {SIZES[-1]:,}×{COLUMNS} k={K} (twin: told ahead)"
        yield Row(title, seconds[-1], twin=ahead, growth=growth, digits=1)


def grouping(method: Microaggregation) -> Callable[[np.ndarray], np.ndarray]:
    return lambda X: method.group(X, np.random.default_rng(1))
