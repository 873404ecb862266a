"""Released records that equal those of unique people, parted by the cheapest swaps."""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.calibrating_swaps import Guard, Products, Records, Tables, guard_change, swap, swap_cost
from sfumato.kernels.random_draws import below, draw


@kernel
def is_among(mark: np.uint64, marks: np.ndarray) -> bool:
    """Whether an ordered list holds a number."""
    at = np.searchsorted(marks, mark)
    return bool(at < len(marks) and marks[at] == mark)


@kernel
def part_coincidences(
    records: Records,
    tables: Tables,
    products: Products,
    guard: Guard,
    movable: np.ndarray,
    marks: np.ndarray,
    people: np.ndarray,
    tries: int,
    state: np.ndarray,
) -> int:
    """Swap each record whose marks add up to one of `people`, by the cheapest of so many tries; told is how many stay.

    `marks` has a number for the content of each cell, so that a record is known by their sum. A swap may not make
    a record, on either side, that equals one of the people, nor a pair that must not meet.
    """
    n = records.bins.shape[0]
    sums = np.zeros(n, np.uint64)
    for i in range(n):
        for j in range(marks.shape[1]):
            sums[i] += marks[i, j]
    left = 0
    for a in range(n):
        if not is_among(sums[a], people):
            continue
        best, column, other = np.inf, -1, -1
        for _ in range(tries):
            j = movable[below(len(movable), draw(state) >> np.uint64(32))]
            b = below(n, draw(state) >> np.uint64(32))
            change = marks[b, j] - marks[a, j]
            if change == np.uint64(0) or is_among(sums[a] + change, people):
                continue
            if is_among(sums[b] - change, people) or guard_change(records, guard, j, a, b) > 0:
                continue
            cost = swap_cost(records, tables, products, j, a, b)
            if cost < best:
                best, column, other = cost, j, b
        if column < 0:
            left += 1
            continue
        change = marks[other, column] - marks[a, column]
        sums[a] += change
        sums[other] -= change
        marks[a, column], marks[other, column] = marks[other, column], marks[a, column]
        swap(records, tables, products, column, a, other)
    return left
