import dataclasses
import itertools

import numpy as np
import pytest

from sfumato.core import DataError, ParameterError
from sfumato.data import Attribute, Schema, Table
from sfumato.search.contracts import Outcome, Problem
from sfumato.search.effort import Effort
from sfumato.search.grouping.grouping_operators import OPERATORS
from sfumato.search.grouping.grouping_search import grouped_candidates, search_groupings
from sfumato.search.grouping.groupings import all_groupings, canonical, number_of_groupings
from sfumato.search.grouping.operator_analytics import gain
from sfumato.search.grouping.operator_comparison import OperatorComparison, alone, compare_operators
from sfumato.search.loop import run
from sfumato.search.optimizers.gomm import Gomm
from sfumato.search.optimizers.grouping_enumeration import GroupingEnumeration
from sfumato.search.problems.attribute_grouping import AttributeGrouping
from sfumato.search.stop import Ending, Stop

SMALL = Gomm(population=30, crossovers=5, mutations=10)


def firms(n=60, size=5, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.lognormal(size=(n, 1)) ** rng.uniform(0, 2, size) * rng.lognormal(0, 0.5, (n, size))
    names = [f"x{j}" for j in range(size)]
    schema = Schema(Attribute(name=name, scale="numeric", role="key") for name in names)
    return Table(schema, dict(zip(names, values.T, strict=True)))


class Counted(AttributeGrouping):
    """Counts what is judged."""

    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        self.judged = []

    def judge(self, candidate):
        self.judged.append(candidate)
        return super().judge(candidate)


class Toy(Problem):
    """Costs without a file: how far from a hidden grouping, counted in pairs."""

    objectives = ("pairs",)

    def __init__(self, hidden):
        self.hidden = canonical(hidden)
        self.names = tuple(f"x{j}" for j in range(len(self.hidden)))

    def judge(self, candidate):
        size = len(candidate)
        pairs = [(i, j) for i in range(size) for j in range(i)]
        wrong = sum((candidate[i] == candidate[j]) != (self.hidden[i] == self.hidden[j]) for i, j in pairs)
        return Outcome((1.0 + wrong,))

    def identity(self):
        return {"hidden": list(self.hidden)}


def searched(optimizer=SMALL, *, generations=8, seed=0, problem=None, **named):
    problem = problem or AttributeGrouping(firms(), k=5)
    return search_groupings(
        problem, optimizer, Effort(stop=Stop(generations=generations), seed=seed, **named)
    )


def toy_run(optimizer, hidden="AABBBCAACD", generations=60, seed=0):
    problem = Toy(hidden)
    return run(problem, optimizer, Effort(stop=Stop(generations=generations), seed=seed))


@pytest.mark.parametrize("clones", ["keep", "drop"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_no_grouping_is_judged_twice(clones, dynamic):
    problem = Counted(firms(), k=5)
    found = searched(dataclasses.replace(SMALL, clones=clones, dynamic=dynamic), problem=problem)
    assert len(problem.judged) == len(set(problem.judged)) == found.run.evaluations == found.analytics.judged
    assert found.analytics.cached == 100 * (1 - len(problem.judged) / found.analytics.children) > 0


def test_the_best_survive_in_order():
    found = searched().run
    scores = [sum(one.costs) / 2 for one in found.population]
    assert scores == sorted(scores)
    assert len(found.population) == SMALL.population
    best = [step.best for step in found.history]
    assert best == sorted(best, reverse=True)
    assert found.history[-1].worst <= found.history[0].worst


def test_clones_stay_or_go():
    keep = toy_run(Gomm(population=40, clones="keep", tournament=1), generations=40).population
    drop = toy_run(Gomm(population=40, clones="drop"), generations=40).population
    assert len({one.genome for one in keep}) < len(keep) == 40
    assert len({one.genome for one in drop}) == len(drop) == 40


@pytest.mark.parametrize("clones", ["keep", "drop"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_a_hidden_grouping_is_found(clones, dynamic):
    found = toy_run(Gomm(clones=clones, dynamic=dynamic))
    assert found.best.genome == canonical("AABBBCAACD")


def test_one_seed_is_one_search_on_any_number_of_workers():
    one, two = searched(generations=3), searched(generations=3, workers=2)
    assert [(m.genome, m.costs) for m in one.run.population] == [
        (m.genome, m.costs) for m in two.run.population
    ]
    assert one.analytics.to_frame() == two.analytics.to_frame()
    other = searched(generations=3, seed=1)
    assert [m.genome for m in other.run.population] != [m.genome for m in one.run.population]


def test_a_run_that_was_cut_off_goes_on(tmp_path):
    whole = searched(generations=6)
    searched(generations=3, folder=tmp_path)
    rest = searched(generations=6, folder=tmp_path)
    assert rest.run.resumed == 4
    assert rest.best == whole.best
    assert rest.analytics.to_frame() == whole.analytics.to_frame()


def test_operators_that_idle_are_used_no_more():
    found = searched(Gomm(population=20, dynamic=True, patience=2), generations=60)
    assert found.run.ended is Ending.NOTHING_LEFT
    for operator in OPERATORS:
        steps = found.analytics.of(operator)
        idle = [step.survived == 0 for step in steps]
        assert all(idle[-2:])
        assert not any(a and b for a, b in itertools.pairwise(idle[:-1]))
        assert [step.generation for step in steps] == list(range(1, len(steps) + 1))


def test_dynamic_search_does_less():
    full = toy_run(Gomm(population=60))
    dynamic = toy_run(Gomm(population=60, dynamic=True))
    assert dynamic.evaluations < full.evaluations
    assert dynamic.score == full.score


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_alone(operator):
    found = searched(dataclasses.replace(SMALL, operators=(operator,)), generations=3)
    assert found.analytics.operators == (operator,)
    children = 10 if operator == "crossover" else SMALL.mutations
    assert [step.children for step in found.analytics.steps] == [children] * 3


def test_mutations_are_shared_evenly():
    """50 mutations, 10 of each, and 25 crossovers with two children each."""
    found = searched(Gomm(population=10), generations=1)
    assert {s.operator: s.children for s in found.analytics.steps} == {
        "crossover": 50,
        **dict.fromkeys(OPERATORS[1:], 10),
    }


def test_some_operator_must_be_named():
    with pytest.raises(ParameterError, match="at least one operator"):
        Gomm(operators=())


def test_the_front_is_sought_on_demand():
    problem = AttributeGrouping(firms(), k=5)
    found = searched(
        dataclasses.replace(SMALL, selection="front", population=20), problem=problem, generations=20
    )
    every = [problem.judge(grouping).costs for grouping in all_groupings(5)]
    unbeaten = {c for c in every if not any(o != c and o[0] <= c[0] and o[1] <= c[1] for o in every)}
    assert {one.costs for one in found.front} == unbeaten
    assert {one.costs for one in found.run.population} >= unbeaten


def test_the_front_holds_what_no_judged_grouping_beats():
    problem = Counted(firms(), k=5)
    found = searched(problem=problem)
    costs = {problem.judge(grouping).costs for grouping in set(problem.judged)}
    unbeaten = {c for c in costs if not any(o != c and o[0] <= c[0] and o[1] <= c[1] for o in costs)}
    assert {one.costs for one in found.front} == unbeaten


@pytest.mark.parametrize("batch", [7, 250])
def test_enumeration_tries_all(batch):
    problem = Counted(firms(), k=5)
    found = search_groupings(
        problem, GroupingEnumeration(batch=batch), Effort(stop=Stop(generations=number_of_groupings(5)))
    )
    assert problem.judged == list(all_groupings(5))
    assert found.run.ended is Ending.NOTHING_LEFT
    scores = {grouping: sum(problem.judge(grouping).costs) / 2 for grouping in all_groupings(5)}
    assert found.run.score == min(scores.values()) == scores[found.best]


def test_enumeration_refuses_many_attributes():
    problem = AttributeGrouping(firms(size=9), k=5)
    with pytest.raises(DataError, match="9 attributes have too many groupings"):
        search_groupings(problem, GroupingEnumeration(), Effort(stop=Stop(generations=5)))


def test_the_optimum_of_five_attributes_is_found():
    """The bar itself, 7 attributes of Census and 20 seeds, is in test_grouping_bars."""
    problem = AttributeGrouping(firms(), k=5)
    best = min(problem.score(problem.judge(grouping).costs) for grouping in all_groupings(5))
    found = [searched(seed=seed, problem=problem, generations=10).run.score for seed in range(10)]
    assert found.count(best) == 10


def test_what_the_chronicle_says_of_two_generations():
    """Counted by hand from the numbers of births and members."""
    seen = []

    def watch(asked, outcomes, population):
        seen.append((asked, [member.number for member in population]))

    problem = AttributeGrouping(firms(), k=5)
    run(problem, SMALL, Effort(stop=Stop(generations=5)), watch=watch)
    steps = {(s.generation, s.operator): s for s in searched(generations=5).analytics.steps}
    for generation, (asked, after) in enumerate(seen):
        for operator in OPERATORS if generation else ():
            made = [birth for birth in asked.births if birth.operator == operator]
            numbers = {birth.number for birth in made}
            step = steps[generation, operator]
            used = {n for later, _ in seen for birth in later.births for n in birth.parents} & numbers
            lives = [sum(n in held for _, held in seen[generation:-1]) for n in numbers]
            assert step.children == len(made)
            assert step.survived == len(numbers & set(after))
            assert step.unused == pytest.approx(100 - 100 * len(used) / len(made))
            assert step.lifetime == pytest.approx(np.mean(lives))
            gains = [gain(problem.score(problem.judge(b.grouping).costs), b.before) for b in made]
            assert step.improved == sum(g > 0 for g in gains)
            assert step.worsened == sum(g < 0 for g in gains)
            assert step.best_gain == max(0, *gains)
            assert step.worst_loss == -min(0, *gains)


def test_analytics_become_a_frame():
    found = searched(generations=4).analytics
    frame = found.to_frame()
    assert frame.num_rows == 4 * len(OPERATORS)
    assert {
        "operator",
        "generation",
        "unused",
        "lifetime",
        "improved",
        "mean_gain",
        "best",
        "mean_groups",
    } <= set(frame.column_names)
    assert [step.generation for step in found.generations] == [0, 1, 2, 3, 4]
    assert found.to_dict()["cached"] == found.cached


def test_candidates_for_a_portfolio():
    table = firms()
    chains = grouped_candidates(table, [4, 8], Effort(stop=Stop.when_done()), generations=3, population=20)
    assert {step.k for chain in chains for step in chain.steps} == {4, 8}
    for chain in chains:
        masked = sorted(name for step in chain.steps for name in step.attributes)
        assert masked == sorted(table.names)
        assert chain.apply(table, np.random.default_rng(0)).n == table.n


def test_each_operator_alone_beside_all_together():
    problem = AttributeGrouping(firms(), k=5)
    found = compare_operators(problem, SMALL, Effort(stop=Stop(generations=3)))
    assert tuple(found.best) == ("combined", *OPERATORS)
    for name, optimizer in [("combined", SMALL), ("group_split", alone(SMALL, "group_split"))]:
        steps = searched(optimizer, problem=problem, generations=3).run.history
        assert found.best[name] == tuple(step.best for step in steps)
    assert found.relative("combined") == [1.0] * 4
    assert found.to_frame().num_rows == 7 * 4


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_alone_makes_all_the_children(operator):
    found = searched(alone(SMALL, operator), generations=1)
    assert [step.children for step in found.analytics.steps] == [20]


def test_an_operator_is_held_against_all_together_as_long_as_both_ran():
    found = OperatorComparison(best={"combined": (4.0, 2.0), "crossover": (4.0, 3.0, 1.0), "swap": (6.0,)})
    assert found.relative("crossover") == [1.0, 1.5] and found.relative("swap") == [1.5]
