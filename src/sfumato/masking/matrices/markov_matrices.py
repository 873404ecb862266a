"""Markov matrices for PRAM: row k holds the probabilities of what category k becomes.

Each builder takes the frequencies of the categories of the declared domain (0 where no record has one) and
one parameter (p, or theta for the diagonal matrix), and returns a row-stochastic matrix. `BUILDERS` names
them for the `matrix` parameter.
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


def max_entropy_matrix(T: np.ndarray, p: float) -> np.ndarray:
    """Diagonal p and equal probabilities beside it: of all such rows the one of largest entropy."""
    return equal_matrix(len(T), p)


def uniform_matrix(T: np.ndarray, p: float) -> np.ndarray:
    """With probability p a category is left alone; otherwise it is drawn from the whole domain, itself included.

    >>> uniform_matrix(np.array([6, 3, 1, 0]), 0.6).round(3)[0].tolist()
    [0.7, 0.1, 0.1, 0.1]
    """
    n = len(T)
    P = np.full((n, n), (1 - p) / n)
    np.fill_diagonal(P, p + (1 - p) / n)
    return P


def diagonal_matrix(T: np.ndarray, theta: float) -> np.ndarray:
    """The more frequent a category, the likelier it stays; equal probabilities beside it (eqs. 2.4, 2.5).

        p_kk = 1 − θ T(K) / T(k),    p_kl = (1 − p_kk) / (n − 1)

    K is the rarest category that occurs. One that does not occur is treated as if it were as rare as K.

    >>> diagonal_matrix(np.array([6, 3, 0]), 0.5).tolist()
    [[0.75, 0.125, 0.125], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]
    """
    n = len(T)
    if n <= 1:
        return np.eye(n)
    rarest = T[T > 0].min() if T.any() else 1
    moved = theta * rarest / np.maximum(T, rarest)
    P = np.repeat(moved[:, None] / (n - 1), n, axis=1)
    np.fill_diagonal(P, 1 - moved)
    return P


def invariant_matrix(T: np.ndarray, p: float) -> np.ndarray:
    """R = P Q, which keeps the expected frequencies: T R = T.

    The first stage P is the matrix of largest entropy; the second, Q, undoes it on the average by Bayes'
    rule, q_kl = p_lk T(l) / Σ_m p_mk T(m). No record gets a category that none had.

    >>> T = np.array([6, 3, 1, 0])
    >>> R = invariant_matrix(T, 0.7)
    >>> (T @ R).round(9).tolist(), R[:, 3].tolist()
    ([6.0, 3.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0])
    """
    P = equal_matrix(len(T), p)
    if not T.any():
        return P
    # records by what they were and what the first stage makes of them
    joint = P * T[:, None].astype(np.float64)
    expected = joint.sum(axis=0)
    Q = np.eye(len(T))
    reached = expected > 0
    Q[reached] = (joint[:, reached] / expected[reached]).T
    return P @ Q


def redraw(codes: np.ndarray, P: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each code drawn anew from its row of P by inversion, one uniform draw per record; missing stays."""
    return redrawn(codes, P, rng.random(len(codes)))


def redrawn(codes: np.ndarray, P: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """The same from given uniform draws: those of two similar matrices then differ in few records.

    >>> redrawn(np.int8([0, 1, -1]), np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([0.1, 0.6, 0.3])).tolist()
    [0, 1, -1]
    """
    upper = np.cumsum(P, axis=1)
    upper /= upper[:, -1:]  # ends in exactly 1, so that a category of probability 0 is never drawn
    by_code = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[by_code], np.arange(len(P) + 1))
    found = codes.copy()
    for k in np.flatnonzero(np.diff(ends)):
        rows = by_code[ends[k] : ends[k + 1]]
        found[rows] = np.searchsorted(upper[k], draws[rows], side="right")
    return found


BUILDERS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "frequency": frequency_matrix,
    "diagonal": diagonal_matrix,
    "uniform": uniform_matrix,
    "max_entropy": max_entropy_matrix,
    "invariant": invariant_matrix,
}
