"""Memetic searches that hide what the attack sees in a state, and what is seen afterwards."""

from collections.abc import Mapping
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from sfumato.core import Cancelled
from sfumato.datasets.census_pair import BASIC
from sfumato.groups.influential_metric import InfluentialMetric
from sfumato.groups.outliers import Outliers
from sfumato.groups.signals import RecordPlaces, Signal
from sfumato.groups.submicrofiles import Submicrofiles
from sfumato.groups.swaps import SwapList
from sfumato.groups.wanted_signal import target
from sfumato.reproductions._groups_country import StateFile
from sfumato.search.effort import Effort
from sfumato.search.loop import run
from sfumato.search.optimizers.memetic import Memetic
from sfumato.search.problems.group_swaps import GroupSwaps
from sfumato.search.stop import Ending, Stop

METRIC = InfluentialMetric(attributes=BASIC)  # all categorical, as in the source: the values that differ


class Search(NamedTuple):
    """Which places of a state are hidden, and how; `limit` is the most of the group that they may keep."""

    part: str
    state: str
    hidden: tuple[str, ...]
    generations: int
    seed: int
    limit: float | None = None


class Swapped(NamedTuple):
    """What the last lists of a search come to, and what the attack sees once the best of them is followed."""

    lists: int
    distortions: tuple[float, ...]  # of those that are valid
    swaps: int
    before: Signal
    after: Signal
    found: Outliers

    @property
    def least(self) -> float:
        return min(self.distortions, default=np.nan)


def searched(files: Mapping[str, StateFile], asked: Search) -> Swapped:
    """A function by name, so that worker processes can call it. A list is valid if no hidden place is an outlier of
    the crisp signal any more."""
    file = files[asked.state]
    submicrofiles = Submicrofiles(file.places, file.grades > 0)
    aim = target(submicrofiles, asked.hidden, limit=asked.limit, alpha=file.alpha)
    problem = GroupSwaps(submicrofiles, METRIC.points(file.table), METRIC, aim, alpha=file.alpha)
    effort = Effort(stop=Stop(generations=asked.generations), seed=asked.seed)
    ended = run(problem, Memetic(), effort, label=f"{asked.state}, seed {asked.seed}")
    if ended.ended is Ending.BY_USER:
        raise Cancelled("Stopped while swaps were searched for.")
    lists = [one.genome for one in ended.population]
    valid = [(problem.distortion(one), one) for one in lists if problem.is_valid(one)]
    chosen = min(valid, key=itemgetter(0))[1] if valid else ended.best.genome
    after = _after(file, chosen)
    return Swapped(
        lists=len(lists),
        distortions=tuple(distortion for distortion, _ in valid),
        swaps=len(chosen),
        before=file.seen,
        after=after,
        found=file.outliers(after),
    )


def _after(file: StateFile, swaps: SwapList) -> Signal:
    moved = RecordPlaces(file.places.names, swaps.moved(file.places.codes))
    return moved.signal(file.grades, label="auxiliary quantity, protected")
