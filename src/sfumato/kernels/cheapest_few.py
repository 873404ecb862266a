"""The few rows of X that cost least for each row of Q, every row looked at: quicker than a tree for long lists."""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel

BLOCK = 1024  # rows whose costs are summed at once, column by column


class Costs(NamedTuple):
    """What a difference costs: of a number its square times `weights[j]`, where `first[j]` is −1; of a category of Q
    and one of X `table[first[j] + q · widths[j] + x]`; and `absent[j]` where a value is missing on one side."""

    weights: np.ndarray
    absent: np.ndarray
    first: np.ndarray
    widths: np.ndarray
    table: np.ndarray


@kernel
def cheapest_few(Q: np.ndarray, columns: np.ndarray, costs: Costs, few: int) -> np.ndarray:
    """Row numbers of X, given by its columns, in no order; of equal costs the first. Missing values are NaN."""
    n = columns.shape[1]
    rows, heap, totals = np.zeros((len(Q), few), np.int64), np.empty(few), np.empty(BLOCK)
    for q in range(len(Q)):
        heap[:] = np.inf
        for start in range(0, n, BLOCK):
            end = min(start + BLOCK, n)
            totals[:] = 0.0
            for j in range(len(columns)):
                _add(totals, Q[q, j], columns[j, start:end], costs, j)
            for r in range(end - start):
                if totals[r] < heap[0]:
                    _replace_greatest(heap, rows[q], totals[r], start + r)
    return rows


@kernel
def _add(totals: np.ndarray, q: float, column: np.ndarray, costs: Costs, j: int) -> None:
    absent, weight = costs.absent[j], costs.weights[j]
    if np.isnan(q):
        for r in range(len(column)):
            totals[r] += 0.0 if np.isnan(column[r]) else absent
    elif costs.first[j] < 0:
        for r in range(len(column)):
            cost = (q - column[r]) * (q - column[r]) * weight
            totals[r] += absent if np.isnan(cost) else cost
    else:
        table = costs.table[costs.first[j] + int(q) * costs.widths[j] :]
        for r in range(len(column)):
            totals[r] += absent if np.isnan(column[r]) else table[int(column[r])]


@kernel
def _replace_greatest(heap: np.ndarray, rows: np.ndarray, cost: float, row: int) -> None:
    """Put a row in the place of the most costly one, which is the first of the heap."""
    at, size = 0, len(heap)
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= cost:
            break
        heap[at], rows[at] = heap[child], rows[child]
        at = child
    heap[at], rows[at] = cost, row
