"""Swaps of two records' values in one column that bring tables and products of columns nearer to their targets."""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import INT64, kernel, kernel_within
from sfumato.kernels.random_draws import below, draw

FEATURES = 3  # of each numeric column


class Records(NamedTuple):
    """What the released records are, one row each and one column an attribute; a swap exchanges all of it.

    `bins` number the groups of values that tables count and `fine` those that must not meet; `indicator` is the number
    of the indicator variable that is 1, or −1; `numbers` are the features of numeric columns, so many each.
    `context` is the group of records, never swapped, within which a second set of tables counts. `donor` is the record of
    the original that a value is from, and `holder` which record has it now; `order` are the donors of each column by
    their bins and values, `rank` is the place of each donor there, and `first[j, x]` where those of bin x begin.
    """

    bins: np.ndarray
    fine: np.ndarray
    indicator: np.ndarray
    numbers: np.ndarray
    context: np.ndarray
    donor: np.ndarray
    holder: np.ndarray
    order: np.ndarray
    rank: np.ndarray
    first: np.ndarray


class Threes(NamedTuple):
    """Tables of three columns: the t-th has its cells at start[t] + Σ step[t, i] · bin of columns[t, i].

    `of[j]` are the tables that column j is in, then −1.
    """

    columns: np.ndarray
    start: np.ndarray
    step: np.ndarray
    of: np.ndarray


class Tables(NamedTuple):
    """Tables of pairs: cell[start[s, j, l] + span[s, j, l] · context + step[j, l] · bin of j + step[l, j] · bin of l].

    There are two sets s, of all records and within contexts; a negative start is a table that is not there. Tables of three
    columns have cells of their own among the others.
    `gap` is how much the count of a cell is above its target, and `weight` what its square costs.
    """

    cell: np.ndarray
    start: np.ndarray
    span: np.ndarray
    step: np.ndarray
    gap: np.ndarray
    weight: np.ndarray
    threes: Threes


class Products(NamedTuple):
    """Sums over the records of products of two features: of numbers among themselves, and with indicators.

    From FEATURES · i on are those of the i-th numeric column, `number[j]` is i for column j, or −1; indicators follow.
    Rows are features of numbers; of two such, the smaller is the row.
    """

    number: np.ndarray
    gap: np.ndarray
    weight: np.ndarray


class Guard(NamedTuple):
    """Pairs of fine groups that must not meet: banned[start[j, l] + step[j, l] · fine of j + step[l, j] · fine of l]."""

    banned: np.ndarray
    start: np.ndarray
    step: np.ndarray


RELIEF = 25.0  # what a swap may cost for each pair that must not meet and no longer does
FALL = 1e-9  # by which the cost falls at the least


@kernel_within
def swapped_if_better(
    records: Records, tables: Tables, products: Products, guard: Guard, relief: float, j: int, a: int, b: int
) -> int:
    """Swap two records' values in a column if the cost falls and no more pairs meet that must not; 1 if it was done.

    The guard is long, and so looked into only for swaps that could be kept: whose cost is below `relief`, see `relief_of`.
    """
    if a == b:
        return 0
    cost = swap_cost(records, tables, products, j, a, b)
    if cost >= relief - FALL:
        return 0
    banned = guard_change(records, guard, j, a, b)
    if banned <= 0 and cost + RELIEF * banned < -FALL:
        swap(records, tables, products, j, a, b)
        return 1
    return 0


@kernel
def relief_of(records: Records, guard: Guard) -> float:
    """What a swap may cost: nothing where no two values meet that must not, and so none can be parted."""
    return RELIEF if all_banned_pairs(records, guard) else 0.0


@kernel_within
def swap_cost(records: Records, tables: Tables, products: Products, j: int, a: int, b: int) -> float:
    """By how much the cost would rise if records a and b exchanged their values in column j."""
    return table_cost(records, tables, j, a, b) + product_cost(records, products, j, a, b)


@kernel_within
def table_cost(records: Records, tables: Tables, j: int, a: int, b: int) -> float:
    """Of tables: a leaves cell p for q and b leaves r for s; where two of them are one, the changes add up."""
    x, y = records.bins[a, j], records.bins[b, j]
    if x == y:
        return 0.0
    total = 0.0
    for level in range(tables.start.shape[0]):
        g, h = (records.context[a], records.context[b]) if level else (0, 0)
        for l in range(records.bins.shape[1]):  # noqa: E741 -- a column beside j
            start = tables.start[level, j, l]
            if start < 0:
                continue
            u, v = records.bins[a, l], records.bins[b, l]
            if u == v and g == h:
                continue
            span, own, other = tables.span[level, j, l], tables.step[j, l], tables.step[l, j]
            at_a, at_b = start + span * g + other * u, start + span * h + other * v
            total += moved_cost(tables, at_a + own * x, at_a + own * y, at_b + own * y, at_b + own * x)
    return total + threes_cost(records, tables, j, a, b)


