"""What is asked of a search for groups of attributes: how it searches, and what a grouping is judged by."""

from collections.abc import Mapping
from typing import Any, ClassVar

from sfumato.core import ParameterError, param
from sfumato.data import Table
from sfumato.jobs._searching import Optimized
from sfumato.measures import Measure
from sfumato.measures.disclosure_risk import DisclosureRisk
from sfumato.measures.information_loss import InformationLoss
from sfumato.search.contracts import Optimizer, Problem
from sfumato.search.fitness import Fitness
from sfumato.search.grouping.correlated_groupings import RECIPES, by_recipe
from sfumato.search.grouping.grouping_operators import OPERATORS
from sfumato.search.grouping.grouping_search import GENERATIONS
from sfumato.search.grouping.groupings import Grouping
from sfumato.search.optimizers.gomm import Gomm
from sfumato.search.optimizers.grouping_enumeration import MOST, GroupingEnumeration
from sfumato.search.problems.attribute_grouping import PERCENTS, AttributeGrouping

AUTO, EXACT, GENETIC = SEARCHES = ("auto", "exact", "genetic")
OURS, PRINTED = "ours", "printed"
PRESETS: Mapping[str, Mapping[str, Any]] = {
    OURS: {"dynamic": True},
    PRINTED: {"tournament": 1, "clones": "keep"},
}
SETTINGS = (
    "population",
    "crossovers",
    "mutations",
    "dynamic",
    "patience",
    "tournament",
    "clones",
)


class GroupingSearchOptions(Optimized):
    """How to search for a grouping, and by which loss and risk."""

    usual: ClassVar[Mapping[str, Any]] = {"generations": GENERATIONS}
    problem: ClassVar[type[Problem[Any, Any]]] = AttributeGrouping
    replaced: ClassVar[tuple[str, ...]] = ("search", "preset", "operators", *SETTINGS, "front")

    search: str | None = param(
        default=None,
        choices=SEARCHES,
        help=f"try all groupings, search genetically, or the first up to {MOST} attributes",
        usual=AUTO,
    )
    preset: str | None = param(
        default=None,
        choices=tuple(PRESETS),
        help="search in our own way, D-GOMM, or as GOMM was printed: parents drawn uniformly, clones kept",
        usual=OURS,
    )
    population: int | None = param(default=None, low=2, help="groupings that survive", usual="200")
    crossovers: int | None = param(
        default=None, low=0, help="crossovers in a generation, two children each", usual="25"
    )
    mutations: int | None = param(
        default=None, low=0, help="mutations in a generation, shared by their operators", usual="50"
    )
    operators: tuple[str, ...] = param(
        default=(), choices=OPERATORS, word="NAME", help="operators to use", usual="all six"
    )
    dynamic: bool | None = param(
        default=None,
        opposite="full",
        help="use an operator no more when it idles (D-GOMM), or all to the end (GOMM)",
        usual="dynamic, but full as printed",
    )
    patience: int | None = param(
        default=None, low=1, help="generations without a surviving child until an operator idles", usual="5"
    )
    tournament: int | None = param(
        default=None,
        low=1,
        help="a parent is the best of so many drawn at random",
        usual="3, as printed 1",
    )
    clones: str | None = param(
        default=None,
        choices=("drop", "keep"),
        help="what becomes of groupings that are there already",
        usual="drop, as printed keep",
    )
    front: bool = param(default=False, help="search for all compromises of loss and risk at once")
    scaling: str = param(
        default="deviation",
        choices=tuple(PERCENTS),
        help="judge standardised values and ID at ±10 %, or values from 0 to 1 and ID over ±1 to ±10 %, "
        "by which the source's numbers come out",
    )
    loss: tuple[Measure, ...] = param(
        default=(), help="measures of loss to lower, in place of SSE/SST, such as 'moments(family=balasch)'"
    )
    risk: tuple[Measure, ...] = param(default=(), help="measures of risk to lower, in place of ID and DLD")

    @property
    def fitness(self) -> Fitness | None:
        """The measures that were named; those that were not are the usual ones of files."""
        if not self.loss and not self.risk:
            return None
        return Fitness(
            self.loss or (InformationLoss(),), self.risk or (DisclosureRisk(linkage="both"),), "mean"
        )

    def grouping_problem(self, table: Table, k: int, names: tuple[str, ...]) -> AttributeGrouping:
        return AttributeGrouping(table, k=k, names=names, scaling=self.scaling, fitness=self.fitness)

    def chosen_optimizer(self, problem: AttributeGrouping) -> Optimizer[Grouping, Grouping]:
        if self.optimizer is not None:
            return self.optimizer
        few = self.search in (AUTO, None) and len(problem.names) <= MOST
        return GroupingEnumeration() if self.search == EXACT or few else self.genetic

    @property
    def genetic(self) -> Gomm:
        """GOMM with what was asked for, also where all groupings are tried."""
        if isinstance(self.optimizer, Gomm):
            return self.optimizer
        given = {name: value for name in SETTINGS if (value := getattr(self, name)) is not None}
        return Gomm.from_parameters(
            {
                **PRESETS[self.preset or OURS],
                "operators": self.operators or OPERATORS,
                "selection": "front" if self.front else "score",
                **given,
            }
        )


def read_grouping(text: str, problem: AttributeGrouping) -> Grouping:
    """A recipe such as "correlated 3", or groups such as "age+income | rent": attributes left out are alone.

    >>> from sfumato.datasets import business_survey
    >>> problem = AttributeGrouping(business_survey(40, seed=1), k=4, names=["staff", "wages", "profit"])
    >>> read_grouping("staff+profit", problem), read_grouping("correlated 2", problem)
    ((0, 1, 0), (0, 0, 1))
    """
    recipe = by_recipe(text, problem.values)
    if recipe is not None:
        return recipe
    groups = [[name.strip() for name in part.split("+")] for part in text.split("|")]
    if not all(map(all, groups)):
        raise ParameterError(
            f"group_attributes: beside takes {' or '.join(RECIPES)} with a number, or names with + between them and | between groups. "
            f"Got {text!r}."
        )
    named = {name for group in groups for name in group}
    return problem.grouping([*groups, *([name] for name in problem.names if name not in named)])
