"""Grouping attributes: which numeric attributes to microaggregate together, and the file that comes of it."""

import time
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

from sfumato.core import DataError, Result
from sfumato.core.results import plain
from sfumato.data import Table
from sfumato.masking import Chain
from sfumato.search.contracts import Individual, Optimizer
from sfumato.search.effort import Effort
from sfumato.search.grouping.grouping_operators import OPERATORS
from sfumato.search.grouping.grouping_search import GENERATIONS, search_groupings
from sfumato.search.grouping.groupings import Grouping, number_of_groupings
from sfumato.search.grouping.operator_analytics import OperatorAnalytics
from sfumato.search.histories import thinned
from sfumato.search.maskings.candidates import masked_with
from sfumato.search.optimizers.gomm import Gomm
from sfumato.search.optimizers.grouping_enumeration import MOST, GroupingEnumeration
from sfumato.search.problems.attribute_grouping import AttributeGrouping
from sfumato.search.run_record import Run
from sfumato.search.stop import Stop
from sfumato.version import __version__

SEARCHES = ("auto", "exact", "genetic")


class Place(Result):
    """A grouping by the names of its attributes, its loss and risk in percent, and their mean."""

    groups: tuple[tuple[str, ...], ...]
    loss: float
    risk: float
    score: float


class Grouped(Result):
    """The best grouping that was found, the file it makes, and the search it came from.

    `interval` and `linkage` are the two halves of the risk. `together` and `apart` are the groupings in one
    group and in one group per attribute; `front` holds what no other grouping that was judged beats.
    `exact` says that all groupings were tried: none is better.
    """

    drawn_by: ClassVar[str] = "grouping_front"

    k: int
    best: Place
    interval: float
    linkage: float
    together: Place
    apart: Place
    front: tuple[Place, ...]
    masking: Chain
    exact: bool
    seed: int
    seconds: float
    run: Run = field(repr=False)
    analytics: OperatorAnalytics = field(repr=False)
    original: Table = field(repr=False)
    release: Table = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The grouping, and all that is needed to repeat and to audit the search."""
        run = self.run
        return {
            "sfumato": __version__,
            "original": {"fingerprint": self.original.fingerprint, "records": self.original.n},
            **super().to_dict(),
            "masking": self.masking.spec(),
            "evaluations": run.evaluations,
            "cached": self.analytics.cached,
            "generations": run.history[-1].generation,
            "ended": run.reason,
            "history": [step.to_dict() for step in thinned(run.history)],
            "operators": plain(run.operators),
            "optimizer": run.optimizer,
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "groups": " | ".join(", ".join(group) for group in place.groups),
                "number_of_groups": len(place.groups),
                "loss": place.loss,
                "risk": place.risk,
                "score": place.score,
                "best": place.groups == self.best.groups,
            }
            for place in self.front
        ]


def group_attributes(
    table: Table,
    *,
    k: int = 25,
    names: Sequence[str] = (),
    search: str = "auto",
    generations: int = GENERATIONS,
    population: int = 200,
    operators: Sequence[str] = OPERATORS,
    dynamic: bool = True,
    front: bool = False,
    seed: int = 0,
    workers: int = 1,
    cluster: str = "",
    folder: str | Path | None = None,
) -> Grouped:
    """Find the groups of the numeric key attributes, or of those named, in which MDAV serves best.

    The score is the mean of information loss and disclosure risk (see the problem `attribute_grouping`). Up
    to 8 attributes all groupings are tried; more are searched genetically (`gomm`), which `search="genetic"`
    also does for few. `dynamic` leaves out operators that idle, as D-GOMM does; with `front` groupings
    survive that no other one beats in both loss and risk. With a `folder` the run is kept there, and goes on
    if it is already there.

    >>> from sfumato.datasets import business_survey
    >>> found = group_attributes(business_survey(60, seed=1), k=5, names=["staff", "wages", "profit"])
    >>> found.exact, found.best.score <= min(found.together.score, found.apart.score)
    (True, True)
    """
    began = time.perf_counter()
    if search not in SEARCHES:
        raise DataError(f"search must be one of {', '.join(SEARCHES)}. Got {search!r}.")
    problem = AttributeGrouping(table, k=k, names=names)
    size = len(problem.names)
    exact = search == "exact" or (search == "auto" and size <= MOST)
    optimizer: Optimizer[Grouping, Grouping] = (
        GroupingEnumeration()
        if exact
        else Gomm(
            population=population,
            operators=tuple(operators),
            dynamic=dynamic,
            selection="front" if front else "score",
        )
    )
    found = search_groupings(
        problem,
        optimizer,
        Effort(
            stop=Stop(generations=number_of_groupings(size) if exact else generations),
            seed=seed,
            workers=workers,
            cluster=cluster,
            folder=None if folder is None else Path(folder),
        ),
    )
    best = found.run.best
    masking = problem.chain(best.genome)
    _, interval, linkage = problem.parts(best.genome)
    return Grouped(
        k=k,
        best=_place(problem, best),
        interval=interval,
        linkage=linkage,
        together=_judged(problem, (0,) * size),
        apart=_judged(problem, tuple(range(size))),
        front=tuple(_place(problem, individual) for individual in found.front),
        masking=masking,
        exact=exact and found.run.evaluations == number_of_groupings(size),
        seed=seed,
        seconds=time.perf_counter() - began,
        run=found.run,
        analytics=found.analytics,
        original=table,
        release=masked_with(masking, table, seed=seed),
    )


def _judged(problem: AttributeGrouping, grouping: Grouping) -> Place:
    return _place(problem, Individual(grouping, problem.judge(grouping).costs, ""))


def _place(problem: AttributeGrouping, individual: Individual[Grouping]) -> Place:
    loss, risk = individual.costs
    return Place(
        groups=problem.named(individual.genome), loss=loss, risk=risk, score=problem.score(individual.costs)
    )
