"""Records that take values from each other, one at a time, so that their tables come nearer to measured ones."""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.random_draws import below, draw


class Measured(NamedTuple):
    """Tables that records are brought to.

    Record a is in cell cells[a, t] of table t. Of those that show column j, the k-th is tables[j, k], in which a value
    that is one more lies steps[j, k] cells further; there are shown[j] of them. `gap` is how much a count is above its
    target, and `weight` what its square costs.
    """

    cells: np.ndarray
    tables: np.ndarray
    steps: np.ndarray
    shown: np.ndarray
    gap: np.ndarray
    weight: np.ndarray


@kernel
def fit(
    records: np.ndarray,
    measured: Measured,
    sizes: np.ndarray,
    movable: np.ndarray,
    proposals: int,
    state: np.ndarray,
) -> int:
    """Try so many changes of one value of one record and keep those by which the cost falls; told is how many were.

    The value is that of another record in seven of eight cases, else any of the column's.
    """
    n = len(records)
    kept = 0
    for _ in range(proposals):
        word = draw(state)
        j = movable[below(len(movable), word >> np.uint64(32))]
        bits = draw(state)
        a, b = below(n, bits >> np.uint64(32)), below(n, bits & np.uint64(0xFFFFFFFF))
        value = records[b, j]
        if word & np.uint64(7) == np.uint64(0):
            value = below(sizes[j], bits & np.uint64(0xFFFFFFFF))
        if value != records[a, j] and change_cost(records, measured, a, j, value) < -1e-12:
            change(records, measured, a, j, value)
            kept += 1
    return kept


@kernel
def change_cost(records: np.ndarray, measured: Measured, a: int, j: int, value: int) -> float:
    """By how much the cost would rise if record a had this value in column j."""
    total = 0.0
    gap, weight = measured.gap, measured.weight
    for k in range(measured.shown[j]):
        p = measured.cells[a, measured.tables[j, k]]
        q = p + measured.steps[j, k] * (value - records[a, j])
        total += weight[p] * (1.0 - 2.0 * gap[p]) + weight[q] * (1.0 + 2.0 * gap[q])
    return total


@kernel
def change(records: np.ndarray, measured: Measured, a: int, j: int, value: int) -> None:
    """Give record a this value in column j, and keep cells and gaps up to date."""
    for k in range(measured.shown[j]):
        table = measured.tables[j, k]
        p = measured.cells[a, table]
        q = p + measured.steps[j, k] * (value - records[a, j])
        measured.gap[p] -= 1.0
        measured.gap[q] += 1.0
        measured.cells[a, table] = q
    records[a, j] = value


@kernel
def distances(
    one: np.ndarray, other: np.ndarray, columns: np.ndarray, steps: np.ndarray, cells: np.ndarray
) -> np.ndarray:
    """The sum of absolute differences of each of some tables of two files, one row of columns and steps a table."""
    found = np.zeros(len(columns), np.int64)
    counts = np.zeros(cells.max(), np.int64)
    for table in range(len(columns)):
        counts[: cells[table]] = 0
        for sign, records in ((1, one), (-1, other)):
            for a in range(len(records)):
                cell = 0
                for k in range(columns.shape[1]):
                    cell += steps[table, k] * records[a, columns[table, k]]
                counts[cell] += sign
        found[table] = np.abs(counts[: cells[table]]).sum()
    return found
