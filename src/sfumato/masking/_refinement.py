"""Refinement: simulated annealing over relocations, exchanges, splits and dissolved groups."""

import time
from collections import deque

import numpy as np

from sfumato.core.progress import Task, task
from sfumato.kernels.random_draws import seed_from, state_from
from sfumato.kernels.refine import anneal
from sfumato.masking._group_lists import as_groups, group_centres
from sfumato.masking._nearest_records import neighbours
from sfumato.masking._partition_crossover import crossed
from sfumato.masking._set_partitioning import Columns, whole_groups

NEIGHBOURS = 20  # rows whose groups a row may move to
HOT, COLD = 8.0, 0.06  # temperatures, in what a record costs at least
LOCAL = 0.25  # how far the temperature follows the local distances, from 0 to 1
PATIENCE = 150  # moves per record that a unit of temperature is worth
SPEED = 4e6  # moves a second, to guess how many a time limit allows
# budget and temperature of each cooling: one from the start, then a lesser one from the best seen
COOLINGS = ((0.88, 1.0), (0.12, 0.05))
ENOUGH, FULL = 2_000, 60_000  # moves per record from which on regions are mended, with a clock and without
ONCE = 0.25  # of such a budget, for which the whole file is cooled before
REGIONS = (8, 15, 30, 60)  # the sizes of a region, in groups of k
HEATS = (0.15, 0.2, 0.3, 0.45, 0.9)  # the temperatures a region is cooled from
THOROUGH = 20_000  # moves per record of a region
# where groups are small, the whole file is cooled several times, and the best that can be made of all groups seen is
# looked for twice: after that, and before the end
SMALL, FEW = 4, 5_000  # the largest k and number of records for which that pays
TOGETHER, TWICE = 0.76, 0.9  # of the budget that is used up by then
COMBINING = 0.1  # of the seconds, each time
RECENT = 60  # states of a cooling, the latest ones, whose groups are remembered
POOL = 15_000  # groups to choose from
NODES = 200  # of the search among them
PARTS = 200  # of the budget, after which the temperature and the clock are looked at


def refined(
    X: np.ndarray,
    labels: np.ndarray,
    k: int,
    rng: np.random.Generator,
    *,
    seconds: float = 0.0,
    steps: int = 0,
) -> np.ndarray:
    """Labels of groups of k to 2k − 1 rows whose SSE is at most that of the groups given.

    The search ends after so many seconds of processor time or so many steps, whichever comes first; with
    steps alone it depends on nothing but X, the labels and the generator. It cools down from a temperature
    that depends on the budget, and returns the best groups it has seen. Of a large budget a quarter is spent so; then
    small regions are cooled down again and again, and what became better there is kept.
    """
    X = np.ascontiguousarray(X, dtype=float)
    labels = divided(X, labels, k)
    n = len(X)
    if n < 2 * k or k == 1 or not (steps or seconds):
        return labels
    search = _Search(X, labels, k, seed_from(rng))
    moves = min([steps] * bool(steps) + [int(seconds * SPEED)] * bool(seconds))
    hot = min(max(moves / n / PATIENCE, COLD), HOT)
    budget = _Budget(seconds, steps)
    with task("Refining", PARTS) as work:
        mends = moves >= (ENOUGH if seconds else FULL) * n
        combines = mends and k <= SMALL and n <= FEW
        done = 0.0
        for share, warmth in _several(moves / n) if combines else ((ONCE, 1.0),) if mends else COOLINGS:
            search.cool(budget, work, done, share, max(hot * warmth, COLD))
            done += share
        if combines:
            search.combine(COMBINING * seconds)
            search.mend(budget, work, rng, TWICE)
            search.combine(COMBINING * seconds)
        if mends:
            search.mend(budget, work, rng)
    return search.best


def _several(moves: float) -> tuple[tuple[float, float], ...]:
    """Coolings from the start, as many as so many moves per record are worth."""
    count = min(max(round(TOGETHER * moves / FULL), 4), 16)
    return ((TOGETHER / count, 1.0),) * count


