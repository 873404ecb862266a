"""Genetic programming of PRAM matrices: what it must keep to, and that it finds something."""

import pickle

import numpy as np
import pytest

from sfumato.core import DataError, FileError, ParameterError
from sfumato.data import Attribute, Schema, Table
from sfumato.masking.matrices.markov_matrices import frequencies
from sfumato.measures import DisclosureRisk, InformationLoss
from sfumato.search.effort import Effort
from sfumato.search.fitness import Fitness
from sfumato.search.loop import run
from sfumato.search.matrices.equations import Equation, simplified
from sfumato.search.optimizers.genetic_programming import GeneticProgramming
from sfumato.search.problems.matrix_equations import FRESH, SEARCH, MatrixEquations
from sfumato.search.stop import Stop

NAMES = ("size", "trade")
SMALL = GeneticProgramming(population=12, subset=6, depth=4)


def table(n=80, seed=0):
    rng = np.random.default_rng(seed)
    size = Attribute(name="size", scale="ordinal", role="key", categories=("S", "M", "L", "XL"))
    trade = Attribute(name="trade", scale="nominal", role="key", categories=("farm", "shop", "mill"))
    sizes = rng.choice([-1, 0, 1, 2], n, p=[0.1, 0.5, 0.3, 0.1])
    trades = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    return Table(Schema([size, trade]), {"size": sizes, "trade": trades})


def problem(*, how="max", expected=True, draws=3, seed=0, data=None, most_guessed=100.0):
    fitness = Fitness(
        (InformationLoss(attributes=NAMES),), (DisclosureRisk(attributes=NAMES, linkage="both"),), how
    )
    source = table() if data is None else data
    options = {"draws": draws, "seed": seed, "expected": expected, "most_guessed": most_guessed}
    return MatrixEquations(source, NAMES, fitness, **options)


def evolved(judged=None, generations=60, *, optimizer=SMALL, workers=1, seed=1, folder=None):
    judged = judged or problem()
    effort = Effort(stop=Stop(generations=generations), seed=seed, workers=workers, folder=folder)
    return run(judged, optimizer, effort)


def what_matters(found):
    steps = [{**step.to_dict(), "seconds": 0} for step in found.history]
    people = [(str(i.genome), i.costs, i.origin) for i in (*found.start, *found.population, found.best)]
    return steps, people, found.operators, found.evaluations


def populations(optimizer, generations, judged):
    """The population after each generation, from the optimiser itself."""
    search = optimizer.search(judged, np.random.default_rng(2))
    asked = next(search)
    for _ in range(generations):
        asked = search.send([judged.judge(trial.candidate) for trial in asked.trials])
        yield asked


@pytest.mark.parametrize("depth", [1, 3, 5])
def test_no_equation_is_deeper_than_allowed(depth):
    optimizer = GeneticProgramming(population=10, subset=6, depth=depth)
    for generation in populations(optimizer, 80, problem()):
        assert len(generation.population) == 10
        assert max(one.genome.depth for one in generation.population) <= depth


@pytest.mark.parametrize("distinct", [True, False])
def test_the_best_is_never_lost_and_nobody_is_replaced_by_worse(distinct):
    judged = problem()
    optimizer = GeneticProgramming(population=12, subset=6, distinct=distinct)
    before = None
    for generation in populations(optimizer, 120, judged):
        scores = [round(judged.score(one.costs), 9) for one in generation.population]
        if before is not None:
            assert min(scores) <= min(before)
            assert all(now <= then for now, then in zip(scores, before, strict=True))
        before = scores


def test_costs_belong_to_the_equations_and_none_is_judged_twice():
    judged, seen = problem(), []
    for generation in populations(SMALL, 100, judged):
        seen += [trial.candidate for trial in generation.trials]
        for one in generation.population[:3]:
            np.testing.assert_array_equal(one.costs, problem().judge(one.genome).costs)
    assert len(set(seen)) == len(seen) > 50
    assert all(simplified(equation) == equation for equation in seen)


