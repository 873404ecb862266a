"""Sums over the cells of many tables, kept up to date while records move from cell to cell.

All tables lie one after another in one numbering of cells. Counts are stored by number, or, where there are
too many cells, in a hash table: `keys` then holds the number of the cell in each slot (EMPTY if none), and is
of length 0 otherwise. `used[0]` counts the slots taken.
"""

import math

import numpy as np

from sfumato.kernels._compile import kernel

EMPTY = -1
ABSOLUTE, ENTROPY = range(2)  # what is summed over cells: |count| or count · log2(count)


@kernel
def add_to_cells(
    counts: np.ndarray, keys: np.ndarray, used: np.ndarray, cells: np.ndarray, amounts: np.ndarray
) -> None:
    """Add amounts to the counts of cells; the slots must suffice."""
    for r in range(len(cells)):
        counts[_slot(keys, used, cells[r])] += amounts[r]


@kernel
def move_records(
    counts: np.ndarray,
    keys: np.ndarray,
    used: np.ndarray,
    digits: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    strides: np.ndarray,
    offsets: np.ndarray,
    signs: np.ndarray,
    weights: np.ndarray,
    kind: int,
) -> float:
    """Give records new digits, and return by how much the signed sum over cells grows.

    The old digits take the place of the new ones in `values`: the same call again takes the move back.
    Cell of a record in table t: offsets[t] + Σ_j strides[t, j] · digits[record, j].
    """
    growth = 0.0
    for a in range(len(rows)):
        r = rows[a]
        for t in range(len(offsets)):
            step = 0
            for c in range(len(columns)):
                step += strides[t, columns[c]] * (values[a, c] - digits[r, columns[c]])
            if step == 0:
                continue
            cell = offsets[t]
            for j in range(digits.shape[1]):
                cell += strides[t, j] * digits[r, j]
            growth += signs[t] * _grown(counts, _slot(keys, used, cell), -weights[r], kind)
            growth += signs[t] * _grown(counts, _slot(keys, used, cell + step), weights[r], kind)
        for c in range(len(columns)):
            digit = digits[r, columns[c]]
            digits[r, columns[c]] = values[a, c]
            values[a, c] = digit
    return growth


@kernel
def _grown(counts: np.ndarray, slot: int, amount: float, kind: int) -> float:
    before = counts[slot]
    after = before + amount
    counts[slot] = after
    if kind == ABSOLUTE:
        return float(abs(after) - abs(before))
    growth = 0.0
    if after > 0:
        growth += after * math.log2(after)
    if before > 0:
        growth -= before * math.log2(before)
    return growth


@kernel
def _slot(keys: np.ndarray, used: np.ndarray, cell: int) -> int:
    size = len(keys)
    if size == 0:
        return cell
    # multiplied by an odd number, so that neighbouring cells do not cluster; the size is a power of two
    slot = ((cell * 0x9E3779B97F4A7C1) ^ (cell >> 29)) & (size - 1)
    while keys[slot] != EMPTY and keys[slot] != cell:
        slot = (slot + 1) & (size - 1)
    if keys[slot] == EMPTY:
        keys[slot] = cell
        used[0] += 1
    return slot