class _Budget:
    """How much of the time or of the moves is used up."""

    def __init__(self, seconds: float, steps: int) -> None:
        self.seconds, self.steps = seconds, steps
        self.start, self.taken = time.thread_time(), 0

    def used(self) -> float:
        by_steps = self.taken / self.steps if self.steps else 0.0
        by_clock = (time.thread_time() - self.start) / self.seconds if self.seconds else 0.0
        return max(by_steps, by_clock)

    def next_steps(self) -> int:
        """So many that the temperature and the clock are looked at often enough."""
        return self.granted(
            max(self.steps // PARTS, 1) if self.steps else max(int(self.seconds * SPEED) // PARTS // 2, 1000)
        )

    def granted(self, steps: int) -> int:
        """So many steps, or those that are left."""
        if self.steps:
            steps = min(steps, self.steps - self.taken)
        self.taken += steps
        return steps


class _Search:
    """The groups as they are and the best there were."""

    def __init__(self, X: np.ndarray, labels: np.ndarray, k: int, seed: int) -> None:
        self.X, self.k = X, k
        self.near, self.costs = _surroundings(X, k)
        self.state, self.every = state_from(seed), np.arange(len(X))
        self.scale = _scale(self.costs, self.every)
        self.best, self.least = labels, _sse(X, labels)
        self.groups = as_groups(X, labels, k)
        self.seen: list[deque[np.ndarray]] = []

    def cool(self, budget: "_Budget", work: Task, done: float, share: float, high: float) -> None:
        """Cool down from a temperature while a share of the budget lasts, starting at the best groups."""
        self.groups = as_groups(self.X, self.best, self.k)
        self.seen.append(deque(maxlen=RECENT))
        while (used := budget.used()) < done + share and used < 1:
            progress = (used - done) / share
            heat = high * (COLD / high) ** (progress / 0.9) if progress < 0.9 else 0.0
            self.run(heat, budget.next_steps())
            self.seen[-1].append(self.groups.labels)
            work.advance(max(int(PARTS * min(budget.used(), 1)) - work.done, 0))

    def mend(self, budget: "_Budget", work: Task, rng: np.random.Generator, until: float = 1.0) -> None:
        """Cool regions down while a budget lasts, mostly at the sizes and temperatures that have helped for their cost."""
        settings = [(groups * self.k, heat) for groups in REGIONS for heat in HEATS]
        sizes = np.array([float(size) for size, _ in settings])
        helped, tried = np.ones(len(settings)), np.ones(len(settings))
        chances = np.sqrt(self.costs) + 1e-9  # more often where there is more to gain
        self.seen.append(deque(maxlen=RECENT))
        while budget.used() < until:
            odds = helped / (tried * sizes)
            choice = rng.choice(len(settings), p=odds / odds.sum())
            centre = rng.choice(len(self.X), p=chances / chances.sum())
            helped[choice] += self.mend_region(budget, centre, *settings[choice])
            tried[choice] += 1
            work.advance(max(int(PARTS * min(budget.used(), 1)) - work.done, 0))

    def mend_region(self, budget: "_Budget", centre: int, size: int, heat: float) -> bool:
        """Cool the records around one down from the best groups; whether some became better."""
        apart = ((self.X - self.X[centre]) ** 2).sum(axis=1)
        region = np.sort(np.argsort(apart, kind="stable")[:size])
        steps = budget.granted(THOROUGH * len(region))
        frozen = steps // 10
        groups = as_groups(self.X, self.best, self.k)
        scale = _scale(self.costs, region)
        for cooling, count in (((heat, COLD), steps - frozen), ((0.0, 0.0), frozen)):
            anneal(self.X, self.near, groups, self.state, scale, cooling, count, region)
        self.seen[-1].append(groups.labels)
        best, less = crossed(self.X, self.best, groups.labels)
        if less > 0:
            self.best, self.least = best, self.least - less
        return less > 0

    def combine(self, seconds: float) -> None:
        """Choose the best partition there is among the groups that coolings ended with."""
        columns = Columns(self.X, self.k)
        columns.add_labels(self.best)
        for number, recent in enumerate(self.seen, start=1):
            most = POOL * number // len(self.seen)
            for labels in reversed(recent):  # the coldest first
                if len(columns.groups) < most:
                    columns.add_labels(labels)
        whole = whole_groups(columns, NODES, seconds or np.inf).labels
        if whole is not None and _sse(self.X, whole) < self.least:
            self.best, self.least = whole, _sse(self.X, whole)

    def run(self, heat: float, steps: int) -> None:
        anneal(self.X, self.near, self.groups, self.state, self.scale, (heat, heat), steps, self.every)
        # afresh: the centres would slowly drift away from the means
        self.groups = as_groups(self.X, self.groups.labels, self.k)
        sse = _sse(self.X, self.groups.labels)
        if sse < self.least:
            self.best, self.least = self.groups.labels.copy(), sse


def divided(X: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """The same groups, numbered from 0, with those of 2k or more cut along their first principal axis.

    >>> divided(np.arange(7.0)[:, None], np.full(7, 4), 2).tolist()
    [0, 0, 1, 1, 2, 2, 2]
    """
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    sizes = np.bincount(labels)
    count = len(sizes)
    for group in np.flatnonzero(sizes >= 2 * k):
        rows = np.flatnonzero(labels == group)
        centred = X[rows] - X[rows].mean(axis=0)
        axis = np.linalg.eigh(centred.T @ centred)[1][:, -1]
        order = rows[
            np.argsort(centred @ (axis * (1 if axis[np.abs(axis).argmax()] > 0 else -1)), kind="stable")
        ]
        pieces = len(rows) // k
        piece = np.minimum(np.arange(len(rows)) // k, pieces - 1)
        labels[order] = np.where(piece == 0, group, count + piece - 1)
        count += pieces - 1
    return labels


def _sse(X: np.ndarray, labels: np.ndarray) -> float:
    return float(((X - group_centres(X, labels, int(labels.max()) + 1)[labels]) ** 2).sum())


def _surroundings(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The nearest rows of each row, and what it costs at least in a group of k."""
    near = neighbours(X, max(NEIGHBOURS, k + 10))
    return near, ((X[near[:, : k - 1]] - X[:, None]) ** 2).sum(axis=(1, 2)) / (2 * k)


def _scale(costs: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The unit of the temperature of each row where some are cooled.

    That lies between what the row itself and the mean of these rows cost at least: where records lie far apart, groups
    freeze at a higher temperature than where they are dense.
    """
    mean = max(costs[rows].mean(), 1e-3 * costs.mean())
    scale: np.ndarray = np.maximum(costs, 1e-3 * mean) ** LOCAL * mean ** (1 - LOCAL)
    return scale