def test_a_distinct_population_has_no_two_of_the_same_costs():
    *_, last = populations(SMALL, 200, problem())
    start = [one.costs for one in next(populations(SMALL, 1, problem())).population]
    costs = [tuple(round(cost, 9) for cost in one.costs) for one in last.population]
    assert len(set(costs)) >= len(set(start))
    *_, crowded = populations(GeneticProgramming(population=12, subset=6, distinct=False), 200, problem())
    assert len({one.costs for one in crowded.population}) < len(set(costs))


def test_it_finds_better_equations_than_it_starts_with():
    found = evolved(generations=200)
    assert found.score < found.history[0].best - 1
    assert set(found.operators) == {"mutation", "crossover"}
    assert min(operator.tried for operator in found.operators.values()) > 50


def test_one_seed_fixes_the_search_on_any_number_of_workers():
    here = evolved(generations=15)
    assert what_matters(here) == what_matters(evolved(generations=15, workers=2))
    assert what_matters(here) != what_matters(evolved(generations=15, seed=2))


def test_a_run_resumed_again_and_again_is_the_same(tmp_path):
    for generations in (1, 7, 30):
        pieces = evolved(generations=generations, folder=tmp_path)
    assert pieces.resumed == 8
    assert what_matters(pieces) == what_matters(evolved(generations=30))


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"how": "mean"}, "other measures"),
        ({"expected": False}, "other measures"),
        ({"most_guessed": 50.0}, "other measures"),
        ({"data": table(seed=1)}, "another file"),
    ],
)
def test_another_run_is_refused_by_name(tmp_path, other, named):
    evolved(generations=2, folder=tmp_path)
    with pytest.raises(FileError, match=named):
        evolved(problem(**other), 2, folder=tmp_path)


def test_drawn_costs_are_those_of_files_drawn_one_by_one():
    data, equation = table(), Equation.parse("N / (freq_i - freq_j) + freq_j")
    judged = problem(expected=False, draws=4)
    matrices = {
        name: equation.matrix(frequencies(data[name], n)) for name, n in zip(NAMES, (4, 3), strict=True)
    }
    costs = []
    for draw in range(4):
        masked = judged.files.masked(matrices, SEARCH, draw)
        assert (masked["size"] == -1).tolist() == (data["size"] == -1).tolist()
        costs.append([m.bind(data).score(masked).value for m in judged.files.fitness.measures])
    np.testing.assert_allclose(judged.judge(equation).costs, np.mean(costs, axis=0))
    assert judged.fresh(matrices, 4) != judged.judge(equation).costs
    assert judged.fresh(matrices, 4) == judged.files.sampled(matrices, FRESH, draws=4)


def test_expectations_come_near_to_many_draws():
    equation = Equation.parse("freq_max / ((freq_i - freq_j) * (freq_i - freq_j)) + freq_j")
    data = table(400)
    expected = problem(data=data).judge(equation).costs
    drawn = problem(data=data, expected=False, draws=60).judge(equation).costs
    np.testing.assert_allclose(expected, drawn, atol=1.0)


def test_what_is_guessed_beyond_the_limit_is_added_to_the_costs():
    still = Equation.parse("N - N")  # nobody moves: all values are known
    loss, risk = problem().judge(still).costs
    for most in (0.0, 60.0, 100.0):
        costs = problem(most_guessed=most).judge(still).costs
        assert costs == pytest.approx((loss + 100 - most, risk + 100 - most))
    for most in (-1.0, 101.0):
        with pytest.raises(ParameterError, match="most_guessed must be a number from 0 to 100"):
            problem(most_guessed=most)
    blurred = Equation.parse("freq_j")  # all rows alike: the release tells nothing
    assert problem(most_guessed=70.0).judge(blurred) == problem().judge(blurred)


def test_the_problem_travels():
    judged = problem(expected=False)
    equation = Equation.parse("freq_i + freq_j")
    assert pickle.loads(pickle.dumps(judged)).judge(equation) == judged.judge(equation)


def test_nothing_to_judge_is_refused():
    with pytest.raises(DataError, match="no record"):
        problem(data=table().take(np.arange(0)))
