"""Groups of records that lose the cells in which they differ: records change groups until fewer cells are lost."""

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.compatible_records import EMPTY

MOST_PRICED = 12  # columns of which the price of every set of cells is kept
HOT, COLD = 2.0, 0.3  # temperatures, in mean costs of a cell
MULTIPLIER, INCREMENT = np.uint64(6364136223846793005), np.uint64(1442695040888963407)
RELOCATE, REGROUP = 0, 3  # of four kinds of moves; the others exchange two records


@kernel
def exchanged_groups(
    states: np.ndarray,
    costs: np.ndarray,
    groups: np.ndarray,
    ends: np.ndarray,
    people: np.ndarray,
    least: np.ndarray,
    steps: int,
) -> np.ndarray:
    """New groups of the records, block by block: from `ends[b]` up to `ends[b + 1]` they only change among themselves.

    A group of f records needs `least[min(f, last)]` people, and none may have so few records that this is infinite.
    Simulated annealing over moves of a record, exchanges of two, mergers and cuts; the best that was met is kept, so that
    no block loses more than before. What is drawn is the same in every run. At most 62 columns.
    """
    found = groups.copy()
    for b in range(len(ends) - 1):
        here = slice(ends[b], ends[b + 1])
        unlike = differences(states[here], True)
        holes = empty_cells(states[here])
        new = _annealed(unlike, holes, costs, _numbered(groups[here]), people[here], least, steps)
        for x in range(
            len(new)
        ):  # numbers of groups are those of records, so that blocks have none in common
            found[ends[b] + x] = new[x] + ends[b]
    return found


@kernel
def differences(states: np.ndarray, empty_is_value: bool) -> np.ndarray:
    """For each two records, the columns in which they differ, as bits; an empty cell differs from values, or not."""
    n, d = states.shape
    found = np.zeros((n, n), np.int64)
    for i in range(n):
        for j in range(i):
            bits = np.int64(0)
            for c in range(d):
                gap = states[i, c] == EMPTY or states[j, c] == EMPTY
                if states[i, c] != states[j, c] and (empty_is_value or not gap):
                    bits |= np.int64(1) << c
            found[i, j] = found[j, i] = bits
    return found


@kernel
def empty_cells(states: np.ndarray) -> np.ndarray:
    """For each record, its empty cells as bits."""
    found = np.zeros(len(states), np.int64)
    for i in range(len(states)):
        for c in range(states.shape[1]):
            if states[i, c] == EMPTY:
                found[i] |= np.int64(1) << c
    return found


@kernel
def worth(cells: int, costs: np.ndarray) -> float:
    """What some cells, given as bits, cost together."""
    total = 0.0
    for c in range(len(costs)):
        if (cells >> c) & 1:
            total += costs[c]
    return total


@kernel
def prices_of(costs: np.ndarray) -> np.ndarray:
    """What each set of cells costs together, by its bits; none where there are too many sets."""
    sets = 1 << len(costs) if len(costs) <= MOST_PRICED else 0
    found = np.empty(sets)
    for cells in range(sets):
        found[cells] = worth(cells, costs)
    return found


@kernel
def priced(cells: int, prices: np.ndarray, costs: np.ndarray) -> float:
    """What some cells cost together, looked up where that is known."""
    return prices[cells] if len(prices) else worth(cells, costs)


@kernel
def mean_cost(costs: np.ndarray) -> float:
    """Of a cell that may be made empty, and more than 0."""
    return float(costs[np.isfinite(costs)].sum() / len(costs)) + 1e-300


@kernel
def drawn(state: np.ndarray, below: int) -> int:
    """The next number below another, of a sequence that is always the same."""
    state[0] = state[0] * MULTIPLIER + INCREMENT
    return int((state[0] >> np.uint64(33)) % np.uint64(below))


@kernel
def accepted(state: np.ndarray, loss: float, temperature: float) -> bool:
    """Whether a move that loses so much is made: always if it gains, else ever more seldom."""
    return loss <= 0 or drawn(state, 1 << 30) / (1 << 30) < np.exp(-loss / temperature)


