"""Swaps that hide a group as a problem: the wanted signal for as little distortion as it takes."""

from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from sfumato.groups.influential_metric import InfluentialMetric
from sfumato.groups.outliers import median_and_scale, mttt
from sfumato.groups.submicrofiles import Submicrofiles
from sfumato.groups.swaps import SwapList
from sfumato.groups.views import Views
from sfumato.groups.wanted_signal import Target, counting
from sfumato.kernels.influential_metric import swap_distances
from sfumato.kernels.influential_trees import plant
from sfumato.kernels.swap_improvement import UNKNOWN, Nearby
from sfumato.kernels.swap_lists import Ground
from sfumato.kernels.wanted_signal import memberships, signals_after
from sfumato.search.contracts import Costs, Outcome, Problem

FEW = 6  # near records that are remembered for each member and place
REMEMBERED = 40_000_000  # of them in all
FILLS = 5  # rounds in which places that are full leave their share to the others
SLACK = 0.2  # of the way from the most that is ordinary to the least: room for a search to change partners
MADE_ANEW = (
    "ground",
    "nearby",
    "typical",
    "_seen",
    "_counted",
    "_counted_members",
    "_returned",
)  # not pickled
SOME = 5000  # records that show how much an attribute tells


class GroupSwaps(Problem[SwapList, SwapList]):
    """Lists of swaps between the places that give and those that take.

    The fitness of a list is the product of three parts, each from 0 to 1: 1 − D / D_max, where D adds up the
    influential metric over the swaps and D_max is that of the longest list with the most distant records;
    the degree to which the signal of every view is the wanted one; and a part that falls once there are more swaps
    than the surplus of the named places. The costs are what each part falls short of 1, in percent, and the score
    is 100 · (1 − fitness): so lower is better here as everywhere. Judging looks at the list alone, never at
    the file.

    The `views` are those that the target was made for, by default the count of the group. The source has one.

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
        views: Views | None = None,
        kind: str = "quantity",
        alpha: float = 0.05,
    ) -> None:
        self.files, self.metric, self.target = files, metric, target
        self.kind, self.alpha = kind, alpha
        self.views = views or counting(files)
        self.greatest = max(metric.greatest * target.most, 1e-300)
        order = _most_telling(points)
        self.points, self._rows = np.ascontiguousarray(points[:, order]), metric.rows[order]
        self.signals = self.views.signals(files.places)
        self._corners = np.ascontiguousarray(target.corners).reshape(-1, 4)

    def judge(self, candidate: SwapList) -> Outcome:
        """What each part of the fitness falls short of 1, in percent."""
        distortion = self.distortion(candidate) / self.greatest
        degree = memberships(self.after(candidate).ravel(), self._corners).prod()
        beyond = max(len(candidate) - self.target.surplus, 0) / (self.target.surplus + 1)
        return Outcome((100 * distortion, 100 * (1 - float(degree)), 100 * min(beyond, 1.0)))

    def score(self, costs: Costs) -> float:
        return 100 * (1 - float(np.prod([1 - cost / 100 for cost in costs])))

    def distortion(self, swaps: SwapList) -> float:
        """The influential metric, added up over the swaps."""
        return float(self.distances(swaps).sum())

    def distances(self, swaps: SwapList) -> np.ndarray:
        """The influential metric between the two records of each swap."""
        return swap_distances(swaps.rows, self.points, self._rows)

    def after(self, swaps: SwapList) -> np.ndarray:
        """What each view sees in each place after the swaps: one row a place, one column a view."""
        return signals_after(swaps.rows, self.signals, self.views.amounts)

    def is_valid(self, swaps: SwapList) -> bool:
        """Whether none of the named places is an outlier any more to any attacker."""
        seen = self._outliers(self.after(swaps), swaps)
        return not any(named & found for named, found in zip(self._named, seen, strict=True))

    def loud(self, swaps: SwapList) -> np.ndarray:
        """The places that some attacker sees and should not: named ones, and those that did not stand out before."""
        seen = self._as_seen(self.after(swaps), swaps)
        found = [self._wrong(mttt(values, alpha=self.alpha), at) for at, values in enumerate(seen.T)]
        return np.unique(np.concatenate(found).astype(np.int64))

    def unrest(self, swaps: SwapList, signals: np.ndarray | None = None) -> float:
        """How far these places lie from what is ordinary, added up over all attackers; 0 if there is none.

        The signals may be others than those after the swaps.
        """
        total = 0.0
        seen = self._as_seen(self.after(swaps) if signals is None else signals, swaps)
        for at, values in enumerate(seen.T):
            found = mttt(values, alpha=self.alpha)
            wrong = self._wrong(found, at)
            if wrong:
                centre, scale = median_and_scale(np.delete(values, found))
                total += float(np.abs(values[wrong] - centre).sum()) / max(scale, 1e-300)
        return total

    def _wrong(self, found: list[int], attacker: int) -> list[int]:
        known = self._seen[attacker] - self._named[attacker]
        return [place for place in found if place not in known]

    def unfit(self, swaps: SwapList) -> int:
        """How many places hold what they may not at all, counted once for each view."""
        return int((memberships(self.after(swaps).ravel(), self._corners) <= 0).sum())

    @cached_property
    def _named(self) -> list[set[int]]:
        """The places to hide from each attacker."""
        return [
            set(self.target.hidden_from(at).tolist()) for at in np.flatnonzero(self.views.attackers).tolist()
        ]

    @cached_property
    def typical(self) -> dict[int, np.ndarray]:
        """What each view sees less, on average, where a record of a group is replaced by another."""
        places = range(len(self.files.names))
        rows = {
            group: np.concatenate([self.counted_at(place, group) for place in places])
            for group in self.views.groups
        }
        return {
            group: self.views.amounts[found].mean(axis=0) - self._returned
            for group, found in rows.items()
            if len(found)
        }

    def counted_at(self, place: int, group: int = 0) -> np.ndarray:
        """The records of one place that the first view of a group counts to it."""
        rows = self.files.members.at(place)
        found: np.ndarray = rows[self.views.listed[self.views.first_of(group)].telling[rows]]
        return found

    @cached_property
    def _seen(self) -> list[set[int]]:
        return self._outliers(self.signals, SwapList.of([]))

    def _outliers(self, signals: np.ndarray, swaps: SwapList) -> list[set[int]]:
        """The outliers that each attacker finds in these signals."""
        return [set(mttt(one, alpha=self.alpha)) for one in self._as_seen(signals, swaps).T]

    def _as_seen(self, signals: np.ndarray, swaps: SwapList) -> np.ndarray:
        """What the attackers compare, one column each."""
        seen = signals[:, self.views.attackers]
        if self.kind == "concentration":
            counted = self._counted
            if self.views.sizes is not None:
                counted = signals_after(swaps.rows, counted[:, None], self.views.sizes[:, None])[:, 0]
            seen = seen / np.where(counted > 0, counted, 1)[:, None]
        return seen

    @cached_property
    def _counted(self) -> np.ndarray:
        return self.views.counted(self.files.places)

    def identity(self) -> dict[str, Any]:
        return {
            "file": _digest(self.files.place, self.points),
            "group": _digest(self.files.member, self.views.amounts),
            "givers": self.target.givers.tolist(),
            "takers": self.target.takers.tolist(),
            "wanted": _digest(self.target.corners),
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

    def drawn_movers(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Records that are to leave, in a random order, and their places: drawn by lot until no view sees too many.

        Those who are drawn by lot are like those who stay: so what the views see falls for whoever looks in another way.
        """
        found = [(giver, self._leaving(giver, rng)) for giver in self.target.givers.tolist()]
        movers = np.concatenate([rows for _, rows in found])
        givers = np.repeat(self.target.givers, [len(rows) for _, rows in found])
        order = rng.permutation(len(movers))
        return movers[order], givers[order]

    def drawn_deck(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """The places that take so many records, each by its size and while it has room, in a random order."""
        takers, first = self.target.takers, [self.views.first_of(group) for group in self.views.groups]
        most = self.target.corners[takers[:, None], first, 2]
        room = np.maximum(most - self.signals[takers[:, None], first], 0.0).sum(axis=1)
        shares, left = np.zeros(len(takers)), float(count)
        for _ in range(FILLS):
            weights = self.files.records[takers] * (shares < room)
            if left <= 0 or not weights.any():
                break
            shares = np.minimum(shares + left * weights / weights.sum(), room)
            left = count - shares.sum()
        shares += max(left, 0.0) * self.files.records[takers] / self.files.records[takers].sum()
        return rng.permutation(np.repeat(takers, _whole(shares, count)))

    def _leaving(self, giver: int, rng: np.random.Generator) -> np.ndarray:
        rows = rng.permutation(self.files.members.at(giver))
        staying = np.ones(len(rows), bool)
        low, high = self.target.corners[giver, :, 1], self.target.corners[giver, :, 2]
        left = self.signals[giver] - np.where(np.isfinite(low), high - SLACK * (high - low), high)
        for at, view in enumerate(self.views.listed):
            line = np.flatnonzero(staying & view.telling[rows])
            if left[at] <= 0 or not len(line) or giver not in self.target.hidden_from(at):
                continue
            moved = np.cumsum(self.views.amounts[rows[line], at] - self._returned[at])
            going = line[: int(np.searchsorted(np.maximum.accumulate(moved), left[at] - 1e-9)) + 1]
            staying[going] = False
            left = left - (self.views.amounts[rows[going]] - self._returned).sum(axis=0)
        return rows[~staying]

    @cached_property
    def _returned(self) -> np.ndarray:
        """What a partner adds on average to what each view sees."""
        found: np.ndarray = self.views.amounts[self.files.others.order].mean(axis=0)
        return found

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
        return {key: value for key, value in vars(self).items() if key not in MADE_ANEW}


def _whole(shares: np.ndarray, count: int) -> np.ndarray:
    """Shares as whole numbers that add up to the count: those that lose most by rounding down get what is left.

    >>> _whole(np.array([1.2, 0.9, 0.9]), 3).tolist()
    [1, 1, 1]
    """
    found: np.ndarray = np.floor(shares).astype(np.int64)
    found[np.argsort(found - shares, kind="stable")[: count - int(found.sum())]] += 1
    return found


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
