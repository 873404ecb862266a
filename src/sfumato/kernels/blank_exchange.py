"""Empty cells of records, exchanged for others until fewer are needed for all to be like enough records."""

from typing import NamedTuple

import numpy as np

from sfumato.kernels._compile import kernel
from sfumato.kernels.group_exchange import accepted, differences, drawn, empty_cells, mean_cost, worth

CATEGORY, BEST, ANY = range(3)  # readings of an empty cell
HOT, COLD = 1.0, 0.2  # temperatures, in mean costs of a cell
PENALTY = 2.0  # for each record that a record is short of


class Demand(NamedTuple):
    """What records must be: like enough others in each of some `sets` of columns, as bits, by a `reading`.

    One that is like f records needs `least[min(f, last)]` people among them: infinitely many where f is too few. A cell of
    a column costs so much, and cannot be made empty where that is infinite.
    """

    costs: np.ndarray
    sets: np.ndarray
    least: np.ndarray
    reading: int


class Block(NamedTuple):
    """Records that are compared among themselves: in which columns two differ, and which cells are empty before."""

    unlike: np.ndarray
    holes: np.ndarray
    people: np.ndarray


class Tally(NamedTuple):
    """How many records each record is like in each set, and how many people they stand for."""

    like: np.ndarray
    stand: np.ndarray


@kernel
def exchanged_blanks(
    states: np.ndarray,
    blanks: np.ndarray,
    people: np.ndarray,
    ends: np.ndarray,
    demand: Demand,
    steps: int,
) -> np.ndarray:
    """The empty cells of each record, as bits, block by block: from `ends[b]` up to `ends[b + 1]`.

    The search begins with `blanks`, and gives back the cheapest that is safe of all it meets. Simulated annealing over the
    empty cells of single records; what is drawn is the same in every run. At most 62 columns.
    """
    found = blanks.copy()
    for b in range(len(ends) - 1):
        here = slice(ends[b], ends[b + 1])
        block = Block(differences(states[here], False), empty_cells(states[here]), people[here])
        found[here] = _annealed(block, demand, found[here].copy(), steps)
    return found


@kernel
def _annealed(block: Block, demand: Demand, blanks: np.ndarray, steps: int) -> np.ndarray:
    holes, costs, n = block.holes, demand.costs, len(blanks)
    state, unit, cost = np.ones(1, np.uint64), mean_cost(demand.costs), 0.0
    tally = _counted(block, demand, blanks)
    tried = Tally(tally.like.copy(), tally.stand.copy())
    for i in range(n):
        cost += worth(blanks[i] & ~holes[i], costs)
    short = _short(tally, demand.least)
    best, fewest = blanks.copy(), cost if short == 0 else np.inf
    for step in range(steps if cost > 0 else 0):
        i = drawn(state, n)
        old = blanks[i]
        new = _changed(block, demand, blanks, i, state)
        if new == old:
            continue
        tried.like[:], tried.stand[:] = tally.like, tally.stand
        _count(block, demand, blanks, i, tried, -1)
        blanks[i] = new
        _count(block, demand, blanks, i, tried, 1)
        shorter = _short(tried, demand.least) - short
        dearer = worth(new & ~holes[i], costs) - worth(old & ~holes[i], costs)
        heat = unit * HOT * (COLD / HOT) ** (step / steps)
        if accepted(state, dearer + PENALTY * unit * shorter, heat):
            tally.like[:], tally.stand[:] = tried.like, tried.stand
            cost, short = cost + dearer, short + shorter
            if short == 0 and cost < fewest - 1e-9 * unit:
                best[:], fewest = blanks, cost
        else:
            blanks[i] = old
    return best


@kernel
def _changed(block: Block, demand: Demand, blanks: np.ndarray, i: int, state: np.ndarray) -> int:
    """Other empty cells for a record: one more or less, those of another, or with them those in which the two differ."""
    kind, j, column = drawn(state, 4), drawn(state, len(blanks)), drawn(state, len(demand.costs))
    new = blanks[i] ^ (np.int64(1) << column)
    if kind >= 2:
        new = blanks[j] if kind == 2 else blanks[j] | block.unlike[i, j]
    for c in range(len(demand.costs)):
        if np.isinf(demand.costs[c]):
            new &= ~(np.int64(1) << c)
    return int(new | block.holes[i])


@kernel
def alike(block: Block, blanks: np.ndarray, i: int, j: int, among: int, reading: int) -> bool:
    """Whether the j-th record is one that somebody who looks for the i-th may take for it.

    CATEGORY: both are written alike. ANY: they are equal where neither is empty. BEST: the j-th has no other value than
    the i-th had before any was made empty, and no more empty cells than the i-th has.
    """
    unlike = block.unlike[i, j] & among
    if reading == CATEGORY:
        return bool((blanks[i] & among) == (blanks[j] & among) and (unlike & ~blanks[i]) == 0)
    if reading == ANY:
        return bool((unlike & ~(blanks[i] | blanks[j])) == 0)
    unlike |= block.holes[i] & ~block.holes[j] & among
    return (unlike & ~blanks[j]) == 0 and _number(blanks[j] & among) <= _number(blanks[i] & among)


@kernel
def _number(cells: int) -> int:
    count = 0
    while cells:
        cells &= cells - 1
        count += 1
    return count


@kernel
def _counted(block: Block, demand: Demand, blanks: np.ndarray) -> Tally:
    n, q = len(blanks), len(demand.sets)
    tally = Tally(np.zeros((q, n), np.int64), np.zeros((q, n)))
    for s in range(q):
        for i in range(n):
            for j in range(n):
                if alike(block, blanks, i, j, demand.sets[s], demand.reading):
                    tally.like[s, i] += 1
                    tally.stand[s, i] += block.people[j]
    return tally


@kernel
def _count(block: Block, demand: Demand, blanks: np.ndarray, i: int, tally: Tally, sign: int) -> None:
    """Add a record to what others are like, or take it away, and count anew what it is like itself."""
    for s in range(len(demand.sets)):
        among, reading = demand.sets[s], demand.reading
        tally.like[s, i], tally.stand[s, i] = 1, block.people[i]
        for j in range(len(blanks)):
            if j != i and alike(block, blanks, j, i, among, reading):
                tally.like[s, j] += sign
                tally.stand[s, j] += sign * block.people[i]
            if j != i and alike(block, blanks, i, j, among, reading):
                tally.like[s, i] += 1
                tally.stand[s, i] += block.people[j]


@kernel
def _short(tally: Tally, least: np.ndarray) -> int:
    """How many records all records are short of in all, and at least one each where people are."""
    fewest, total = 0, 0
    while fewest < len(least) - 1 and np.isinf(least[fewest]):
        fewest += 1
    for s in range(len(tally.like)):
        for i in range(tally.like.shape[1]):
            like = tally.like[s, i]
            if like < fewest:
                total += fewest - like
            elif tally.stand[s, i] < least[min(like, len(least) - 1)]:
                total += 1
    return total
