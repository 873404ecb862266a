"""OMMA: microaggregation by a learning automaton whose records migrate between groups."""

import dataclasses
from typing import ClassVar, Self

import numpy as np
from scipy.spatial.distance import pdist

from sfumato.core import Aliases, ParameterError, Result, param, registry
from sfumato.data import Table
from sfumato.kernels.omma import Automaton, dissolve, learning_cycle
from sfumato.masking._aggregates import column_scales
from sfumato.masking._contract import check_enough
from sfumato.masking._group_lists import rest_joined
from sfumato.masking._microaggregation import Microaggregation, squares
from sfumato.masking._nearest_records import neighbours

ALL_PAIRS = 2000  # up to so many records all pairs are listed (two million), above it those of near records
RUNS = 5  # up to that many records, where runs are not given
NEAR = 30


class Learning(Result):
    """How the automaton learnt: the cycles of the best run, the last of which changed nothing unless they ran out.

    `losses` are those of the records that took part, in percent, at the start and after each cycle; `il` is that of
    the groups in the end, of all records.
    """

    cycles: int
    losses: tuple[float, ...]
    il: float


class Omma(Microaggregation):
    """Groups that learn from pairs of similar records.

    Every record has a state in its group, from 1, certain, to `depth`, the boundary, where all begin. A list
    holds the pairs of records whose distance is at most θ = `theta`·(max D − min D). A cycle takes the pairs in
    turn. Two records of one group are rewarded: each moves one state inwards. Two records of different groups
    are penalised: each moves one state outwards, and one that stands at the boundary joins the group of the
    other, in exchange for the member of it whose leaving is best for SSE. It does so only if SSE does not rise;
    if it would, and one of the two was certain, the pair leaves the list. Cycles end when SSE stays the same, so
    SSE never rises. Where the automaton ends depends on where it begins: with the groups of another method or random
    ones (`start`). Of several `runs` (5 up to 2,000 records), all but the first from random groups, the best is kept.

    The source starts from random groups, learns once and lists all pairs: "OMMA-printed". All pairs are listed up
    to 2,000 records, or where `neighbours` is 0; above, or where more are given, only the pairs of each record and
    its nearest ones (30), and max D is then the distance from the record farthest from the centroid to the one
    farthest from that. Memory is linear, and time nearly so; on Census and Tarragona the loss is within one percent
    of that with all pairs, in a tenth of the time. Pairs are taken in the order of the file, or the nearest first
    (`order="distance"`); the source does not say. Random groups differ in size by at most one record where n is no
    multiple of k; with `remainder="after"` n mod k records drawn at random are set aside, as the source has it, and
    join, when all is learnt, the group where SSE rises least. `learning` tells the loss after each cycle.

    `variable_sizes` answers an open question of the source: groups of k to 2k − 1 records. A record at the
    boundary may then also move alone, if its group keeps k records; and where learning ends, every group is
    dissolved whose records cost less in the groups of their nearest records, and learning begins again.

    The result hangs on `start` and on the random numbers; groups hold k to 2k − 1 records.

    Source: Fayyoumi & Oommen (2006); Fayyoumi, *thesis*, Algorithms 6–10 and §7.6 (variable sizes).

    >>> import pyarrow as pa
    >>> from sfumato.data import table_from_frame
    >>> firms = table_from_frame(pa.table({"staff": [9.5, 1.0, 2.0, 10.5, 4.5, 30.5]}))
    >>> masked = Omma(k=2).apply(firms, np.random.default_rng(1))
    >>> masked["staff"].tolist()
    [7.0, 1.5, 1.5, 20.5, 7.0, 20.5]
    """

    aliases: ClassVar[Aliases] = {
        "OMMA-printed": {"start": "random", "runs": 1, "neighbours": 0, "remainder": "after"},
    }

    depth: int = param(default=5, low=1, help="depth of memory: states of a record in its group")
    theta: float = param(
        default=0.5, low=0, high=1, help="pairs within this share of the range of distances are similar"
    )
    cycles: int = param(default=100, low=1, help="cycles after which learning stops in any case")
    start: str = param(default="iamat", choices=("random", "mdav", "iamat"), help="groups to begin with")
    runs: int | None = param(
        default=None,
        low=1,
        help="how often to learn; after the first time from random groups (above 2,000: once)",
    )
    neighbours: int | None = param(
        default=None,
        low=0,
        help="list only pairs of this many nearest records (0: all pairs; above 2,000 records: 30)",
    )
    order: str = param(
        default="file",
        choices=("file", "distance"),
        help="pairs in the order of the file, or the nearest first",
    )
    remainder: str = param(
        default="spread",
        choices=("spread", "after"),
        help="records beyond a multiple of k: spread over the groups, or set aside and put back afterwards",
    )
    variable_sizes: bool = param(
        default=False, help="groups of k to 2k − 1 records instead of nearly equal ones"
    )

    def check(self) -> None:
        super().check()
        if self.variable_sizes and self.remainder == "after":
            raise ParameterError(f"{self.name}: remainder must be spread where sizes vary. Got 'after'.")

    def group(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self._grouped(X, rng)[0]

    @property
    def grows(self) -> float:  # type: ignore[override]  # each class knows, but for this one
        """All pairs are n²; near pairs grow as the groups to start with do."""
        return 2.0 if self.neighbours == 0 else 1.6

    def of_many(self) -> Self:
        """Near pairs, learnt once."""
        near = NEAR if self.neighbours is None else self.neighbours
        return dataclasses.replace(self, runs=self.runs or 1, neighbours=near)

    def work(self, table: Table, rng: np.random.Generator) -> "Learning | None":
        """The cycles and the loss after each; not where strata are learnt one by one."""
        one = table.n >= 2 * self.k > 2 and len(table.strata()) == 1
        return self.learning(table, rng) if one else None

    def learning(self, table: Table, rng: np.random.Generator) -> "Learning":
        """The loss at the start and after each cycle of the run that was best, on a table taken as a whole."""
        values = table.numbers(self.targets(table))
        X = self.points(values, column_scales(values))
        check_enough(self.name, 2 * self.k, len(X))
        whole = squares(X, np.zeros(len(X), np.int64))
        labels, sums = self._grouped(X, rng)
        return Learning(
            cycles=len(sums) - 1,
            losses=tuple(100 * sse / whole if whole > 0 else 0.0 for sse in sums),
            il=100 * squares(X, labels) / whole if whole > 0 else 0.0,
        )

    def _grouped(self, X: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, list[float]]:
        """Labels of all records, and SSE of those that took part in learning, before it and after each cycle."""
        if self.remainder == "spread" or len(X) % self.k == 0:
            return self._best(X, rng)
        inside = np.sort(rng.permutation(len(X))[len(X) % self.k :])
        labels = np.full(len(X), -1)
        labels[inside], sums = self._best(np.ascontiguousarray(X[inside]), rng)
        return rest_joined(X, labels, self.k), sums

    def _best(self, X: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, list[float]]:
        pairs, near = self._similar(X)
        runs = self.runs or (RUNS if len(X) <= ALL_PAIRS else 1)
        learnt = (self._learnt(X, pairs, near, self._start(X, rng, random=run > 0)) for run in range(runs))
        return min(learnt, key=lambda one: squares(X, one[0]))

    def _similar(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The list of pairs, and the records near to each record."""
        near = neighbours(X, self.neighbours or NEAR)
        if self.neighbours == 0 or (self.neighbours is None and len(X) <= ALL_PAIRS):
            pairs = pairs_within(X, self.theta)
        else:
            pairs = nearest_pairs(X, near, self.theta)
        return pairs if self.order == "file" else nearest_first(X, pairs), near

    def _start(self, X: np.ndarray, rng: np.random.Generator, *, random: bool = False) -> np.ndarray:
        if random or self.start == "random":
            return rng.permutation(np.arange(len(X)) % (len(X) // self.k))
        spec = {"method": self.start, "k": self.k}
        method: Microaggregation = registry.make(
            "masking", spec | ({"gamma": 0.0} if self.start == "iamat" else {})
        )
        return method.group(X, rng)

    def _learnt(
        self, X: np.ndarray, pairs: np.ndarray, near: np.ndarray, labels: np.ndarray
    ) -> tuple[np.ndarray, list[float]]:
        automaton = self._automaton(X, labels)
        enough = 1e-12 * float((X * X).sum())  # falls below are rounding errors
        left, sums = pairs.copy(), [squares(X, labels)]
        for _ in range(self.cycles):
            kept, fallen = learning_cycle(X, left, automaton, self.depth, self.k)
            left = left[:kept]
            sums.append(sums[-1] - fallen)
            if fallen <= enough:
                if not self.variable_sizes or dissolve(X, near, automaton, self.depth) <= enough:
                    break
                left = pairs.copy()
        return np.unique(automaton.labels, return_inverse=True)[1].reshape(-1), sums

    def _automaton(self, X: np.ndarray, labels: np.ndarray) -> Automaton:
        sizes = np.bincount(labels)
        widest = 2 * self.k - 1 if self.variable_sizes else sizes.max()
        members = np.full((len(sizes), widest), -1)
        order = np.argsort(labels, kind="stable")
        within = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        members[labels[order], within] = order
        sums = np.zeros((len(sizes), X.shape[1]))
        np.add.at(sums, labels, X)
        return Automaton(labels.copy(), np.full(len(X), self.depth), members, sizes, sums)


def pairs_within(X: np.ndarray, theta: float) -> np.ndarray:
    """All pairs i < j whose distance is at most θ times the range of the distances: θ·(max D − min D).

    This needs room for n² pairs.

    >>> pairs_within(np.array([[0.0], [1.0], [3.0]]), 0.5).tolist()
    [[0, 1]]
    """
    distances = pdist(X)
    first, second = np.triu_indices(len(X), 1)
    similar = distances <= theta * (distances.max() - distances.min())
    return np.column_stack([first[similar], second[similar]]).astype(np.int32)


def nearest_first(X: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The same pairs in the order of their distances.

    >>> nearest_first(np.array([[0.0], [3.0], [4.0]]), np.array([[0, 1], [0, 2], [1, 2]])).tolist()
    [[1, 2], [0, 1], [0, 2]]
    """
    apart = ((X[pairs[:, 0]] - X[pairs[:, 1]]) ** 2).sum(axis=1)
    return pairs[np.argsort(apart, kind="stable")]


def nearest_pairs(X: np.ndarray, near: np.ndarray, theta: float) -> np.ndarray:
    """The pairs i < j of which one is among the nearest of the other, within θ·(max D − min D).

    Here max D is the distance from the record farthest from the centroid to the one farthest from that.

    >>> nearest_pairs(np.array([[0.0], [1.0], [3.0]]), np.array([[1], [0], [1]]), 1.0).tolist()
    [[0, 1], [1, 2]]
    """
    n, count = near.shape
    i, j = np.repeat(np.arange(n), count), near.ravel()
    first, second = np.divmod(np.unique(np.minimum(i, j) * n + np.maximum(i, j)), n)
    distances = np.sqrt(((X[first] - X[second]) ** 2).sum(axis=1))
    far = X[np.argmax(((X - X.mean(axis=0)) ** 2).sum(axis=1))]
    reach = np.sqrt(((X - far) ** 2).sum(axis=1).max())
    similar = distances <= theta * (reach - distances.min())
    return np.column_stack([first[similar], second[similar]]).astype(np.int32)
