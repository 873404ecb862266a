"""The few nearest records of a file by Gower's distance, found by looking at all of them.

In many attributes a tree of boxes looks at most records too, and takes longer for each.
"""

import numpy as np

from sfumato.kernels._compile import kernel

CHUNK = 1024  # records whose values stay in the cache while all queries pass


@kernel
def nearest_scan(
    Q: np.ndarray, X: np.ndarray, nominal: np.ndarray, few: int
) -> tuple[np.ndarray, np.ndarray]:
    """The columns of X nearest to each column of Q and their distances, nearest first, the lower column of equals.

    Rows are attributes: their distances are |difference|, or 0 and 1 if nominal, and 1 where one of the two values is
    missing (NaN). A distance is infinite where there are fewer than `few`.
    """
    d, n = X.shape
    rows, apart = np.zeros((Q.shape[1], few), np.int64), np.full((Q.shape[1], few), np.inf)
    total = np.empty(CHUNK)
    for start in range(0, n, CHUNK):
        size = min(CHUNK, n - start)
        for q in range(Q.shape[1]):
            total[:] = 0.0
            for j in range(d):
                _add(Q[j, q], X[j, start : start + size], nominal[j], total)
            for i in range(size):
                if total[i] < apart[q, few - 1]:
                    _insert(rows[q], apart[q], start + i, total[i])
    return rows, apart


@kernel
def _add(x: float, values: np.ndarray, nominal: bool, total: np.ndarray) -> None:
    """Add the distances of a value to others; a loop for each case, so that the compiler can run it in lanes."""
    if np.isnan(x):
        for i in range(len(values)):
            total[i] += 0.0 if np.isnan(values[i]) else 1.0
    elif nominal:
        for i in range(len(values)):
            total[i] += 0.0 if values[i] == x else 1.0
    else:
        for i in range(len(values)):
            apart = abs(values[i] - x)
            total[i] += apart if apart == apart else 1.0


@kernel
def _insert(rows: np.ndarray, apart: np.ndarray, row: int, distance: float) -> None:
    at = len(rows) - 1
    while at > 0 and apart[at - 1] > distance:
        rows[at], apart[at] = rows[at - 1], apart[at - 1]
        at -= 1
    rows[at], apart[at] = row, distance
