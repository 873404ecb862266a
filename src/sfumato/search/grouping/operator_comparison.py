"""Each operator of GOMM alone against all of them together: who contributes what to the best score?

Source: Balasch, *thesis*, §4.6.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

from sfumato.core import Result, another
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
    *,
    runs: int = 1,
) -> OperatorComparison:
    """Search with all operators, then with each alone, which makes as many children as all did together.

    Each search is made so many times, by other seeds, and the mean of its runs is told; one that ended before the others
    counts on with its last score.

    >>> from sfumato.datasets import business_survey
    >>> problem = AttributeGrouping(business_survey(40, seed=1), k=4, names=["staff", "wages", "profit"])
    >>> found = compare_operators(problem, Gomm(population=5), Effort(stop=Stop(generations=2)))
    >>> list(found.best)[:3]
    ['combined', 'crossover', 'group_create']
    """
    combined = optimizer or Gomm()
    searches = {COMBINED: combined, **{name: alone(combined, name) for name in OPERATORS}}
    jobs = [
        (search, _run_of(effort.alone(), name, number))
        for name, search in searches.items()
        for number in range(runs)
    ]
    with effort.crew(problem) as crew:
        found = dict(crew.run(_best, jobs))
    courses = [found[place] for place in range(len(jobs))]
    return OperatorComparison(
        best={
            name: mean_course(courses[place * runs : (place + 1) * runs])
            for place, name in enumerate(searches)
        }
    )


def mean_course(courses: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Means by generation; a course that is shorter goes on with its last value.

    >>> mean_course([(3.0, 2.0, 1.0), (3.0,)])
    (3.0, 2.5, 2.0)
    """
    longest = max(map(len, courses))
    drawn = [[*course, *[course[-1]] * (longest - len(course))] for course in courses]
    return tuple(sum(values) / len(values) for values in zip(*drawn, strict=True))


def _run_of(effort: Effort, name: str, number: int) -> Effort:
    """The first run has the seed that was given."""
    seed = effort.seed if number == 0 else another(effort.seed, "operators", number)
    part = effort.part(name if number == 0 else f"{name}-{number}")
    return dataclasses.replace(part, seed=seed)


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
