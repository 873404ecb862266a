"""Local suppression where an empty cell is a value like others: small classes of equal records lose cells together."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sfumato.kernels.compatible_records import EMPTY
from sfumato.kernels.distinct_records import distinct
from sfumato.masking._enough_records import EnoughRecords
from sfumato.masking._suppression_demand import Columns, SuppressionDemand

PATIENCE = 6  # rounds of all sets of columns


class Classes(NamedTuple):
    """Records that are equal: a row of states, how many records, the people each stands for, and their first class.

    A class of which some records lose cells is cut in two, so that several may have one origin.
    """

    states: np.ndarray
    counts: np.ndarray
    people: np.ndarray
    origin: np.ndarray

    def sums(self, labels: np.ndarray, among: np.ndarray | bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Records and people with each label."""
        counts = self.counts * among
        return np.bincount(labels, counts).astype(np.int64), np.bincount(labels, counts * self.people)


def suppressed(states: np.ndarray, people: np.ndarray, demand: SuppressionDemand) -> np.ndarray:
    """The states of all cells in the end, when enough records are written alike in each set of columns.

    Together the records that share what is never suppressed must be enough. Sets are looked at in turn until none of them
    has a rare class: cells only ever go, so that this ends. Where it does not end soon, since what helps in one set makes
    others rare in the next, the few that are rare by then lose everything.
    """
    found = distinct([*states.T, people])
    classes = Classes(
        states[found.first], found.counts.astype(np.int64), people[found.first], np.arange(len(found.first))
    )
    tried = [(columns, demand.tried(classes.states, columns)) for columns in demand.sets]
    for _ in range(PATIENCE):
        before = classes
        for columns, sets in tried:
            classes = _made_safe(classes, columns, sets, demand)
        if classes is before or len(tried) == 1:
            break
    return _by_record(_rest_emptied(classes, demand), found.labels)


def _rest_emptied(classes: Classes, demand: SuppressionDemand) -> Classes:
    """Classes that are rare in any set lose all they may, and so do others until those without values are enough."""
    free = np.setdiff1d(np.arange(classes.states.shape[1]), np.array(demand.never, np.int64))
    classes = classes._replace(states=classes.states.copy())
    while (rare := _rare(classes, demand)) is not None:
        unsafe, columns = rare
        empty = (classes.states[:, free] == EMPTY).all(axis=1)
        if (unsafe & ~empty).any():
            classes.states[np.ix_(unsafe & ~empty, free)] = EMPTY
            continue
        fixed = [classes.states[:, j] for j in columns if j in demand.never]
        block = distinct(fixed).labels if fixed else np.zeros(len(empty), np.int64)
        others = np.flatnonzero(np.isin(block, block[unsafe]) & ~empty)
        gaps = (classes.states[others] == EMPTY).sum(axis=1)
        nearest = others[np.lexsort((classes.counts[others], -gaps, block[others]))]
        first = np.r_[True, block[nearest][1:] != block[nearest][:-1]]
        classes.states[np.ix_(nearest[first], free)] = EMPTY
    return classes


def _rare(classes: Classes, demand: SuppressionDemand) -> tuple[np.ndarray, Columns] | None:
    """The classes that are rare in the first set that has any, and that set."""
    for columns in demand.sets:
        alike = distinct([classes.states[:, j] for j in columns]).labels
        safe = demand.enough.safe(*classes.sums(alike))[alike]
        if not safe.all():
            return ~safe, columns
    return None


def _by_record(classes: Classes, labels: np.ndarray) -> np.ndarray:
    by_origin = np.argsort(classes.origin, kind="stable")
    states = np.empty((len(labels), classes.states.shape[1]), classes.states.dtype)
    states[np.argsort(labels, kind="stable")] = np.repeat(
        classes.states[by_origin], classes.counts[by_origin], axis=0
    )
    return states


def _made_safe(classes: Classes, columns: Columns, sets: list[Columns], demand: SuppressionDemand) -> Classes:
    """Classes that are all safe in some columns; the very same where they were before."""
    alike = distinct([*(classes.states[:, j] for j in columns), classes.people])
    counts = np.bincount(alike.labels, classes.counts).astype(np.int64)
    first = alike.first
    few = Classes(classes.states[first], counts, classes.people[first], np.arange(len(first)))
    after = _settled(few, columns, sets, demand)
    return classes if after is few else _handed_down(classes, columns, alike.labels, after)


def _settled(classes: Classes, columns: Columns, sets: list[Columns], demand: SuppressionDemand) -> Classes:
    """The same for classes of which no two are equal in the columns."""
    for chosen, share in _rounds(sets, demand):
        alike = distinct([classes.states[:, j] for j in columns]).labels
        records, people = classes.sums(alike)
        safe = demand.enough.safe(records, people)[alike]
        if safe.all():
            break
        look = _Look(columns, chosen, alike, records[alike], safe)
        classes = _suppressed(classes, look, demand.enough, share)
    return classes


