"""Swaps as in `calibrating_swaps`, each offered to a record by chance, by nearness or where it is wanted."""

import numpy as np

from sfumato.kernels._compile import kernel, kernel_within
from sfumato.kernels.calibrating_swaps import Guard, Products, Records, Tables, relief_of, swapped_if_better
from sfumato.kernels.random_draws import below, draw


@kernel
def calibrate(
    records: Records,
    tables: Tables,
    products: Products,
    guard: Guard,
    movable: np.ndarray,
    proposals: int,
    state: np.ndarray,
) -> int:
    """Try so many random swaps and keep those by which the cost falls; told is how many were kept."""
    n = records.bins.shape[0]
    relief = relief_of(records, guard)
    kept = 0
    for _ in range(proposals):
        bits = draw(state)
        j = movable[below(len(movable), bits >> np.uint64(32))]
        chance = bits & np.uint64(0xFFFFFFFF)
        bits = draw(state)
        a = below(n, bits >> np.uint64(32))
        b = below(n, bits & np.uint64(0xFFFFFFFF))
        b = partner(records, tables, j, a, b, chance, products.number[j] >= 0)
        kept += swapped_if_better(records, tables, products, guard, relief, j, a, b)
    return kept


@kernel_within
def partner(
    records: Records, tables: Tables, j: int, a: int, b: int, chance: np.uint64, is_number: bool
) -> int:
    """With whom record a swaps its value in column j: anybody, that is b, or one who is chosen.

    Three numbers in four are swapped with near ones. Of the others, and of categories, every other one is swapped with a
    value that is wanted where record a stands.
    """
    if is_number and chance & np.uint64(3):
        return near_in_rank(records, j, a, b, chance >> np.uint64(3))
    if chance & np.uint64(4):
        return with_wanted_value(records, tables, j, a, b)
    return b


@kernel_within
def near_in_rank(records: Records, j: int, a: int, b: int, chance: np.uint64) -> int:
    """Who has a number some ranks away from that of record a.

    Each reach is half as likely as one twice as far. Swaps of numbers that are far apart move products by far, and help
    at the beginning only. There is nobody beyond the ends: then it is a itself.
    """
    n = records.holder.shape[0]
    reach = n
    while reach > 2 and chance & np.uint64(1):
        reach //= 2
        chance >>= np.uint64(1)
    step = 1 + b % max(reach // 2, 1)
    place = records.rank[records.donor[a, j], j] + (step if chance & np.uint64(2) else -step)
    return records.holder[records.order[place, j], j] if 0 <= place < n else a


@kernel_within
def with_wanted_value(records: Records, tables: Tables, j: int, a: int, b: int) -> int:
    """Somebody who has what is most wanted in column j where the table is that counts too many like record a.

    It is the table of all records in which the cell of a is above its target by most, and the bin of j whose cell, beside
    what a has in the other column, is below it by most. Where a is in no such cell, it is b.
    """
    x = records.bins[a, j]
    most, column = 0.0, -1
    for l in range(records.bins.shape[1]):  # noqa: E741 -- a column beside j
        start = tables.start[0, j, l]
        if start >= 0:
            p = tables.cell[start + tables.step[j, l] * x + tables.step[l, j] * records.bins[a, l]]
            above = tables.weight[p] * tables.gap[p]
            if above > most:
                most, column = above, l
    if column < 0:
        return b
    at = tables.start[0, j, column] + tables.step[column, j] * records.bins[a, column]
    least, wanted = 0.0, -1
    for y in range(records.first.shape[1] - 1):
        if records.first[j, y] < records.first[j, y + 1]:
            q = tables.cell[at + tables.step[j, column] * y]
            above = tables.weight[q] * tables.gap[q]
            if above < least:
                least, wanted = above, y
    if wanted < 0:
        return b
    first, last = records.first[j, wanted], records.first[j, wanted + 1]
    holder: int = records.holder[records.order[first + b % (last - first), j], j]
    return holder
