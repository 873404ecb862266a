"""Searching for a grouping of attributes: the run, what its operators did, and the front of what was judged."""

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from sfumato.core import Cancelled, Result
from sfumato.data import Table
from sfumato.masking import Chain
from sfumato.search.contracts import Individual, Optimizer
from sfumato.search.effort import Effort
from sfumato.search.grouping.chronicle import Chronicle
from sfumato.search.grouping.groupings import Grouping
from sfumato.search.grouping.operator_analytics import OperatorAnalytics
from sfumato.search.loop import run
from sfumato.search.optimizers.gomm import Gomm
from sfumato.search.problems.attribute_grouping import AttributeGrouping
from sfumato.search.run_record import Run
from sfumato.search.stop import Ending, Stop

GENERATIONS = 100


class GroupingSearch(Result):
    """A finished search. `front` holds what no other judged grouping beats in both loss and risk."""

    run: Run = field(repr=False)
    analytics: OperatorAnalytics = field(repr=False)
    front: tuple[Individual[Grouping], ...] = field(repr=False)

    @property
    def best(self) -> Grouping:
        grouping: Grouping = self.run.best.genome
        return grouping


def search_groupings(
    problem: AttributeGrouping,
    optimizer: Optimizer[Grouping, Grouping],
    effort: Effort,
) -> GroupingSearch:
    """Search, watching the operators.

    >>> from sfumato.datasets import business_survey
    >>> problem = AttributeGrouping(business_survey(40, seed=1), k=4)
    >>> found = search_groupings(problem, Gomm(population=20), Effort(stop=Stop(generations=5)))
    >>> found.run.score == problem.score(problem.judge(found.best).costs)
    True
    """
    chronicle = Chronicle(problem)
    found = run(problem, optimizer, effort, label=f"Grouping attributes (k = {problem.k})", watch=chronicle)
    return GroupingSearch(run=found, analytics=chronicle.analytics(), front=tuple(chronicle.front))


def grouped_candidates(
    table: Table,
    ks: Sequence[int],
    effort: Effort,
    *,
    names: Sequence[str] = (),
    generations: int = GENERATIONS,
    **parameters: Any,
) -> list[Chain]:
    """For each k the maskings on the front of a search: microaggregation in groups of attributes.

    Candidates for a portfolio, from what loses least to what risks least. Each search makes so many
    `generations`, and is kept in a folder of its own; an interrupt is passed on. Further `parameters` are those of `Gomm`.
    """
    found: list[Chain] = []
    for k in ks:
        problem = AttributeGrouping(table, k=k, names=names)
        optimizer = Gomm.from_parameters({"dynamic": True, **parameters})
        part = effort.part(f"groups-{k}", stop=Stop(generations=generations))
        searched = search_groupings(problem, optimizer, part)
        if searched.run.ended is Ending.BY_USER:
            raise Cancelled("Stopped while attributes were grouped; nothing was written.")
        found += [problem.chain(individual.genome) for individual in searched.front]
    return found
