"""The bar on small sets: where all groupings can be tried, the genetic search finds the best."""

import pytest

from sfumato import datasets
from sfumato.search.effort import Effort
from sfumato.search.grouping.groupings import all_groupings
from sfumato.search.loop import run
from sfumato.search.optimizers.gomm import Gomm
from sfumato.search.problems.attribute_grouping import AttributeGrouping
from sfumato.search.stop import Stop


class Remembering(AttributeGrouping):
    """Judges each grouping once for all runs."""

    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        self.known = {}

    def judge(self, candidate):
        if candidate not in self.known:
            self.known[candidate] = super().judge(candidate)
        return self.known[candidate]


def hits(size, seeds, optimizer, k=25):
    """In how many seeds the optimum is found."""
    census = datasets.load("census")
    problem = Remembering(census.select(census.names[:size]), k=k)
    best = min(problem.score(problem.judge(grouping).costs) for grouping in all_groupings(size))
    efforts = [Effort(stop=Stop(generations=100), seed=seed) for seed in range(seeds)]
    return sum(run(problem, optimizer, effort).score == best for effort in efforts)


@pytest.mark.classic("census")
def test_five_attributes():
    assert hits(5, 20, Gomm(population=20, dynamic=True)) >= 19


@pytest.mark.slow
@pytest.mark.classic("census")
@pytest.mark.parametrize("dynamic", [False, True])
def test_seven_attributes(dynamic):
    """877 groupings; the population and the generations of the source."""
    assert hits(7, 20, Gomm(dynamic=dynamic)) >= 19
