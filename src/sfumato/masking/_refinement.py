"""Refinement: simulated annealing over relocations, exchanges, splits and dissolved groups."""

import time
from collections import deque

import numpy as np

from sfumato.core.progress import Task, task
from sfumato.kernels.random_draws import seed_from, state_from
from sfumato.kernels.refine import anneal
from sfumato.masking._group_lists import as_groups, group_centres
from sfumato.masking._nearest_records import neighbours
from sfumato.masking._set_partitioning import Columns, whole_groups

NEIGHBOURS = 20  # rows whose groups a row may move to
HOT, COLD = 8.0, 0.06  # temperatures, in what a record costs at least
LOCAL = 0.25  # how far the temperature follows the local distances, from 0 to 1
PATIENCE = 150  # moves per record that a unit of temperature is worth
SPEED = 4e6  # moves a second, to guess how many a time limit allows
# budget and temperature of each cooling: one from the start, then a lesser one from the best seen
COOLINGS = ((0.88, 1.0), (0.12, 0.05))
# where groups are small, the good ones of several coolings are put together before the last
TOGETHER, LAST = 0.76, (0.09, 0.05)  # the budget of these coolings, and the last one
FULL = 60_000  # moves per record that a cooling is worth, and that such a search takes without a clock
SMALL, FEW = 4, 5_000  # the largest k and number of records for which that pays
ENOUGH = 2_000  # moves per record that it takes where the clock ends it
COMBINING = 0.15  # of the seconds
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
    that depends on the budget, and returns the best groups it has seen. With a large budget and small groups
    it does so several times, and puts the best of the groups found together by integer programming.
    """
    X = np.ascontiguousarray(X, dtype=float)
    labels = divided(X, labels, k)
    n = len(X)
    if n < 2 * k or k == 1 or not (steps or seconds):
        return labels
    near, scale = _surroundings(X, k)
    search = _Search(X, near, scale, labels, k, seed_from(rng))
    moves = min([steps] * bool(steps) + [int(seconds * SPEED)] * bool(seconds))
    several = k <= SMALL and n <= FEW and moves >= (ENOUGH if seconds else FULL) * n
    coolings = _several(moves / n) if several else COOLINGS
    longest = coolings[0][0] if several else 1.0
    hot = min(max(longest * moves / n / PATIENCE, COLD), HOT)
    budget = _Budget(seconds, steps)
    with task("Refining", PARTS) as work:
        done = 0.0
        for share, warmth in coolings:
            if several and warmth < 1:
                search.combine(COMBINING * seconds)
                done = max(done, min(budget.used(), 1 - share))
            search.cool(budget, work, done, share, max(hot * warmth, COLD))
            done += share
    return search.best


def _several(moves: float) -> tuple[tuple[float, float], ...]:
    """Coolings from the start, as many as so many moves per record are worth, and the last one."""
    count = min(max(round(TOGETHER * moves / FULL), 4), 16)
    return ((TOGETHER / count, 1.0),) * count + (LAST,)


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
        if self.steps:
            steps = min(max(self.steps // PARTS, 1), self.steps - self.taken)
        else:
            steps = max(int(self.seconds * SPEED) // PARTS // 2, 1000)
        self.taken += steps
        return steps


class _Search:
    """The groups as they are and the best there were."""

    def __init__(
        self, X: np.ndarray, near: np.ndarray, scale: np.ndarray, labels: np.ndarray, k: int, seed: int
    ) -> None:
        self.X, self.near, self.scale, self.k = X, near, scale, k
        self.state = state_from(seed)
        self.best, self.least = labels, _sse(X, labels)
        self.groups = as_groups(X, labels, k)
        self.coolings: list[deque[np.ndarray]] = []

    def cool(self, budget: "_Budget", work: Task, done: float, share: float, high: float) -> None:
        """Cool down from a temperature while a share of the budget lasts, starting at the best groups."""
        self.groups = as_groups(self.X, self.best, self.k)
        self.coolings.append(deque(maxlen=RECENT))
        while (used := budget.used()) < done + share and used < 1:
            progress = (used - done) / share
            heat = high * (COLD / high) ** (progress / 0.9) if progress < 0.9 else 0.0
            self.run(heat, budget.next_steps())
            self.coolings[-1].append(self.groups.labels)
            work.advance(max(int(PARTS * min(budget.used(), 1)) - work.done, 0))

    def combine(self, seconds: float) -> None:
        """Choose the best partition there is among the groups that the coolings ended with."""
        columns = Columns(self.X, self.k)
        columns.add_labels(self.best)
        for number, recent in enumerate(self.coolings, start=1):
            most = POOL * number // len(self.coolings)
            for labels in reversed(recent):  # the coldest first
                if len(columns.groups) < most:
                    columns.add_labels(labels)
        whole = whole_groups(columns, NODES, seconds or np.inf).labels
        if whole is not None and _sse(self.X, whole) < self.least:
            self.best, self.least = whole, _sse(self.X, whole)

    def run(self, heat: float, steps: int) -> None:
        anneal(self.X, self.near, self.groups, self.state, self.scale, (heat, heat), steps)
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
    """The nearest rows of each row, and the unit of its temperature: what a row costs in a group of k.

    That lies between what the row itself and the mean row cost at least: where records lie far apart, groups
    freeze at a higher temperature than where they are dense.
    """
    near = neighbours(X, max(NEIGHBOURS, k + 10))
    own = ((X[near[:, : k - 1]] - X[:, None]) ** 2).sum(axis=(1, 2)) / (2 * k)
    scale = np.maximum(own, 1e-3 * own.mean()) ** LOCAL * own.mean() ** (1 - LOCAL)
    return near, scale
