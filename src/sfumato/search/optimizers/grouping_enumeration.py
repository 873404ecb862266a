"""Every grouping of a few attributes, one after the other: what the best one is, is then certain."""

from itertools import islice

import numpy as np

from sfumato.core import DataError, param
from sfumato.search.contracts import Asking, Generation, Individual, Optimizer, Trial
from sfumato.search.grouping.groupings import Grouping, all_groupings
from sfumato.search.pareto import front
from sfumato.search.problems.attribute_grouping import AttributeGrouping

MOST = 8  # attributes: 4140 groupings


class GroupingEnumeration(Optimizer[Grouping, Grouping]):
    """All groupings, batch by batch; the population is the best so far and those that no other one beats.

    There are 877 groupings of 7 attributes, 4140 of 8, and 4,213,597 of 12: more than 8 are refused.

    >>> GroupingEnumeration(batch=100)
    GroupingEnumeration(batch=100)
    """

    batch: int = param(default=250, low=1, help="groupings judged at once")

    def search(
        self, problem: AttributeGrouping, rng: np.random.Generator
    ) -> Asking[Grouping, Grouping, None]:
        size = len(problem.names)
        if size > MOST:
            raise DataError(
                f"{self.name}: {size} attributes have too many groupings to try them all; "
                f"name at most {MOST}, or search with gomm."
            )
        kept: list[Individual[Grouping]] = []
        left = all_groupings(size)
        while groupings := tuple(islice(left, self.batch)):
            outcomes = yield Generation(tuple(kept), [Trial(grouping, "all") for grouping in groupings])
            tried = zip(groupings, outcomes, strict=True)
            kept += [Individual(grouping, outcome.costs, "all") for grouping, outcome in tried]
            best = min(kept, key=lambda individual: problem.score(individual.costs))
            kept = [best, *(individual for individual in front(kept) if individual is not best)]
        yield Generation(tuple(kept), ())
