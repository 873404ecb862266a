"""How many records are compatible with others: equal to them wherever neither has an empty cell."""

import numpy as np

from sfumato.kernels._compile import kernel

EMPTY = -1


@kernel
def compatible_sums(rows: np.ndarray, upto: np.ndarray, asked: np.ndarray, enough: float) -> np.ndarray:
    """For each row asked for, the sums over the sorted `rows` that are compatible with it.

    `upto[i]` are the sums over the rows before the i-th. Rows with the same beginning are neighbours, so that only what
    can still be compatible is looked at, however many patterns of empty cells there are. Where the first sum comes to
    `enough`, no more is added.
    """
    found = np.zeros((len(asked), upto.shape[1]))
    d = rows.shape[1]
    start, end = np.zeros(d + 1, np.int64), np.zeros(d + 1, np.int64)
    for i in range(len(asked)):
        last = d
        while last > 0 and asked[i, last - 1] == EMPTY:
            last -= 1  # from here on whatever comes is compatible
        depth = 0
        start[0], end[0] = 0, len(rows)
        while depth >= 0 and found[i, 0] < enough:
            if depth == last:
                for a in range(upto.shape[1]):
                    found[i, a] += upto[end[depth], a] - upto[start[depth], a]
                depth -= 1
            elif start[depth] >= end[depth]:
                depth -= 1
            else:
                at, wanted = start[depth], asked[i, depth]
                value = rows[at, depth]
                if value > wanted and wanted != EMPTY:
                    depth -= 1
                elif value < wanted and value != EMPTY:
                    start[depth] = _place(rows, depth, at, end[depth], wanted)
                else:
                    after = _place(rows, depth, at, end[depth], value + 1)
                    start[depth] = after
                    depth += 1
                    start[depth], end[depth] = at, after
    return found


@kernel
def _place(rows: np.ndarray, column: int, low: int, high: int, value: int) -> int:
    """The first of some sorted rows whose cell is not below a value; near ones are found soonest."""
    step = 1
    while low + step < high and rows[low + step, column] < value:
        low += step
        step *= 2
    high = min(high, low + step)
    while low < high:
        middle = (low + high) // 2
        if rows[middle, column] < value:
            low = middle + 1
        else:
            high = middle
    return low