def _handed_down(classes: Classes, columns: Columns, labels: np.ndarray, after: Classes) -> Classes:
    """Classes with the cells that were decided on for all that are equal in some columns.

    Where only some of these records lose cells, they are those that have lost most already. Both are laid out on a line,
    record by record in the order of the labels, and cut wherever one of them ends.
    """
    mine = np.lexsort((-(classes.states == EMPTY).sum(axis=1), labels))
    theirs = np.lexsort((-(after.states == EMPTY).sum(axis=1), after.origin))
    ends, their_ends = np.cumsum(classes.counts[mine]), np.cumsum(after.counts[theirs])
    cuts = np.union1d(ends, their_ends)
    starts = np.r_[0, cuts[:-1]]
    rows, pieces = (
        x[np.searchsorted(e, starts, side="right")] for x, e in ((mine, ends), (theirs, their_ends))
    )
    states = classes.states[rows].copy()
    states[:, list(columns)] = after.states[pieces][:, list(columns)]
    return Classes(states, cuts - starts, classes.people[rows], classes.origin[rows])


def _rounds(sets: list[Columns], demand: SuppressionDemand) -> Iterator[tuple[Columns, float]]:
    """Sets of attributes to try, and how many records may be borrowed for each risky one.

    First one; then so many as cost no more than if the risky ones alone lost everything; then whatever it takes.
    """
    yield from ((chosen, 1.0) for chosen in sets[:-1])
    everything = demand.costs[list(sets[-1])].sum() if sets else 0.0
    for chosen in sets:
        yield chosen, everything / demand.costs[list(chosen)].sum() - 1
    yield from ((chosen, np.inf) for chosen in sets)


class _Look(NamedTuple):
    """What is compared, what may go, which classes are alike, how many records these have, and whether they suffice."""

    columns: Columns
    chosen: Columns
    alike: np.ndarray
    sizes: np.ndarray
    safe: np.ndarray


def _suppressed(classes: Classes, look: _Look, enough: EnoughRecords, share: float) -> Classes:
    """Let risky classes lose the chosen attributes where that makes enough records alike, with those they borrow."""
    states, chosen = classes.states, list(look.chosen)
    kept = [states[:, j] for j in look.columns if j not in look.chosen]
    keys = distinct(kept).labels if kept else np.zeros(len(states), np.int64)
    there = (states[:, chosen] == EMPTY).all(axis=1) & look.safe
    movers, with_people = classes.sums(keys, ~look.safe)
    reached = enough.safe(*classes.sums(keys, ~look.safe | there)) & (movers > 0)
    short = (movers > 0) & ~reached
    lenders = np.flatnonzero(look.safe & ~there & short[keys])
    loans = _loans(classes, look, keys, lenders, (movers, with_people), enough, share)
    reached[keys[loans > 0]] = True
    moved = (~look.safe & reached[keys]) | (loans == classes.counts)
    cut = np.flatnonzero((loans > 0) & (loans < classes.counts))
    after = Classes(
        np.concatenate([states, states[cut]]),
        np.concatenate(
            [np.where(loans < classes.counts, classes.counts - loans, classes.counts), loans[cut]]
        ),
        np.concatenate([classes.people, classes.people[cut]]),
        np.concatenate([classes.origin, classes.origin[cut]]),
    )
    after.states[np.ix_(np.r_[moved, np.ones(len(cut), bool)], chosen)] = EMPTY
    return after


def _loans(
    classes: Classes,
    look: _Look,
    keys: np.ndarray,
    lenders: np.ndarray,
    movers: tuple[np.ndarray, np.ndarray],
    enough: EnoughRecords,
    share: float,
) -> np.ndarray:
    """How many records each class lends to the risky ones of its key: of all that could, the largest does.

    As many as are missing, or all where what is left would not be safe, if these are not too many for the risky ones.
    """
    loans = np.zeros(len(classes.counts), np.int64)
    rows = lenders[np.lexsort((look.alike[lenders], -look.sizes[lenders], keys[lenders]))]
    if not len(rows):
        return loans
    firsts = np.flatnonzero(np.r_[True, keys[rows][1:] != keys[rows][:-1]])
    number = np.repeat(np.arange(len(firsts)), np.diff(np.r_[firsts, len(rows)]))
    same = look.alike[rows] == look.alike[rows[firsts]][number]
    rows, number = rows[same], number[same]
    at = keys[rows[np.searchsorted(number, np.arange(len(firsts)))]]
    wanted = _wanted(classes, rows, number, (movers[0][at], movers[1][at]), enough)
    wanted[wanted > share * movers[0][at]] = 0
    before = np.cumsum(classes.counts[rows]) - classes.counts[rows]
    before -= before[np.searchsorted(number, number)]
    loans[rows] = np.clip(wanted[number] - before, 0, classes.counts[rows])
    return loans


def _wanted(
    classes: Classes,
    rows: np.ndarray,
    number: np.ndarray,
    movers: tuple[np.ndarray, np.ndarray],
    enough: EnoughRecords,
) -> np.ndarray:
    """How many records each of some lending classes is to lend, by what its records stand for at least and at most."""
    counts, people = classes.counts[rows], classes.people[rows]
    size = np.bincount(number, counts).astype(np.int64)
    total = np.bincount(number, counts * people)
    least, most = np.full(len(size), np.inf), np.zeros(len(size))
    np.minimum.at(least, number, people)
    np.maximum.at(most, number, people)
    wanted = np.maximum(enough.k - movers[0], 0)
    short = ~enough.safe(movers[0] + wanted, movers[1] + wanted * least) & (wanted < size)
    while short.any():
        wanted[short] += 1
        short = ~enough.safe(movers[0] + wanted, movers[1] + wanted * least) & (wanted < size)
    fits = enough.safe(size - wanted, total - wanted * most) & (wanted < size)
    return np.where(fits, wanted, size)
