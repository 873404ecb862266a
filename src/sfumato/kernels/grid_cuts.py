"""A table of two columns cut into boxes that hold enough records, as a k-d tree is, and regions where hardly anybody is."""

import numpy as np

from sfumato.kernels._compile import INT64, kernel


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
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, rows, 0, columns
    depth, number = 1, first
    while depth > 0:
        depth -= 1
        r0, r1, c0, c1 = stack[depth]
        axis, at = best_cut(sums, stack[depth], least)
        if axis < 0:
            labels[r0:r1, c0:c1] = number
            number += 1
        else:
            for end in range(4):
                stack[depth + 1, end] = stack[depth, end]
            stack[depth, 2 * axis + 1] = stack[depth + 1, 2 * axis] = at
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


@kernel
def cut_off_sparse(
    counts: np.ndarray, least: int, labels: np.ndarray, first: int, after: int, parents: np.ndarray
) -> int:
    """Cut off the boxes `first` to `after` what is nearly empty, and number it from `after` on; told is the next free number.

    A side of a box is nearly empty where at least `least` records would be if rows and columns were unrelated, and
    fewer than `least` and than half as many are, while the rest of the box holds at least `least`. The side with the
    most records fewer than that is cut off first. `parents` holds, for each new number, the box that it was cut off.
    """
    found, unrelated = summed(counts.astype(np.float64)), summed(unrelated_counts(counts))
    boxes = extents(labels, first, after)
    number = after
    for i in range(len(boxes)):
        box = boxes[i]
        axis, at, high = sparsest_side(found, unrelated, box, least)
        while axis >= 0:
            side = box.copy()
            side[2 * axis + (0 if high else 1)] = at
            box[2 * axis + (1 if high else 0)] = at
            labels[side[0] : side[1], side[2] : side[3]] = number
            parents[number - after] = first + i
            number += 1
            axis, at, high = sparsest_side(found, unrelated, box, least)
    return number


@kernel
def sparsest_side(
    found: np.ndarray, unrelated: np.ndarray, box: np.ndarray, least: int
) -> tuple[int, int, bool]:
    """The axis and place at which a nearly empty side is cut off, and whether it is that of higher numbers; −1 if none is."""
    total, everybody = inside(found, box), max(found[-1, -1], 1.0)
    most, axis, at, high = 0.0, INT64(-1), INT64(-1), False
    side = box.copy()
    for cut in range(2):
        for place in range(box[2 * cut] + 1, box[2 * cut + 1]):
            for above in (False, True):
                for end in range(4):
                    side[end] = box[end]
                side[2 * cut + (0 if above else 1)] = place
                here, wanted = inside(found, side), inside(unrelated, side) / everybody
                sparse = wanted >= least and here < least and 2 * here < wanted
                if sparse and total - here >= least and wanted - here > most:
                    most, axis, at, high = wanted - here, INT64(cut), place, above
    return axis, at, high


@kernel
def extents(labels: np.ndarray, first: int, after: int) -> np.ndarray:
    """The rows and columns of each box, from and to; −1 for a number that no cell has."""
    boxes = np.full((after - first, 4), -1)
    for r in range(labels.shape[0]):
        for c in range(labels.shape[1]):
            box = boxes[labels[r, c] - first]
            if box[0] < 0:
                box[0], box[2] = r, c
            box[1], box[3] = max(box[1], r + 1), max(box[3], c + 1)
    return boxes


@kernel
def unrelated_counts(counts: np.ndarray) -> np.ndarray:
    """What each cell would hold if rows and columns were unrelated, times the sum of all: whole numbers, that add up exactly."""
    rows, columns = counts.shape
    across, down = np.zeros(rows), np.zeros(columns)
    for r in range(rows):
        for c in range(columns):
            across[r] += counts[r, c]
            down[c] += counts[r, c]
    expected = np.zeros((rows, columns))
    for r in range(rows):
        for c in range(columns):
            expected[r, c] = across[r] * down[c]
    return expected


@kernel
def summed(values: np.ndarray) -> np.ndarray:
    """Sums of all cells before a row and a column."""
    rows, columns = values.shape
    sums = np.zeros((rows + 1, columns + 1))
    for r in range(rows):
        for c in range(columns):
            sums[r + 1, c + 1] = sums[r, c + 1] + sums[r + 1, c] - sums[r, c] + values[r, c]
    return sums


@kernel
def inside(sums: np.ndarray, box: np.ndarray) -> float:
    """The sum of the cells of a box."""
    r0, r1, c0, c1 = box
    total: float = sums[r1, c1] - sums[r0, c1] - sums[r1, c0] + sums[r0, c0]
    return total
