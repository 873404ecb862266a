"""Random columns for made-up files: one vectorised step for all records."""

import numpy as np

from sfumato.core import ParameterError


def checked_size(owner: str, n: int) -> int:
    """The number of records asked for, or a refusal.

    >>> checked_size("housing", -1)
    Traceback (most recent call last):
    sfumato.core.errors.ParameterError: housing: n must be an integer of at least 0. Got -1.
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
        raise ParameterError(f"{owner}: n must be an integer of at least 0. Got {n!r}.")
    return int(n)


def draw(rng: np.random.Generator, chances: np.ndarray, row: np.ndarray) -> np.ndarray:
    """One code per record: record i draws from the chances in `chances[row[i]]`, which need not sum to 1.

    >>> draw(np.random.default_rng(0), np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1, 1])).tolist()
    [0, 1, 1]
    """
    sums = np.cumsum(chances, axis=1)
    edges = sums[:, :-1] / sums[:, -1:]
    where = rng.random(len(row))
    codes = np.zeros(len(row), np.int8)
    for j in range(edges.shape[1]):
        codes += where >= edges[row, j]
    return codes


def draw_alike(rng: np.random.Generator, chances: np.ndarray, n: int) -> np.ndarray:
    """One code per record, all records with the same chances."""
    return draw(rng, np.atleast_2d(chances), np.zeros(n, np.int8))


def quotas(n: int, shares: np.ndarray) -> np.ndarray:
    """How many of n records each share gets, by largest remainders.

    >>> quotas(10, np.array([1, 1, 1])).tolist()
    [4, 3, 3]
    """
    exact = n * shares / shares.sum()
    counts: np.ndarray = np.floor(exact).astype(np.int64)
    first = np.argsort(counts - exact, kind="stable")
    counts[first[: n - int(counts.sum())]] += 1
    return counts


def cut(score: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Codes that follow a score: the lowest records get the first category, each category its quota.

    >>> cut(np.array([0.3, -1.0, 2.0, 0.1]), np.array([1, 1])).tolist()
    [1, 0, 1, 0]
    """
    codes = np.empty(len(score), np.int8)
    codes[np.argsort(score, kind="stable")] = np.repeat(np.arange(len(shares)), quotas(len(score), shares))
    return codes


def reasons(rng: np.random.Generator, *chances: np.ndarray) -> np.ndarray:
    """Why a value is missing: 0 where it is there, j where the j-th chance struck.

    >>> reasons(np.random.default_rng(0), np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])).tolist()
    [0, 1, 2]
    """
    where = rng.random(len(chances[0]))
    found = np.zeros(len(where), np.int8)
    below = np.zeros(len(where))
    for j, chance in enumerate(chances, start=1):
        found[(where >= below) & (where < below + chance)] = j
        below += chance
    return found
