"""Each operator of GOMM alone against all of them together: who contributes what to the best score?

Source: Balasch, *thesis*, §4.6.
"""

import dataclasses
from typing import Any, ClassVar

from sfumato.core import Result
from sfumato.search.effort import Effort
from sfumato.search.grouping.grouping_operators import OPERATORS
from sfumato.search.grouping.grouping_search import search_groupings
from sfumato.search.optimizers.gomm import Gomm
from sfumato.search.problems.attribute_grouping import AttributeGrouping
from sfumato.search.stop import Stop

COMBINED = "combined"
USUAL = Effort(stop=Stop(generations=100))


class OperatorComparison(Result):
    """The best score after each generation, with all operators and with each alone."""

    drawn_by: ClassVar[str] = "operator_comparison"

    best: dict[str, tuple[float, ...]]

    def relative(self, operator: str) -> list[float]:
        """The best scores of an operator alone, divided by those of all together."""
        return [
            alone / combined
            for alone, combined in zip(self.best[operator], self.best[COMBINED], strict=False)
        ]

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"operators": name, "generation": generation, "best": best}
            for name, scores in self.best.items()
            for generation, best in enumerate(scores)
        ]


def compare_operators(
    problem: AttributeGrouping,
    optimizer: Gomm | None = None,
    effort: Effort = USUAL,
) -> OperatorComparison:
    """Search with all operators, then with each alone, which makes as many children as all did together.

    >>> from sfumato.datasets import business_survey
    >>> problem = AttributeGrouping(business_survey(40, seed=1), k=4, names=["staff", "wages", "profit"])
    >>> found = compare_operators(problem, Gomm(population=5), Effort(stop=Stop(generations=2)))
    >>> list(found.best)[:3]
    ['combined', 'crossover', 'group_create']
    """
    combined = optimizer or Gomm()
    searches = {COMBINED: combined, **{name: alone(combined, name) for name in OPERATORS}}
    jobs = [(search, effort.part(name).alone()) for name, search in searches.items()]
    with effort.crew(problem) as crew:
        found = dict(crew.run(_best, jobs))
    return OperatorComparison(best={name: found[place] for place, name in enumerate(searches)})


def alone(optimizer: Gomm, operator: str) -> Gomm:
    """The same search with one operator, which makes all the children.

    >>> alone(Gomm(), "group_split")
    Gomm(crossovers=50, mutations=100, operators=('group_split',))
    """
    children = 2 * optimizer.crossovers + optimizer.mutations
    return dataclasses.replace(
        optimizer, operators=(operator,), mutations=children, crossovers=(children + 1) // 2
    )


def _best(problem: AttributeGrouping, job: tuple[Gomm, Effort]) -> tuple[float, ...]:
    found = search_groupings(problem, *job)
    return tuple(step.best for step in found.run.history)
