"""Markov matrices for PRAM: row k holds the probabilities of what category k becomes.

Each builder takes the frequencies of the categories of the declared domain (0 where no record has one) and
the parameter p, and returns a row-stochastic matrix. `BUILDERS` names them for the `matrix` parameter.
"""

from collections.abc import Callable

import numpy as np


def frequencies(codes: np.ndarray, n: int) -> np.ndarray:
    """How many records have each of the n categories; missing values count for none.

    >>> frequencies(np.int8([0, 2, 2, -1]), 4).tolist()
    [1, 0, 2, 0]
    """
    return np.bincount(codes[codes >= 0], minlength=n)


def frequency_matrix(T: np.ndarray, p: float) -> np.ndarray:
    """Diagonal p; the rarer a category, the likelier another one turns into it (eq. 2.3).

        p_kl = (1 − p) (ΣT − T(k) − T(l)) / ((n − 2) (ΣT − T(k)))

    The equation has no value for n ≤ 2 categories or where all records are in category k. There the rest,
    1 − p, is shared equally among the other categories; a single category stays what it is.

    >>> frequency_matrix(np.array([6, 3, 1]), 0.5).round(3).tolist()
    [[0.5, 0.125, 0.375], [0.071, 0.5, 0.429], [0.167, 0.333, 0.5]]
    """
    n = len(T)
    if n <= 2:
        return equal_matrix(n, p)
    others = T.sum() - T.astype(np.float64)  # ΣT − T(k)
    P = equal_matrix(n, p)
    rows = others > 0
    P[rows] = (1 - p) * (others[rows, None] - T) / ((n - 2) * others[rows, None])
    np.fill_diagonal(P, p)
    return P


def equal_matrix(n: int, p: float) -> np.ndarray:
    """Diagonal p, and the same probability for every other category.

    >>> equal_matrix(3, 0.5).tolist()
    [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]
    """
    if n <= 1:
        return np.eye(n)
    P = np.full((n, n), (1 - p) / (n - 1))
    np.fill_diagonal(P, p)
    return P


def redraw(codes: np.ndarray, P: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each code drawn anew from its row of P by inversion, one uniform draw per record; missing stays."""
    draws = rng.random(len(codes))
    upper = np.cumsum(P, axis=1)
    upper /= upper[:, -1:]  # ends in exactly 1, so that a category of probability 0 is never drawn
    by_code = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[by_code], np.arange(len(P) + 1))
    redrawn = codes.copy()
    for k in np.flatnonzero(np.diff(ends)):
        rows = by_code[ends[k] : ends[k + 1]]
        redrawn[rows] = np.searchsorted(upper[k], draws[rows], side="right")
    return redrawn


BUILDERS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {"frequency": frequency_matrix}