@kernel
def _numbered(groups: np.ndarray) -> np.ndarray:
    """Groups by the number of their first record."""
    found = np.empty(len(groups), np.int64)
    for i in range(len(groups)):
        found[i] = i
        for j in range(i):
            if groups[j] == groups[i]:
                found[i] = found[j]
                break
    return found


@kernel
def _annealed(
    unlike: np.ndarray,
    holes: np.ndarray,
    costs: np.ndarray,
    group: np.ndarray,
    people: np.ndarray,
    least: np.ndarray,
    steps: int,
) -> np.ndarray:
    n = len(group)
    lost, before, state = np.zeros(n), group.copy(), np.ones(1, np.uint64)
    prices = prices_of(costs)
    for g in range(n):
        lost[g] = _lost(group, g, unlike, holes, prices, costs)
    total = lost.sum()
    best, fewest, unit = group.copy(), total, mean_cost(costs)
    for step in range(steps if total > 0 else 0):
        i, j, kind = drawn(state, n), drawn(state, n), drawn(state, 4)
        g, h = group[i], group[j]
        if g == h and kind != REGROUP:
            continue
        _copy(group, before)
        if kind == RELOCATE:
            group[i] = h
        elif kind != REGROUP:
            group[i], group[j] = h, g
        elif g == h:
            h = _cut(group, i, g, unlike, prices, costs, least)
        else:
            for x in range(n):
                group[x] = g if group[x] == h else group[x]
        loss = np.inf
        if _is_safe(group, g, people, least) and _is_safe(group, h, people, least):
            here = _lost(group, g, unlike, holes, prices, costs)
            there = _lost(group, h, unlike, holes, prices, costs)
            loss = here + there - lost[g] - lost[h]
        if accepted(state, loss, unit * HOT * (COLD / HOT) ** (step / steps)):
            lost[g], lost[h] = here, there
            total += loss
            if total < fewest - 1e-9 * unit:
                _copy(group, best)
                fewest = total
        else:
            _copy(before, group)
    return best


@kernel
def _copy(values: np.ndarray, to: np.ndarray) -> None:
    for x in range(
        len(values)
    ):  # one array assigned to another brings the sentence of an error, to be compiled
        to[x] = values[x]


@kernel
def _cut(
    group: np.ndarray,
    i: int,
    g: int,
    unlike: np.ndarray,
    prices: np.ndarray,
    costs: np.ndarray,
    least: np.ndarray,
) -> int:
    """Let a record and those of its group that are most like it be a new one, with as few records as are allowed."""
    new, size = 0, 0
    while (group == new).any():
        new += 1
        if new == len(group):
            return g
    while np.isinf(least[min(size, len(least) - 1)]):
        nearest, smallest = -1, np.inf
        for x in range(len(group)):
            if group[x] == g and priced(unlike[i, x], prices, costs) < smallest:
                nearest, smallest = x, priced(unlike[i, x], prices, costs)
        if nearest < 0:
            break
        group[nearest] = new
        size += 1
    return new


@kernel
def _is_safe(group: np.ndarray, g: int, people: np.ndarray, least: np.ndarray) -> bool:
    """Whether a group has records and people enough, or no record at all."""
    size, total = 0, 0.0
    for x in range(len(group)):
        if group[x] == g:
            size += 1
            total += people[x]
    return size == 0 or total >= least[min(size, len(least) - 1)]


@kernel
def _lost(
    group: np.ndarray,
    g: int,
    unlike: np.ndarray,
    holes: np.ndarray,
    prices: np.ndarray,
    costs: np.ndarray,
) -> float:
    """What the cells cost that are not empty, in columns in which the records of a group differ."""
    first, cells = -1, np.int64(0)
    for x in range(len(group)):
        if group[x] == g and first < 0:
            first = x
        elif group[x] == g:
            cells |= unlike[first, x]
    total = 0.0
    for x in range(len(group)):
        if group[x] == g and cells:
            total += priced(cells & ~holes[x], prices, costs)
    return total
