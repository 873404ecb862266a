import numpy as np
import pytest
from evolving import evolved, shuffled, small_problem, what_matters

from sfumato.search.file_evolution.operator_choice import Choice
from sfumato.search.file_evolution.presets import preset
from sfumato.search.optimizers.evolution import Evolution, _fitting, _made_for
from sfumato.search.problems.masked_files import Fitness, MaskedFiles

FAST = preset("fast").optimizer
SCORES = np.array([10.0, 40.0, 20.0, 30.0])


def steps(problem, optimizer, count, seed=1):
    """The generations an optimiser asks for, with their outcomes."""
    search = optimizer.search(problem, np.random.default_rng(seed))
    generation = next(search)
    for _ in range(count):
        outcomes = [problem.judge(trial.candidate) for trial in generation.trials]
        yield generation, outcomes
        generation = search.send(outcomes)


def drawn_shares(selection, draws=5000):
    rng, counts = np.random.default_rng(1), np.zeros(len(SCORES))
    for _ in range(draws):
        counts[Evolution(selection=selection)._drawn(SCORES, 1, rng, np.ones(4, bool))[0]] += 1
    return counts / draws


@pytest.mark.parametrize(
    ("selection", "weights"),
    [
        ("printed", SCORES),  # eq. 3.3 as it stands
        ("inverted", SCORES.max() - SCORES),
        ("reciprocal", 1 / SCORES),
    ],
)
def test_individuals_are_drawn_in_proportion(selection, weights):
    expected = weights / weights.sum()
    found = drawn_shares(selection)
    assert np.all(np.abs(found - expected) <= 4 * np.sqrt(expected * (1 - expected) / 5000))


def test_the_worst_file_is_replaced_where_it_is_drawn_by_one_over_its_score():
    """The source's worst file falls in all eight runs of categories (Figs. 3.7 and 3.9), and stays with numbers."""
    problem = small_problem()
    for selection, falls in (("inverted", False), ("reciprocal", True), ("observed", True)):
        history = evolved(problem, 60, optimizer=Evolution(selection=selection)).history
        assert (history[-1].worst < history[0].worst) is falls, selection
    numbers = MaskedFiles(
        problem.source,
        ("wage", "age"),
        problem.fitness,
        [("start", shuffled(problem.source, i)) for i in range(4)],
    )
    history = evolved(numbers, 40, optimizer=Evolution(selection="observed")).history
    assert history[-1].worst == history[0].worst and history[-1].mean < history[0].mean


def test_a_perfect_score_has_a_weight():
    assert Evolution(selection="reciprocal")._drawn(
        np.array([0.0, 5.0]), 2, np.random.default_rng(1), np.ones(2, bool)
    )


def test_equal_scores_and_more_individuals_than_weights_can_be_drawn():
    rng = np.random.default_rng(1)
    assert sorted(Evolution()._drawn(np.full(3, 7.0), 3, rng, np.ones(3, bool))) == [0, 1, 2]
    free = np.array([False, True, False, True])
    assert sorted(Evolution()._drawn(SCORES, 2, rng, free)) == [1, 3]


def test_the_first_parent_is_a_leader_and_nobody_is_crossed_twice():
    firsts = set()
    for seed in range(200):
        rng = np.random.default_rng(seed)
        (first, second), other = Evolution(leaders=2, batch=2)._pairs(SCORES, rng)
        firsts.add(first)
        assert first in (0, 2)
        assert sorted((first, second, *other)) == [0, 1, 2, 3]
    assert firsts == {0, 2}


def test_leaders_too_are_drawn_as_eq_3_3_is_printed_if_asked():
    """In proportion to their scores, so that the worse of the two comes first more often."""
    drawn = {"printed": SCORES[[0, 2]] / SCORES[[0, 2]].sum(), "inverted": np.array([0.5, 0.5])}
    for selection, expected in drawn.items():
        rng, search = np.random.default_rng(1), Evolution(leaders=2, selection=selection)
        firsts = np.array([search._pairs(SCORES, rng)[0][0] for _ in range(2000)])
        found = np.array([(firsts == 0).mean(), (firsts == 2).mean()])
        assert np.all(np.abs(found - expected) <= 4 * np.sqrt(expected * (1 - expected) / 2000)), selection


@pytest.mark.parametrize(
    "optimizer", [Evolution(), Evolution(selection="printed"), Evolution(walk=4, batch=3), FAST], ids=str
)
def test_no_individual_is_ever_worse_than_before(optimizer):
    problem = small_problem()
    before, kinds = None, set()
    for generation, outcomes in steps(problem, optimizer, 25 if optimizer.legs else 40):
        scores = [problem.score(individual.costs) for individual in generation.population]
        if before is not None and scores:
            assert all(now <= then for now, then in zip(scores, before, strict=True))
        before = scores or None
        kinds |= {trial.operator for trial in generation.trials}
        kinds |= {leg.operator for outcome in outcomes for leg in outcome.legs}
    assert len(kinds & set(optimizer.mutations)) and len(kinds & set(optimizer.crossovers))


