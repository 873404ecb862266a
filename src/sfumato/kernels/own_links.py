"""How many records have no masked record as near as their own? Answered with early exits."""

import numpy as np

from sfumato.kernels._compile import kernel

TIE = 1e-12  # relative: distances this close are equal
ABSENT = 2.0  # squared distance of a missing value to a present one: what two standardised draws differ by
ROUNDING = 1 + 1e-9


@kernel
def turned(X: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """X @ turn, row by row, so that equal rows stay equal to the last bit; 0 times missing is 0."""
    found = np.zeros((len(X), turn.shape[1]))
    for i in range(len(X)):
        for a in range(turn.shape[0]):
            for b in range(turn.shape[1]):
                if turn[a, b] != 0:
                    found[i, b] += X[i, a] * turn[a, b]
    return found


@kernel
def own_links(X: np.ndarray, M: np.ndarray, near: np.ndarray) -> int:
    """Rows i of X for which no other row of M is at most as far from X[i] as M[i] is.

    What is left to look at when a row as near is found is spared. The rows `near[i]` come first: any will
    do, likely ones save most. Then the rows of M are gone through in the order of the first column, from
    X[i] outwards; those farther in it than M[i] is away need no look. So the first columns should be those in
    which rows differ most, and the first must not have missing values.
    """
    n = len(X)
    order = np.argsort(M[:, 0])
    first = M[order, 0]
    links = 0
    for i in range(n):
        reach = _distance(X, i, M, i, np.inf) * (1 + TIE)
        linked = True
        for j in near[i]:
            if j != i and _distance(X, i, M, j, reach) <= reach:
                linked = False
                break
        if linked:
            links += not _any_as_near(X, i, M, reach, order, first)
    return links


@kernel
def _any_as_near(
    X: np.ndarray, i: int, M: np.ndarray, reach: float, order: np.ndarray, first: np.ndarray
) -> bool:
    n, x = len(first), X[i, 0]
    up = np.searchsorted(first, x)
    down = up - 1
    wide = reach * ROUNDING
    above, below = True, True
    while above or below:
        above = above and up < n and (first[up] - x) ** 2 <= wide
        if above:
            j = order[up]
            if j != i and _distance(X, i, M, j, reach) <= reach:
                return True
            up += 1
        below = below and down >= 0 and (first[down] - x) ** 2 <= wide
        if below:
            j = order[down]
            if j != i and _distance(X, i, M, j, reach) <= reach:
                return True
            down -= 1
    return False


@kernel
def _distance(X: np.ndarray, i: int, M: np.ndarray, j: int, reach: float) -> float:
    total = 0.0
    for a in range(X.shape[1]):
        difference = X[i, a] - M[j, a]
        if not np.isnan(difference):
            total += difference * difference
        elif np.isnan(X[i, a]) != np.isnan(M[j, a]):
            total += ABSENT
        if total > reach:
            break
    return total
