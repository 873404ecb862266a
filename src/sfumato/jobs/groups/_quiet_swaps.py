"""A few more swaps after a search, so that no place comes to stand out that did not before."""

from collections.abc import Iterator

import numpy as np

from sfumato.groups.swaps import GIVER, PARTNER, RECORD, TAKER, SwapList
from sfumato.search.problems.group_swaps import GroupSwaps

PAIRS = 200  # of a place that gives one and a place that takes it, tried at each step
PATIENCE = 5  # pairs of a step that are worth a closer look, and steps in a row that find nothing
CHANGED = 0.5  # of the surplus: more swaps than this are not worth it

Pair = tuple[int, int]


def quieted(problem: GroupSwaps, swaps: SwapList, rng: np.random.Generator) -> SwapList:
    """The list with some records sent elsewhere, and some swaps more, until no attacker sees a place it should not.

    Places that were just ordinary may come to stand out where others change: hidden places gather near the quartiles,
    and the scale shrinks. So records leave these places or come to them, or go where they widen the scale again.
    Each step takes the best of some pairs of places. The list comes back as it was where that does not suffice.
    """
    found, missed = swaps, 0
    for _ in range(int(CHANGED * problem.target.surplus) + PAIRS):
        if missed > PATIENCE or not problem.unrest(found):
            break
        better = _step(problem, found, rng)
        missed = 0 if better is not None else missed + 1
        found = found if better is None else better
    return swaps if problem.unrest(found) else found


def _step(problem: GroupSwaps, swaps: SwapList, rng: np.random.Generator) -> SwapList | None:
    """The list after the best move of one record, if there is a better one."""
    before, unfit, signals = problem.unrest(swaps), problem.unfit(swaps), problem.after(swaps)
    seen = []
    for group, typical in problem.typical.items():
        for source, goal in _pairs(problem, swaps, rng):
            after = signals.copy()
            after[source] -= typical
            after[goal] += typical
            seen.append((problem.unrest(swaps, after), source, goal, group))
    for unrest, source, goal, group in sorted(seen)[:PATIENCE]:
        moved = _moved(problem, swaps, (source, goal), group, rng) if unrest < before else None
        if moved is not None and problem.unrest(moved) < before and problem.unfit(moved) <= unfit:
            return moved
    return None


def _pairs(problem: GroupSwaps, swaps: SwapList, rng: np.random.Generator) -> Iterator[Pair]:
    """From where and to where: half of them begin or end at a place that stands out, the others anywhere."""
    takers = problem.target.takers
    loud = np.intersect1d(problem.loud(swaps), takers)
    ends = [(takers, takers)] if not len(loud) else [(loud, takers), (takers, loud), (takers, takers)]
    for sources, goals in ends:
        drawn = {(int(rng.choice(sources)), int(rng.choice(goals))) for _ in range(PAIRS // len(ends))}
        yield from sorted(pair for pair in drawn if pair[0] != pair[1])


def _moved(
    problem: GroupSwaps, swaps: SwapList, pair: Pair, group: int, rng: np.random.Generator
) -> SwapList | None:
    """One record of a group goes to another place: one that a swap brought, or else one that was there before."""
    source, goal = pair
    rows = swaps.rows
    telling = problem.views.telling_of(group)[rows[:, RECORD]]
    brought = np.flatnonzero(telling & (rows[:, TAKER] == source) & (rows[:, GIVER] != goal))
    if len(brought):
        at = int(rng.choice(brought))
        return _with_nearest(problem, np.delete(rows, at, axis=0), (*rows[at, :TAKER].tolist(), goal))
    free = np.setdiff1d(problem.counted_at(source, group), rows[:, [RECORD, PARTNER]])
    return _with_nearest(problem, rows, (source, int(rng.choice(free)), goal)) if len(free) else None


def _with_nearest(problem: GroupSwaps, rows: np.ndarray, sent: tuple[int, ...]) -> SwapList | None:
    """The list with one swap more: a place, its record, and where it goes; its partner is the nearest one there."""
    partners = np.setdiff1d(problem.files.others.at(sent[2]), rows[:, [RECORD, PARTNER]])
    if not len(partners):
        return None
    made = np.column_stack([np.tile(sent, (len(partners), 1)), partners])
    nearest = int(np.argmin(problem.distances(SwapList.of(made))))
    return SwapList.of(np.vstack([rows, made[nearest]]))