@kernel_within
def threes_cost(records: Records, tables: Tables, j: int, a: int, b: int) -> float:
    """The same of tables of three columns."""
    x, y = records.bins[a, j], records.bins[b, j]
    total = 0.0
    for t in tables.threes.of[j]:
        if t < 0:
            break
        own, at_a, at_b = beside(records, tables.threes, t, j, a, b)
        if at_a != at_b:
            total += moved_cost(tables, at_a + own * x, at_a + own * y, at_b + own * y, at_b + own * x)
    return total


@kernel_within
def beside(records: Records, threes: Threes, t: int, j: int, a: int, b: int) -> tuple[int, int, int]:
    """The step of column j in a table, and where two records stand in it by what they have in its other columns."""
    own, at_a, at_b = 0, threes.start[t], threes.start[t]
    for i in range(3):
        column, step = threes.columns[t, i], threes.step[t, i]
        if column == j:
            own = step
        else:
            at_a += step * records.bins[a, column]
            at_b += step * records.bins[b, column]
    return own, at_a, at_b


@kernel_within
def moved_cost(tables: Tables, p_at: int, q_at: int, r_at: int, s_at: int) -> float:
    """Of a record that leaves cell p for q and one that leaves r for s, by where these cells stand."""
    gap, weight = tables.gap, tables.weight
    p, q, r, s = tables.cell[p_at], tables.cell[q_at], tables.cell[r_at], tables.cell[s_at]
    total: float = weight[p] * (1.0 - 2.0 * gap[p]) + weight[q] * (1.0 + 2.0 * gap[q])
    total += weight[r] * (1.0 - 2.0 * gap[r]) + weight[s] * (1.0 + 2.0 * gap[s])
    total -= 2.0 * weight[p] * (p == q)
    total -= 2.0 * weight[r] * (r == s)
    total -= 2.0 * weight[p] * (p == s)
    total -= 2.0 * weight[q] * (q == r)
    total += 2.0 * weight[p] * (p == r)
    total += 2.0 * weight[q] * (q == s)
    return total


@kernel_within
def product_cost(records: Records, products: Products, j: int, a: int, b: int) -> float:
    total = 0.0
    i = products.number[j]
    if i >= 0:
        for f in range(FEATURES * i, FEATURES * i + FEATURES):
            rise = records.numbers[b, f] - records.numbers[a, f]
            if rise != 0.0:
                total += number_cost(records, products, j, f, rise, a, b)
    p, q = records.indicator[a, j], records.indicator[b, j]
    if p != q:
        for k in range(len(products.number)):
            i = products.number[k]
            if i < 0 or k == j:
                continue
            for f in range(FEATURES * i, FEATURES * i + FEATURES):
                move = records.numbers[b, f] - records.numbers[a, f]
                if p >= 0:  # a, which has the value of feature f, gives the indicator to b
                    total += products.weight[f, p] * move * (move + 2.0 * products.gap[f, p])
                if q >= 0:
                    total += products.weight[f, q] * move * (move - 2.0 * products.gap[f, q])
    return total


@kernel_within
def number_cost(records: Records, products: Products, j: int, f: int, rise: float, a: int, b: int) -> float:
    """Of feature f of column j with the features of all others, if it rises in record a and falls in b."""
    total = 0.0
    for k in range(len(products.number)):
        if k == j:
            continue
        i = products.number[k]
        if i >= 0:
            for e in range(FEATURES * i, FEATURES * i + FEATURES):
                move = rise * (records.numbers[a, e] - records.numbers[b, e])
                row, column = min(e, f), max(e, f)
                total += products.weight[row, column] * move * (move + 2.0 * products.gap[row, column])
        p, q = records.indicator[a, k], records.indicator[b, k]
        if p != q:
            if p >= 0:
                total += products.weight[f, p] * rise * (rise + 2.0 * products.gap[f, p])
            if q >= 0:
                total += products.weight[f, q] * rise * (rise - 2.0 * products.gap[f, q])
    return total


@kernel_within
def guard_change(records: Records, guard: Guard, j: int, a: int, b: int) -> int:
    """How many more pairs that must not meet there would be after a swap."""
    x, y = records.fine[a, j], records.fine[b, j]
    if x == y:
        return 0
    more = 0
    for k in range(records.fine.shape[1]):
        start = guard.start[j, k]
        u, v = records.fine[a, k], records.fine[b, k]
        if start < 0 or u == v:
            continue
        own, other = guard.step[j, k], guard.step[k, j]
        at_a, at_b = start + other * u, start + other * v
        more += guard.banned[at_a + own * y] + guard.banned[at_b + own * x]
        more -= guard.banned[at_a + own * x] + guard.banned[at_b + own * y]
    return more


