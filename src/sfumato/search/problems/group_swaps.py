"""Swaps that hide a group as a problem: the wanted signal for as little distortion as it takes."""

from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from sfumato.groups.influential_metric import InfluentialMetric
from sfumato.groups.outliers import mttt
from sfumato.groups.submicrofiles import Submicrofiles
from sfumato.groups.swaps import GIVER, PARTNER, RECORD, TAKER, SwapList
from sfumato.groups.wanted_signal import Target
from sfumato.kernels.influential_metric import swap_distances
from sfumato.kernels.influential_trees import plant
from sfumato.kernels.swap_improvement import UNKNOWN, Nearby
from sfumato.kernels.swap_lists import Ground
from sfumato.kernels.wanted_signal import memberships, signal_after
from sfumato.search.contracts import Costs, Outcome, Problem

FEW = 6  # near records that are remembered for each member and place
REMEMBERED = 40_000_000  # of them in all
SOME = 5000  # records that show how much an attribute tells


class GroupSwaps(Problem[SwapList, SwapList]):
    """Lists of swaps between the places that give and those that take.

    The fitness of a list is the product of three parts, each from 0 to 1: 1 − D / D_max, where D adds up the
    influential metric over the swaps and D_max is that of the longest list with the most distant records;
    the degree to which the signal is the wanted one; and a part that falls once there are more swaps than
    the surplus of the named places. The costs are what each part falls short of 1, in percent, and the score
    is 100 · (1 − fitness): so lower is better here as everywhere. Judging looks at the list alone, never at
    the file.

    `amounts` is what each record adds to the signal that is attacked, such as its grade in a fuzzy model;
    without it, 1 for each record of the group. It serves to tell whether a list is valid.

    Source: Tavrov & Chertov, *SpringerPlus* 5 (2016), eq. 26-28.
    """

    objectives = ("distortion", "conspicuousness", "length")

    def __init__(
        self,
        files: Submicrofiles,
        points: np.ndarray,
        metric: InfluentialMetric,
        target: Target,
        *,
        amounts: np.ndarray | None = None,
        kind: str = "quantity",
        alpha: float = 0.05,
    ) -> None:
        self.files, self.metric, self.target = files, metric, target
        self.kind, self.alpha = kind, alpha
        self.amounts = files.member.astype(np.float64) if amounts is None else amounts
        self.greatest = max(metric.greatest * target.most, 1e-300)
        order = _most_telling(points)
        self.points, self._rows = np.ascontiguousarray(points[:, order]), metric.rows[order]
        self._quantity = files.quantity.astype(np.float64)

    def judge(self, candidate: SwapList) -> Outcome:
        """What each part of the fitness falls short of 1, in percent."""
        distortion = self.distortion(candidate) / self.greatest
        after = signal_after(candidate.rows, self._quantity)
        degree = memberships(after, self.target.wanted.corners).prod()
        beyond = max(len(candidate) - self.target.surplus, 0) / (self.target.surplus + 1)
        return Outcome((100 * distortion, 100 * (1 - float(degree)), 100 * min(beyond, 1.0)))

    def score(self, costs: Costs) -> float:
        return 100 * (1 - float(np.prod([1 - cost / 100 for cost in costs])))

    def distortion(self, swaps: SwapList) -> float:
        """The influential metric, added up over the swaps."""
        return float(swap_distances(swaps.rows, self.points, self._rows).sum())

    def is_valid(self, swaps: SwapList) -> bool:
        """Whether none of the named places is an outlier any more of the signal that is attacked."""
        rows, after = swaps.rows, self._attacked.copy()
        moved = self.amounts[rows[:, RECORD]] - self.amounts[rows[:, PARTNER]]
        np.subtract.at(after, rows[:, GIVER], moved)
        np.add.at(after, rows[:, TAKER], moved)
        if self.kind == "concentration":
            after /= np.maximum(self.files.records, 1)
        return not set(mttt(after, alpha=self.alpha)) & set(self.target.givers.tolist())

    @cached_property
    def _attacked(self) -> np.ndarray:
        return self.files.places.sums(self.amounts)

    def identity(self) -> dict[str, Any]:
        return {
            "file": _digest(self.files.place, self.points),
            "group": _digest(self.files.member),
            "givers": self.target.givers.tolist(),
            "takers": self.target.takers.tolist(),
            "wanted": _digest(self.target.wanted.corners),
            "metric": self.metric.spec(),
        }

    @cached_property
    def ground(self) -> Ground:
        """Where swaps are drawn from: givers by their records of the group, takers by all their records."""
        files, target = self.files, self.target
        return Ground(
            first_member=files.members.first,
            members=files.members.order,
            first_other=files.others.first,
            others=files.others.order,
            givers=target.givers,
            give_up_to=np.cumsum(files.quantity[target.givers], dtype=np.float64),
            takers=target.takers,
            take_up_to=np.cumsum(files.records[target.takers], dtype=np.float64),
        )

    @cached_property
    def nearby(self) -> Nearby:
        files = self.files
        rows = np.concatenate([files.members.at(place) for place in self.target.givers.tolist()])
        slot = np.full(files.n, -1, np.int64)
        slot[rows] = np.arange(len(rows))
        few = int(np.clip(REMEMBERED // max(len(rows) * len(files.names), 1), 1, FEW))
        return Nearby(
            X=self.points,
            metric=self._rows,
            members=plant(self.points, files.members.first, files.members.order),
            others=plant(self.points, files.others.first, files.others.order),
            slot=slot,
            near_others=np.full((len(rows), len(files.names), few), UNKNOWN, np.int64),
            nobody=np.zeros(files.n, bool),
        )

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key not in ("ground", "nearby")}


def _digest(*arrays: np.ndarray) -> str:
    digest = blake2b(digest_size=16)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _most_telling(points: np.ndarray) -> np.ndarray:
    """The attributes in which two records most likely differ, first: so distances grow soon.

    >>> _most_telling(np.array([[1.0, 1], [1, 2], [1, 3]])).tolist()
    [1, 0]
    """
    some = points[:: max(len(points) // SOME, 1)]
    alike = [((np.unique(column, return_counts=True)[1] / len(some)) ** 2).sum() for column in some.T]
    return np.argsort(alike, kind="stable")
