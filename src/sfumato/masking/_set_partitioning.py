"""Set partitioning by column generation: a linear program over groups, and the groups that would lower it."""

import time
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import scipy

from sfumato.kernels.pricing import find_groups
from sfumato.masking._group_lists import as_groups
from sfumato.masking._nearest_records import neighbours

NODES = 1_000  # per record, of one search for groups
VAIN = 3  # searches cut short before prices are given up
WIDTH = 20_000  # groups written by one search
SMOOTH = 0.5  # weight of the best prices so far in those that are tried
RICH = 20  # groups per record that whole groups are chosen from
KEPT = 12  # groups per record that stay in the linear program
LIMIT = 1  # the status of a program that a limit ended


class Columns:
    """Groups of rows of X with their SSE, without repetition."""

    def __init__(self, X: np.ndarray, k: int) -> None:
        self.X, self.k = X, k
        self.costs = np.zeros(0)
        self.groups: list[tuple[int, ...]] = []
        self.known: set[tuple[int, ...]] = set()

    def add(self, rows: np.ndarray) -> int:
        """Add groups of one size, one per row; return how many are new."""
        new = [group for group in map(tuple, np.sort(rows, axis=1).tolist()) if group not in self.known]
        new = list(dict.fromkeys(new))
        if new:
            members = self.X[np.array(new)]
            costs = ((members - members.mean(axis=1, keepdims=True)) ** 2).sum(axis=(1, 2))
            self.costs = np.concatenate([self.costs, costs])
            self.groups += new
            self.known.update(new)
        return len(new)

    def add_labels(self, labels: np.ndarray) -> None:
        groups = as_groups(self.X, labels, self.k)
        for group in range(labels.max() + 1):
            self.add(groups.members[group : group + 1, : groups.sizes[group]])

    def matrix(self) -> Any:
        """Records by groups: 1 where the record is in the group; in numbers that older solvers take."""
        sizes = [len(group) for group in self.groups]
        rows = np.fromiter((i for group in self.groups for i in group), np.int32, sum(sizes))
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        return scipy.sparse.csc_array(
            (np.ones(len(rows)), rows, starts), shape=(len(self.X), len(self.groups))
        )

    def keep(self, chosen: np.ndarray) -> None:
        self.costs = self.costs[chosen]
        self.groups = [self.groups[c] for c in np.flatnonzero(chosen)]
        self.known = set(self.groups)


def near_columns(columns: Columns) -> None:
    """Each record with its nearest, in groups of the smallest size."""
    X, k = columns.X, columns.k
    m = min(k + 2, len(X) - 1)
    near = np.column_stack([np.arange(len(X)), neighbours(X, m)])
    for others in combinations(range(1, m + 1), k - 1) if k <= 4 else [tuple(range(1, k))]:
        rows = np.sort(near[:, [0, *others]], axis=1)
        columns.add(rows[(np.diff(rows, axis=1) > 0).all(axis=1)])


def priced(columns: Columns, start: float, rounds: int, gap: float) -> tuple[float, np.ndarray]:
    """Add the groups that matter until the program is solved to a relative gap; return bound and prices.

    Any prices π prove a bound: let g_i be the greatest (Σ_{j in G} π_j − SSE_G)/|G| of groups G with the
    record i. Then no group's SSE is below the sum of π_i − g_i over its records, and no partition's below
    the sum over all. The search finds every group whose gain is above a tolerance; the rest is charged with it.
    """
    D = scipy.spatial.distance.cdist(columns.X, columns.X, "sqeuclidean")
    best, centre, vain = 0.0, np.zeros(len(D)), 0
    for turn in range(rounds):
        solved, prices = _program(columns)
        tried = prices if turn == 0 or turn % 4 == 3 else SMOOTH * centre + (1 - SMOOTH) * prices
        bound = _price(columns, D, tried, 0.05 * gap * solved / (len(D) / columns.k))
        vain = 0 if bound else vain + 1
        if bound > best:
            best, centre = bound, tried
        if solved - best <= gap * start or vain == VAIN:
            break
        _forget(columns, prices)
    return best, centre if best else prices


