import pickle

import numpy as np
import pytest

from search.test_matrix_expectations import NAMES, people, random_matrices
from sfumato.core import DataError, FileError, ParameterError
from sfumato.search.effort import Effort
from sfumato.search.fitness import Fitness
from sfumato.search.loop import run
from sfumato.search.matrices.matrix_steps import Step, made
from sfumato.search.matrices.shapes import Shape
from sfumato.search.optimizers.matrix_evolution import MatrixEvolution
from sfumato.search.problems.pram_matrices import Draft, PramMatrices
from sfumato.search.stop import Stop

FAST = MatrixEvolution(steps=("flip", "swap", "turn", "exchange"), walk=4)


def problem(table=None, **settings):
    table = people(120) if table is None else table
    return PramMatrices(table, random_matrices(table, 5, 4.0), Fitness(how="mean"), **settings)


def evolved(posed, optimizer, generations, *, seed=1, folder=None, workers=1):
    effort = Effort(stop=Stop(generations=generations), seed=seed, workers=workers, folder=folder)
    return run(posed, optimizer, effort)


def same(one, other):
    return all(np.array_equal(one[name], other[name]) for name in one)


def test_all_candidates_of_a_round_meet_the_same_random_numbers():
    posed = problem()
    start = posed.start
    nearly = {**start, "trade": made(start["trade"], Step("trade", "turn", (2, 0, 2)))}
    one, other = posed.masked(start, 0, 0), posed.masked(nearly, 0, 0)
    changed = one["trade"] != other["trade"]
    assert changed.any() and (posed.source["trade"][changed] == 2).all()
    assert np.array_equal(one["size"], other["size"])
    assert not np.array_equal(one["size"], posed.masked(start, 1, 0)["size"])
    assert not np.array_equal(one["size"], posed.masked(start, 0, 1)["size"])


def test_costs_are_the_mean_over_the_draws():
    posed = problem(draws=3)
    each = [posed.drawn_costs(posed.start, 0, draw) for draw in range(3)]
    assert posed.costs(posed.start, 0) == pytest.approx(tuple(np.mean(each, axis=0)))


def test_missing_values_stay_missing():
    posed = problem()
    assert (posed.source["size"] < 0).any()
    masked = posed.masked(posed.start, 0, 0)
    assert np.array_equal(masked["size"] < 0, posed.source["size"] < 0)


@pytest.mark.parametrize("expected", [True, False])
def test_a_walk_keeps_exactly_the_steps_that_lower_the_score(expected):
    posed = problem(draws=2, expected=expected)
    rng = np.random.default_rng(2)
    steps = tuple(Step("trade", "turn", (int(rng.integers(4)), int(rng.integers(4)), 2)) for _ in range(8))
    draft = Draft(posed.start, steps, 3)
    outcome = posed.judge(draft)
    matrices, score, kept = dict(posed.start), posed.score(posed.costs(posed.start, 3)), []
    for position, step in enumerate(steps):
        child = {**matrices, "trade": made(matrices["trade"], step)}
        tried = posed.score(posed.costs(child, 3))
        if tried < score:
            matrices, score = child, tried
            kept.append(position)
    assert outcome.kept == tuple(kept) and 0 < len(kept) < len(steps)
    assert posed.score(outcome.costs) == score
    assert same(posed.walked(draft, outcome), matrices)


def test_judging_depends_on_nothing_but_the_candidate():
    posed = problem(draws=2)
    draft = Draft(posed.start, (Step("town", "exchange", (0, 2)),), 1)
    first = posed.judge(draft)
    assert pickle.loads(pickle.dumps(posed)).judge(draft) == first == posed.judge(draft)


@pytest.mark.parametrize(("expected", "optimizer"), [(True, FAST), (False, MatrixEvolution(refresh=5))])
def test_a_seed_fixes_the_run_and_the_score_falls(expected, optimizer):
    one, other = (evolved(problem(draws=2, expected=expected), optimizer, 25) for _ in range(2))
    assert same(one.population[0].genome, other.population[0].genome)
    assert one.population[0].costs == other.population[0].costs
    if expected:
        assert one.score < one.history[0].best
        bests = [step.best for step in one.history]
        assert bests == sorted(bests, reverse=True)


def test_the_incumbent_is_judged_anew_now_and_then():
    found = evolved(problem(draws=2), MatrixEvolution(refresh=4), 13)
    posed = problem(draws=2)
    assert found.operators.keys() <= {"flip", "swap"}  # judging anew is no operator
    last = found.population[0]
    assert last.costs == posed.costs(last.genome, 3)  # rounds began at generations 4, 8 and 12
    assert evolved(problem(draws=2), MatrixEvolution(refresh=0), 13).population[0].costs != last.costs


def test_a_run_goes_on_where_it_was(tmp_path):
    whole = evolved(problem(draws=2), MatrixEvolution(refresh=4), 12)
    evolved(problem(draws=2), MatrixEvolution(refresh=4), 7, folder=tmp_path)
    rest = evolved(problem(draws=2), MatrixEvolution(refresh=4), 12, folder=tmp_path)
    assert rest.resumed == 8
    assert same(whole.population[0].genome, rest.population[0].genome)
    assert whole.population[0].costs == rest.population[0].costs


def test_another_shape_is_another_run(tmp_path):
    evolved(problem(draws=1), MatrixEvolution(), 2, folder=tmp_path)
    with pytest.raises(FileError, match="another diagonal"):
        evolved(problem(draws=1, shape=Shape(0.5, 0.9)), MatrixEvolution(), 2, folder=tmp_path)


def test_files_are_drawn_by_shaped_matrices():
    posed = problem(shape=Shape(0.6, 0.7, invariant=True), expected=True)
    found = evolved(posed, FAST, 10)
    shaped = posed.shaped(found.population[0].genome)
    for name in NAMES:
        T = posed.counts[name]
        assert np.abs(T @ shaped[name] - T).max() <= 1e-9
        assert np.diag(shaped[name])[T > 0].min() >= 0.6 - 1e-9
    assert found.population[0].costs == posed.expectations(shaped)


def test_what_cannot_evolve_is_refused():
    table = people(30)
    with pytest.raises(DataError, match="there is nothing to evolve"):
        PramMatrices(table, {}, Fitness())
    with pytest.raises(DataError, match="there is nothing to evolve"):
        PramMatrices(table.take(np.arange(0)), random_matrices(table, 1), Fitness())
    with pytest.raises(DataError, match=r"column trade must have .* each of its 4 categories. Got 3 × 3"):
        PramMatrices(table, {"trade": np.eye(3)}, Fitness())
    wide = table.schema["town"].evolve(categories=tuple(map(str, range(600))))
    with pytest.raises(DataError, match="column town must have at most 500 categories"):
        PramMatrices(table.replace({"town": table["town"]}, [wide]), {"town": np.eye(600)}, Fitness())
    with pytest.raises(ParameterError, match="steps must hold at least one kind"):
        MatrixEvolution(steps=())
