"""Evolution of fuzzy rules on a small file where the best rules are known."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from sfumato.core import Cancelled, ParameterError, stream
from sfumato.core.progress import listening
from sfumato.data import Attribute, Schema, Table
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.groups.signals import Group
from sfumato.search.effort import Effort
from sfumato.search.optimizers.michigan import Michigan
from sfumato.search.problems.fuzzy_rules import FuzzyRules
from sfumato.search.rule_evolution import Threshold, evolve_rules
from sfumato.search.stop import Stop

WORDS = Vocabulary.from_toml(
    "".join(f'[{name}]\nlow = {{ set = ["0"] }}\nhigh = {{ set = ["1"] }}\n' for name in "abcdef")
)
GROUP = Group(vital={"vital": ("1",)}, parameter="place")


def effort(generations, **given):
    return Effort(stop=Stop(generations=generations), **given)


def people(n=4000, seed=1):
    """Members have a, b and c high nine times in ten; others draw a coin for each."""
    rng = np.random.default_rng(seed)
    vital = rng.random(n) < 0.05
    columns = {
        name: (rng.random(n) < np.where(vital & (name in "abc"), 0.9, 0.5)).astype(int) for name in "abcdef"
    }
    names = [*"abcdef", "place", "vital"]
    schema = Schema(Attribute(name=name, scale="nominal", categories=("0", "1")) for name in names)
    return Table(schema, {**columns, "place": rng.integers(0, 2, n), "vital": vital.astype(int)})


@pytest.fixture
def problem():
    return FuzzyRules(people(), GROUP, WORDS)


def best_of_all(problem):
    return min(itertools.product(range(3), repeat=6), key=lambda rule: problem.judge(rule).costs)


def generations(optimizer, problem, count, seed=0):
    """The populations of a search whose trials are judged at once."""
    search = optimizer.search(problem, stream(seed, "search"))
    generation = next(search)
    for _ in range(count):
        generation = search.send([problem.judge(trial.candidate) for trial in generation.trials])
        yield generation


def test_the_best_of_all_rules_is_found(problem):
    evolve_rules(problem, Michigan(population=40), effort(40), runs=3)
    found = min(problem.seen, key=lambda rule: problem.judge(rule).costs)
    assert problem.judge(found).costs == problem.judge(best_of_all(FuzzyRules(people(), GROUP, WORDS))).costs


def test_the_start_is_uniform_over_all_values_and_children_are_legal(problem):
    optimizer = Michigan(population=600, distinct=False)
    populations = list(generations(optimizer, problem, 4))
    start = np.array([one.genome for one in populations[0].population])
    assert all(np.bincount(start[:, j], minlength=3).min() > 150 for j in range(6))
    for generation in populations:
        assert len(generation.population) == 600
        assert all(0 <= value < 3 for one in generation.population for value in one.genome)


@pytest.mark.parametrize("distinct", [True, False])
def test_only_the_worst_give_way(problem, distinct):
    optimizer = Michigan(population=30, replaced=0.33, distinct=distinct)
    before = None
    for generation in generations(optimizer, problem, 15):
        costs = sorted(one.costs for one in generation.population)
        if before is not None:
            assert costs[:20] <= before[:20]
            assert costs[0] <= before[0]
        before = costs


def test_no_rule_is_asked_for_twice(problem):
    asked = []
    search = Michigan(population=30, replaced=0.7).search(problem, stream(0, "search"))
    generation = next(search)
    for _ in range(20):
        asked += [trial.candidate for trial in generation.trials]
        generation = search.send([problem.judge(trial.candidate) for trial in generation.trials])
    assert len(asked) == len(set(asked))


def test_distinct_rules_stay_distinct(problem):
    *_, last = generations(Michigan(population=60), problem, 25)
    later = [one.genome for one in last.population if one.origin == "child"]
    assert len(later) == len(set(later)) > 0


def test_kept_rules_pass_the_threshold_and_no_special_case_is_among_them(problem):
    threshold = Threshold(confidence=0.3, support=0.1)
    found = evolve_rules(problem, Michigan(population=40), effort(20), threshold=threshold, runs=2)
    assert found
    for rule, quality in found.items():
        assert quality.relative_confidence > 0.3 and quality.support > 0.1
        assert quality == FuzzyRules(people(), GROUP, WORDS).quality(rule)
    for rule, other in itertools.permutations(found, 2):
        assert not all(value in (0, mine) for value, mine in zip(other, rule, strict=True))


def test_workers_change_nothing():
    settings = {"runs": 2, "threshold": Threshold(confidence=0.2)}
    alone, many = (
        evolve_rules(
            FuzzyRules(people(), GROUP, WORDS),
            Michigan(population=20),
            effort(8, seed=3, workers=workers),
            **settings,
        )
        for workers in (1, 2)
    )
    assert alone == many and alone


def test_a_rule_that_rests_on_few_records_is_not_kept(problem):
    rule = best_of_all(problem)
    quality = problem.quality(rule)
    assert Threshold(confidence=0.3).passes(quality)
    assert not Threshold().passes(quality)  # 166 members for 466 others
    assert not Threshold(confidence=0.3, records=quality.of_vital + 1).passes(quality)
    assert not Threshold(confidence=0.3, support=quality.support).passes(quality)
    weighed = replace(quality, unit=100.0)  # as if each of its 166 records stood for 100
    assert not Threshold(confidence=0.3).passes(weighed)


def test_wrong_words_are_explained(problem):
    with pytest.raises(ParameterError, match="replaced must be a number from 0 to 1"):
        Michigan(replaced=11)
    with pytest.raises(ParameterError, match="fitness must be one of df_rcf, wracc, youden"):
        FuzzyRules(people(), GROUP, WORDS, fitness="lift")
    with pytest.raises(ParameterError, match="runs must be"):
        evolve_rules(problem, runs=0)
    with pytest.raises(ParameterError, match="support must be at least 0"):
        Threshold(support=-1)


def test_the_identity_names_the_file_the_group_and_the_words(problem):
    assert problem.identity() == FuzzyRules(people(), GROUP, WORDS).identity()
    assert problem.identity() != FuzzyRules(people(seed=2), GROUP, WORDS).identity()
    assert problem.identity() != FuzzyRules(people(), GROUP, WORDS, fitness="youden").identity()


class Impatient:
    """Stops the work after so many steps of the progress bar."""

    def __init__(self, patience):
        self.patience, self.met = patience, 0

    def started(self, task):
        pass

    def advanced(self, task):
        self.patience -= 1
        if self.patience == 0:
            raise Cancelled("enough")

    def finished(self, task):
        pass

    def found(self, what, values): ...
    def noted(self, message):
        pass

    def honoured(self):
        self.met += 1


@pytest.mark.parametrize("patience", [9, 13])  # in the first run, and between its end and the second
def test_an_interrupt_keeps_the_rules_found_so_far(problem, patience):
    listener = Impatient(patience)
    threshold = Threshold(confidence=0.2)
    with listening(listener):
        found = evolve_rules(problem, Michigan(population=20), effort(12), threshold=threshold, runs=4)
    assert found and listener.met == 1
    whole = FuzzyRules(people(), GROUP, WORDS)
    evolve_rules(whole, Michigan(population=20), effort(12), threshold=threshold, runs=4)
    assert len(problem.seen) < len(whole.seen)