@kernel
def banned_pairs(records: Records, guard: Guard, a: int, j: int) -> int:
    """How many pairs that must not meet a record has with its value in a column."""
    found = 0
    for k in range(records.fine.shape[1]):
        start = guard.start[j, k]
        if start >= 0:
            at = start + guard.step[j, k] * records.fine[a, j] + guard.step[k, j] * records.fine[a, k]
            found += guard.banned[at]
    return found


@kernel
def all_banned_pairs(records: Records, guard: Guard) -> int:
    """How many pairs that must not meet there are."""
    found = 0
    for a in range(records.fine.shape[0]):
        for j in range(records.fine.shape[1]):
            found += banned_pairs(records, guard, a, j)
    return found // 2  # each was seen from both of its columns


@kernel
def part_banned(
    records: Records,
    tables: Tables,
    products: Products,
    guard: Guard,
    movable: np.ndarray,
    tries: int,
    state: np.ndarray,
) -> int:
    """Swap values that must not meet, each by the cheapest of so many tries; told is how many such pairs stay."""
    n = records.bins.shape[0]
    for a in range(n):
        for m in range(len(movable)):
            j = movable[m]
            if banned_pairs(records, guard, a, j) == 0:
                continue
            best, other = np.inf, INT64(-1)
            for _ in range(tries):
                b = below(n, draw(state) >> np.uint64(32))
                change = guard_change(records, guard, j, a, b)
                if change < 0:
                    cost = swap_cost(records, tables, products, j, a, b) + RELIEF * change
                    if cost < best:
                        best, other = cost, b
            if other >= 0:
                swap(records, tables, products, j, a, other)
    return all_banned_pairs(records, guard)  # a swap may have made one where none was looked for any more


@kernel
def swap(records: Records, tables: Tables, products: Products, j: int, a: int, b: int) -> None:
    """Exchange the values of two records in a column, and keep the gaps up to date."""
    move_record(records, tables, products, j, a, -1.0)
    move_record(records, tables, products, j, b, -1.0)
    records.bins[a, j], records.bins[b, j] = records.bins[b, j], records.bins[a, j]
    records.fine[a, j], records.fine[b, j] = records.fine[b, j], records.fine[a, j]
    records.donor[a, j], records.donor[b, j] = records.donor[b, j], records.donor[a, j]
    records.holder[records.donor[a, j], j], records.holder[records.donor[b, j], j] = a, b
    records.indicator[a, j], records.indicator[b, j] = records.indicator[b, j], records.indicator[a, j]
    i = products.number[j]
    if i >= 0:
        for f in range(FEATURES * i, FEATURES * i + FEATURES):
            records.numbers[a, f], records.numbers[b, f] = records.numbers[b, f], records.numbers[a, f]
    move_record(records, tables, products, j, a, 1.0)
    move_record(records, tables, products, j, b, 1.0)


@kernel
def move_record(records: Records, tables: Tables, products: Products, j: int, a: int, sign: float) -> None:
    """Count a record in all tables and products of column j, or no longer."""
    for level in range(tables.start.shape[0]):
        g = records.context[a] if level else 0
        for l in range(records.bins.shape[1]):  # noqa: E741 -- a column beside j
            if tables.start[level, j, l] >= 0:
                at = tables.start[level, j, l] + tables.span[level, j, l] * g
                at += tables.step[j, l] * records.bins[a, j] + tables.step[l, j] * records.bins[a, l]
                tables.gap[tables.cell[at]] += sign
    for t in tables.threes.of[j]:
        if t < 0:
            break
        own, at, _ = beside(records, tables.threes, t, j, a, a)
        tables.gap[tables.cell[at + own * records.bins[a, j]]] += sign
    i, p = products.number[j], records.indicator[a, j]
    for k in range(len(products.number)):
        if k == j:
            continue
        other, q = products.number[k], records.indicator[a, k]
        for f in range(FEATURES * i, FEATURES * i + FEATURES) if i >= 0 else range(0):
            if other >= 0:
                for e in range(FEATURES * other, FEATURES * other + FEATURES):
                    products.gap[min(e, f), max(e, f)] += sign * records.numbers[a, f] * records.numbers[a, e]
            if q >= 0:
                products.gap[f, q] += sign * records.numbers[a, f]
        if p >= 0 and other >= 0:
            for e in range(FEATURES * other, FEATURES * other + FEATURES):
                products.gap[e, p] += sign * records.numbers[a, e]