def _program(columns: Columns) -> tuple[float, np.ndarray]:
    """Value and prices of the linear program over the groups so far."""
    n = len(columns.X)
    found: Any = scipy.optimize.linprog(
        columns.costs, A_eq=columns.matrix(), b_eq=np.ones(n), bounds=(0, None), method="highs-ds"
    )
    return float(found.fun), np.asarray(found.eqlin.marginals)


def enrich(columns: Columns, prices: np.ndarray, room: float) -> None:
    """Add all groups whose SSE is above their price by a little: as much as makes some dozen per record."""
    n, k = len(columns.X), columns.k
    D = scipy.spatial.distance.cdist(columns.X, columns.X, "sqeuclidean")
    above = room / 256
    while above <= room:
        batch, complete = [], True
        for s in range(k, min(2 * k, n + 1)):
            found = np.empty((RICH * n, s), np.int64)
            values = D - s / (s - 1) * (prices[:, None] + prices)
            count, ended = find_groups(values, s, -above, np.empty(0), found, NODES * n)
            complete = complete and ended and count < len(found)
            batch.append(found[:count])
        if not complete or sum(map(len, batch)) > RICH * n:
            return
        for found in batch:
            columns.add(found)
        above *= 2


def _price(columns: Columns, D: np.ndarray, prices: np.ndarray, least: float) -> float:
    """Add groups that would pay at these prices; return the bound they prove (0 if a search was cut short)."""
    n, k = len(D), columns.k
    gains = np.full(n, least / k)
    complete = True
    for s in range(k, min(2 * k, n + 1)):
        values = D - s / (s - 1) * (prices[:, None] + prices)
        found = np.empty((WIDTH, s), np.int64)
        count, ended = find_groups(values, s, least, gains, found, NODES * n)
        complete = complete and ended
        columns.add(found[:count])
    return float((prices - gains).sum()) if complete else 0.0


def _forget(columns: Columns, prices: np.ndarray) -> None:
    most = KEPT * len(columns.X)
    if len(columns.groups) > 2 * most:
        reduced = columns.costs - columns.matrix().T @ prices
        # those with a reduced cost of 0 make the program's solution, and must stay
        columns.keep(reduced <= max(np.partition(reduced, most)[most], 1e-9 * columns.costs.max()))


class Choice(NamedTuple):
    """A choice of whole groups: labels, unless none was found, and whether a limit of time or nodes cut the choice short."""

    labels: np.ndarray | None
    cut_short: str = ""


def chosen(columns: Columns, prices: np.ndarray, room: float, nodes: int, seconds: float) -> Choice:
    """The best partition made of groups so far.

    A group whose SSE exceeds its price by more than the gap between the best known SSE and the bound
    (`room`) is in no better partition, and left out.
    """
    reduced = columns.costs - columns.matrix().T @ prices
    columns.keep(reduced <= room)
    return whole_groups(columns, nodes, seconds)


def whole_groups(columns: Columns, nodes: int, seconds: float) -> Choice:
    """The best partition made of these groups, in so many seconds by the clock."""
    n, m = len(columns.X), len(columns.groups)
    started = time.perf_counter()
    found = scipy.optimize.milp(
        columns.costs,
        constraints=scipy.optimize.LinearConstraint(columns.matrix(), np.ones(n), np.ones(n)),
        integrality=np.ones(m, np.int64),
        bounds=scipy.optimize.Bounds(0, 1),
        options={"node_limit": nodes, "time_limit": seconds, "mip_rel_gap": 1e-6},
    )
    cut_short = ""
    if found.status == LIMIT:
        cut_short = "seconds" if time.perf_counter() - started >= seconds else "nodes"
    if found.x is None:
        return Choice(None, cut_short)
    labels = np.empty(n, np.int64)
    for label, c in enumerate(np.flatnonzero(found.x > 0.5)):
        labels[list(columns.groups[c])] = label
    return Choice(labels, cut_short)