def test_costs_of_the_end_are_those_of_the_file():
    problem = small_problem()
    found = evolved(problem, 4, optimizer=FAST)
    table = found.best.genome.table(problem.original)
    values = [bound.score(table).value for bound in problem.bounds]
    assert found.best.costs == pytest.approx(problem.fitness.costs(values), abs=1e-9)
    assert found.score < found.history[0].best


def test_a_generation_mutates_or_crosses_once():
    problem = small_problem()
    for generation, _ in list(steps(problem, Evolution(), 40))[1:]:
        assert {trial.operator for trial in generation.trials} in ({"gray_mutation"}, {"two_point_crossover"})
        assert len(generation.trials) == (1 if generation.trials[0].operator == "gray_mutation" else 2)
        assert all(len(trial.candidate.changes) == 1 for trial in generation.trials)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_share_of_crossovers_is_kept(share):
    found = evolved(small_problem(), 20, optimizer=Evolution(crossover=share))
    assert set(found.operators) == {"two_point_crossover" if share else "gray_mutation"}


def test_a_single_individual_is_mutated_only():
    found = evolved(small_problem(files=1), 20, optimizer=Evolution(crossover=1.0))
    assert set(found.operators) == {"gray_mutation"}


def test_the_best_of_the_start_can_be_left_out():
    problem = small_problem(files=10)
    whole = evolved(problem, 1).population
    less = evolved(problem, 1, optimizer=Evolution(drop_best=20)).population
    by_score = sorted(whole, key=lambda individual: problem.score(individual.costs))
    assert [i.origin for i in less] == [i.origin for i in whole if i not in by_score[:2]]


def test_only_the_best_are_mutated_where_the_search_is_focused():
    problem = small_problem()
    for generation, _ in steps(problem, Evolution(focus=2, crossover=0.0, batch=5), 20):
        if generation.population:
            best = sorted(problem.score(i.costs) for i in generation.population)[1]
            assert len(generation.trials) == 2
            assert all(trial.parent <= best for trial in generation.trials)


def test_a_walk_touches_no_cell_twice():
    problem = small_problem()
    optimizer = Evolution(crossover=0.0, walk=30, mutations=("swap_values",), sizes=(3,))
    for generation, _ in list(steps(problem, optimizer, 5))[1:]:
        (trial,) = generation.trials
        cells = [(row, name) for c in trial.candidate.changes for name in c.columns for row in c.rows]
        assert len(set(cells)) == len(cells) > 10
        assert trial.evaluations == len(trial.candidate.changes) < 30


def test_any_number_of_workers_gives_the_same_files():
    problem = small_problem()
    assert what_matters(problem, evolved(problem, 3, optimizer=FAST)) == what_matters(
        problem, evolved(problem, 3, optimizer=FAST, workers=2)
    )


def test_operators_are_drawn_by_what_they_gained():
    rng = np.random.default_rng(1)
    choice = Choice(("swap_values", "redraw_values"), (1, 4), adaptive=True)
    seen = set()
    for _ in range(4):  # each once before any again
        way = choice.draw(rng)
        seen.add(way)
        choice.learn(way, 100, 1.0 if way.size == 4 and way.operator.name == "swap_values" else 0.0)
    assert len(seen) == 4
    drawn = [choice.draw(rng) for _ in range(1000)]
    best = sum(way.size == 4 and way.operator.name == "swap_values" for way in drawn)
    assert 800 < best < 900  # 0.8 + 0.2 / 4
    assert set(drawn) == seen


def test_operators_are_drawn_alike_where_they_do_not_adapt_or_gain_nothing():
    for adaptive in (False, True):
        choice = Choice(("swap_values", "redraw_values"), (1,), adaptive=adaptive)
        for way in choice.ways:
            choice.learn(way, 100, 0.0)
        rng = np.random.default_rng(1)
        first = sum(choice.draw(rng) == choice.ways[0] for _ in range(1000))
        assert 430 < first < 570


def test_steps_leave_most_of_a_small_file_alone():
    problem = small_problem(n=40)
    assert _fitting((1, 8, 64, 512), problem) == (1, 8)
    assert _fitting((64, 512), problem) == (64,)


def test_operators_made_for_other_attributes_are_left_out():
    mixed = small_problem()
    table = mixed.source
    numbers = MaskedFiles(table, ("wage", "age"), Fitness(), [("a", table)])
    assert _made_for(mixed, FAST.mutations) == FAST.mutations
    assert set(FAST.mutations) - set(_made_for(numbers, FAST.mutations)) == {"mending_trades"}
    assert _made_for(numbers, ("mending_trades",)) == ("mending_trades",)
