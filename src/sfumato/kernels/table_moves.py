"""Distances of many tables from those of an original, kept up to date while records move from cell to cell."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def move_in_tables(
    differences: np.ndarray,
    apart: np.ndarray,
    digits: np.ndarray,
    rows: np.ndarray,
    changed: np.ndarray,
    values: np.ndarray,
    columns: np.ndarray,
    strides: np.ndarray,
    offsets: np.ndarray,
    limits: np.ndarray,
) -> float:
    """Give records new digits in the changed columns; the old ones take their place in `values`.

    So the same call again takes the move back. `differences` are counts less those of the original, of all cells of
    all tables, and `apart` is the sum of their absolute values in each table. Cells are numbered as in
    `table_counts`, but `digits` has a row for each record. Returned is by how much tables are above their limits.
    """
    for a in range(len(rows)):
        before = digits[rows[a]]
        after = before.copy()
        for c in range(len(changed)):
            after[changed[c]] = values[a, c]
            values[a, c] = before[changed[c]]
        for t in range(len(offsets)):
            old = new = offsets[t]
            for j in range(columns.shape[1]):
                old += strides[t, j] * before[columns[t, j]]
                new += strides[t, j] * after[columns[t, j]]
            if old != new:
                apart[t] -= abs(differences[old]) + abs(differences[new])
                differences[old] -= 1.0
                differences[new] += 1.0
                apart[t] += abs(differences[old]) + abs(differences[new])
        digits[rows[a]] = after
    above = 0.0
    for t in range(len(offsets)):
        above += max(apart[t] - limits[t], 0.0)
    return above
