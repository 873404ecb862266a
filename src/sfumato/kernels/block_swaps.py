"""Swaps as in `calibrating_swaps`, of values that must stay within blocks of records: households of the same size."""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.calibrating_swaps import Guard, Products, Records, Tables, relief_of, swapped_if_better
from sfumato.kernels.random_draws import below, draw


class Blocks(NamedTuple):
    """The block of each record; records by block, where those of each begin, and how many they are."""

    block: np.ndarray
    order: np.ndarray
    start: np.ndarray
    size: np.ndarray

    @classmethod
    def of(cls, block: np.ndarray) -> "Blocks":
        size = np.bincount(block)
        return cls(block.astype(np.int64), np.argsort(block, kind="stable"), np.cumsum(size) - size, size)


@kernel
def calibrate_within(
    records: Records,
    tables: Tables,
    products: Products,
    guard: Guard,
    movable: np.ndarray,
    blocks: Blocks,
    proposals: int,
    state: np.ndarray,
) -> int:
    """Try so many random swaps between records of the same block; told is how many were kept."""
    n = records.bins.shape[0]
    relief = relief_of(records, guard)
    kept = 0
    for _ in range(proposals):
        j = movable[below(len(movable), draw(state) >> np.uint64(32))]
        bits = draw(state)
        a = below(n, bits >> np.uint64(32))
        g = blocks.block[a]
        b = blocks.order[blocks.start[g] + below(blocks.size[g], bits & np.uint64(0xFFFFFFFF))]
        kept += swapped_if_better(records, tables, products, guard, relief, j, a, b)
    return kept
