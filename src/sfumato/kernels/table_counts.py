"""Counts of many contingency tables of one file, in one pass each."""

import numpy as np

from sfumato.kernels._compile import kernel


@kernel
def table_counts(
    digits: np.ndarray, columns: np.ndarray, strides: np.ndarray, offsets: np.ndarray, cells: int
) -> np.ndarray:
    """How many records fall into each cell; all tables lie one after another in one numbering.

    `digits` holds a row for each column of the file. Table t is made of those in `columns[t]`, and a record is
    in its cell offsets[t] + Σ_j strides[t, j] · digits[columns[t, j], record]; a stride of 0 fills up.
    """
    counts = np.zeros(cells)
    for t in range(len(offsets)):
        for r in range(digits.shape[1]):
            cell = offsets[t]
            for j in range(columns.shape[1]):
                cell += strides[t, j] * digits[columns[t, j], r]
            counts[cell] += 1.0
    return counts
