from itertools import pairwise

import numpy as np
import pytest
from evolving import evolved, small_problem, what_matters
from hypothesis import given
from hypothesis import strategies as st

from sfumato import datasets
from sfumato.core import DataError
from sfumato.masking import Pram, RankSwapping
from sfumato.measures import DisclosureRisk, InformationLoss, KAnonymity
from sfumato.search.contracts import Individual
from sfumato.search.optimizers.nsga2 import Nsga2, standings, survivors
from sfumato.search.pareto import front, hypervolume
from sfumato.search.problems.masked_files import Fitness, MaskedFiles, Objectives, Walk

SMALL = Nsga2(size=8, children=6, walk=5)
REFERENCE = (10.0, 10.0)


def problem_of(*measures):
    return small_problem(fitness=Objectives(measures) if measures else Objectives())


def people(costs):
    return [Individual(None, cost, str(i)) for i, cost in enumerate(costs)]


def volume(population, reference=REFERENCE):
    return hypervolume(np.array([individual.costs for individual in population]), reference)


COSTS = st.lists(st.tuples(st.integers(0, 12).map(float), st.integers(0, 12).map(float)), max_size=20)


@given(old=COSTS, new=COSTS, size=st.integers(2, 9))
def test_survivors_are_distinct_no_more_than_asked_and_never_dominate_less(old, new, size):
    before = survivors([], people(old), size, REFERENCE)
    after = survivors(before, people(new), size, REFERENCE)
    costs = [individual.costs for individual in after]
    assert len(set(costs)) == len(costs) == min(size, len({*old, *new}))
    if before:
        assert volume(after) >= volume(before) - 1e-9


def test_who_is_beaten_leaves_first_then_who_is_crowded():
    population = people([(0.0, 9.0), (9.0, 0.0), (4.0, 4.0), (5.0, 5.0)])
    left = survivors(population, people([(1.0, 8.0)]), 4, REFERENCE)
    assert {individual.costs for individual in left} == {(0.0, 9.0), (9.0, 0.0), (4.0, 4.0), (1.0, 8.0)}


def test_standings_put_earlier_fronts_and_lonely_individuals_first():
    costs = np.array([[0.0, 9.0], [4.0, 4.0], [4.5, 3.9], [9.0, 0.0], [9.0, 9.0]])
    order = sorted(range(5), key=lambda i: standings(costs)[i])
    assert set(order[:2]) == {0, 3}
    assert order[-1] == 4


def test_the_front_grows_and_its_costs_are_those_of_its_files():
    problem = problem_of()
    found = evolved(problem, 15, optimizer=SMALL)
    volumes = [step.hypervolume for step in found.history]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(volumes))
    assert volumes[-1] > volumes[0]
    assert found.reference == (100.0, 100.0)
    assert volumes[-1] == pytest.approx(volume(found.population, (100.0, 100.0)) / 100)
    assert found.front == front(found.population)
    for individual in found.front:
        table = problem.decode(individual.genome)
        scores = [measure.bind(problem.source).score(table).value for measure in problem.fitness.measures]
        assert individual.costs == pytest.approx(scores, abs=1e-9)
        assert small_problem(fitness=Objectives()).judge(Walk(individual.genome)).costs == individual.costs
    costs = [individual.costs for individual in found.population]
    assert len(set(costs)) == len(costs) <= 8


def test_three_measures():
    problem = problem_of(InformationLoss(numeric="pil"), DisclosureRisk(linkage="both"), KAnonymity())
    found = evolved(problem, 12, optimizer=SMALL)
    volumes = [step.hypervolume for step in found.history]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(volumes))
    assert found.objectives == ("information_loss", "disclosure_risk", "k_anonymity")
    assert {len(individual.costs) for individual in found.population} == {3}


def test_workers_and_interruptions_change_nothing(tmp_path):
    problem = problem_of()
    whole = what_matters(problem, evolved(problem, 4, optimizer=SMALL))
    assert what_matters(problem, evolved(problem_of(), 4, optimizer=SMALL, workers=2)) == whole
    for generations in (1, 3, 4):
        pieces = evolved(problem_of(), generations, optimizer=SMALL, folder=tmp_path)
    assert what_matters(problem, pieces) == whole


def test_one_score_is_refused():
    with pytest.raises(DataError, match="the problem seeks one score"):
        evolved(small_problem(fitness=Fitness()), 2, optimizer=SMALL)


@pytest.mark.classic("german")
def test_the_front_of_german_improves_on_that_of_the_methods():
    german = datasets.german()
    names = german.schema.with_role("key")
    rng = np.random.default_rng(0)
    maskings = [*(RankSwapping(p=float(p)) for p in (2, 5, 10, 20, 40)), *(Pram() for _ in range(3))]
    start = [(str(masking), masking.apply(german, rng)) for masking in maskings]
    problem = MaskedFiles(german, names, Objectives(), start)
    found = evolved(problem, 12, optimizer=Nsga2(size=20, children=10))
    first, last = found.history[0].hypervolume, found.history[-1].hypervolume
    assert last > first + 1.0
    assert len(found.front) > len(front(found.start))
