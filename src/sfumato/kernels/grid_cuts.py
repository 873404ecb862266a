"""A table of two columns cut into boxes that all hold enough records, as a k-d tree is."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def cut_grid(counts: np.ndarray, least: int, labels: np.ndarray, first: int) -> int:
    """Number the cells of a table by the box they are in, from `first` on; told is the next free number.

    A box is cut where (smaller side) / (both) · √(its width on that axis) is largest, while both sides hold at least
    `least` records; so every box does, unless the whole table holds fewer.
    """
    rows, columns = counts.shape
    sums = np.zeros((rows + 1, columns + 1), np.int64)
    for r in range(rows):
        for c in range(columns):
            sums[r + 1, c + 1] = sums[r, c + 1] + sums[r + 1, c] - sums[r, c] + counts[r, c]
    stack = np.empty((rows * columns + 1, 4), np.int64)
    stack[0] = np.array([0, rows, 0, columns])
    depth, number = 1, first
    while depth > 0:
        depth -= 1
        r0, r1, c0, c1 = stack[depth]
        axis, at = best_cut(sums, stack[depth], least)
        if axis < 0:
            labels[r0:r1, c0:c1] = number
            number += 1
        elif axis == 0:
            stack[depth + 1] = np.array([at, r1, c0, c1])
            stack[depth, 1] = at
            depth += 2
        else:
            stack[depth + 1] = np.array([r0, r1, at, c1])
            stack[depth, 3] = at
            depth += 2
    return number


@kernel
def best_cut(sums: np.ndarray, box: np.ndarray, least: int) -> tuple[int, int]:
    """The axis and place of the best cut of a box; −1 where neither side could be spared."""
    r0, r1, c0, c1 = box
    total = sums[r1, c1] - sums[r0, c1] - sums[r1, c0] + sums[r0, c0]
    best, axis, at = 0.0, -1, 0
    for r in range(r0 + 1, r1):
        before = sums[r, c1] - sums[r0, c1] - sums[r, c0] + sums[r0, c0]
        side = min(before, total - before)
        if side >= least and side * np.sqrt(r1 - r0) > best:
            best, axis, at = side * np.sqrt(r1 - r0), 0, r
    for c in range(c0 + 1, c1):
        before = sums[r1, c] - sums[r0, c] - sums[r1, c0] + sums[r0, c0]
        side = min(before, total - before)
        if side >= least and side * np.sqrt(c1 - c0) > best:
            best, axis, at = side * np.sqrt(c1 - c0), 1, c
    return axis, at
