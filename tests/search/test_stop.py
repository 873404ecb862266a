import dataclasses
import sys

import pytest
from evolving import evolved, small_problem

from sfumato.core import ParameterError, UnknownNameError, parameters, registry
from sfumato.search.stop import Ending, Progress, Stop
from sfumato.search.stop_rules import StopRule


def now(generation=10, seconds=5.0, best=20.0, unchanged=3, settled=0, evaluations=30):
    return Progress(generation, seconds, best, unchanged, settled, evaluations)


@pytest.mark.parametrize(
    ("limits", "at", "reason"),
    [
        ({"generations": 10}, now(generation=9), None),
        ({"generations": 10}, now(generation=10), "10 generations were made"),
        ({"seconds": 5}, now(seconds=4.99), None),
        ({"seconds": 5}, now(seconds=5.0), "5 seconds were over"),
        ({"generations": 99, "target": 20}, now(best=20.01), None),
        ({"generations": 99, "target": 20}, now(best=20.0), "the target was reached"),
        ({"settled": 2}, now(settled=1), None),
        ({"settled": 2}, now(settled=2), "the mean score stayed the same for 2 generations"),
        ({"evaluations": 30}, now(evaluations=29), None),
        ({"evaluations": 30}, now(), "30 candidates were judged"),
        ({"stagnation": 4}, now(unchanged=3), None),
        ({"stagnation": 4}, now(unchanged=4), "the best score did not fall for 4 generations"),
        ({"generations": 10, "seconds": 1, "target": 50}, now(), "the target was reached"),
        ({"stagnation": 1, "seconds": 1, "generations": 1}, now(), "1 generations were made"),
    ],
)
def test_the_first_rule_that_holds_ends_the_search(limits, at, reason):
    rule = Stop(**limits).holding(at)
    assert (None if rule is None else rule.reason()) == reason


@pytest.mark.parametrize(
    ("limits", "share"),
    [
        ({"generations": 40}, 0.25),
        ({"seconds": 10}, 0.5),
        ({"stagnation": 4}, 0.75),
        ({"evaluations": 60}, 0.5),
        ({"generations": 40, "seconds": 10, "target": 30}, 0.5),
        ({"generations": 5}, 1.0),
    ],
)
def test_the_share_of_the_way_is_that_of_the_rule_that_is_nearest(limits, share):
    assert Stop(**limits).share(now()) == share


@pytest.mark.parametrize("name", ["evaluations", "generations", "seconds", "settled", "stagnation"])
@pytest.mark.parametrize("value", [0, -1])
def test_a_rule_must_be_positive(name, value):
    with pytest.raises(ParameterError, match=f"{name}: limit must be an? .*"):
        Stop(**{name: value})


@pytest.mark.parametrize("limits", [{}, {"target": 1.0}, {"generations": None}])
def test_a_search_must_have_an_end(limits):
    sentence = (
        "stop: give evaluations, generations, seconds, settled or stagnation; a target may never be met."
    )
    with pytest.raises(ParameterError, match=sentence):
        Stop(**limits)
    assert Stop.when_done(**limits).holding(now(generation=10**9)) is None


def test_unknown_rules_are_refused():
    with pytest.raises(UnknownNameError, match=r"Unknown stop rule 'generation'. Did you mean generations"):
        Stop(generation=5)


def test_the_usual_rules_fill_in_where_none_is_sure_to_end():
    usual = {"seconds": 60.0}
    assert Stop.given({}, usual=usual) == Stop(seconds=60)
    assert Stop.given({"seconds": None, "target": 3}, usual=usual) == Stop(seconds=60, target=3)
    assert Stop.given({"stagnation": 9}, usual=usual) == Stop(stagnation=9)


def test_only_seconds_are_shared_out_to_searches_in_a_row():
    stop = Stop(seconds=10, generations=6, target=1, stagnation=2)
    assert stop.divided(4) == Stop(seconds=2.5, generations=6, target=1, stagnation=2)


def test_runs_end_by_target_stagnation_evaluations_and_seconds():
    whole = evolved(small_problem(), 30)
    target = whole.history[20].best
    found = evolved(small_problem(), stop=Stop(generations=99, target=target))
    assert (found.reason, found.score <= target) == ("the target was reached", True)
    assert all(step.best > target for step in found.history[:-1])

    found = evolved(small_problem(), stop=Stop(stagnation=7))
    best = [step.best for step in found.history]
    assert found.reason == "the best score did not fall for 7 generations"
    assert len(set(best[-8:])) == 1 and best[-9:-8] != best[-8:-7]

    judged = whole.history[10].evaluations
    found = evolved(small_problem(), stop=Stop(evaluations=judged))
    assert found.reason == f"{judged} candidates were judged"
    assert found.evaluations >= judged > found.history[-2].evaluations

    found = evolved(small_problem(), stop=Stop(seconds=0.3))
    assert found.reason == "0.3 seconds were over"
    assert found.history[-1].seconds >= 0.3 > found.history[-2].seconds


def test_each_rule_says_how_the_command_line_calls_it():
    rules = {name: registry.load("stop_rules", name) for name in registry.names("stop_rules")}
    assert {name: (rule.option, rule.metavar) for name, rule in rules.items()} == {
        "evaluations": ("--evaluations", "N"),
        "generations": ("--generations", "N"),
        "seconds": ("--for", "TIME"),
        "settled": ("--settled", "N"),
        "stagnation": ("--stagnation", "N"),
        "target": ("--target", "SCORE"),
    }
    for name, rule in rules.items():
        (limit,) = parameters(rule).values()
        assert limit.help and limit.default is dataclasses.MISSING and rule.name == name


RULE = '''
"""A search ends at a generation whose number has a divisor."""

from dataclasses import MISSING

from sfumato.core import param
from sfumato.search.stop_rules import StopRule


class DivisibleBy(StopRule):
    """A rule that nobody needs."""

    limit: int = param(default=MISSING, low=2, help="end at a multiple of this")

    def holds(self, now):
        return now.generation > 0 and now.generation % self.limit == 0

    def reason(self):
        return f"{self.limit} divides its number"
'''


@pytest.fixture
def divisible_by(tmp_path, monkeypatch):
    """A rule in a file of its own in the folder of the rules, and nowhere else."""
    import sfumato.search.stop_rules as folder

    (tmp_path / "divisible_by.py").write_text(RULE)
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
    monkeypatch.setitem(registry._files("stop_rules"), "divisible_by", tmp_path / "divisible_by.py")
    registry.names.cache_clear()
    yield
    sys.modules.pop("sfumato.search.stop_rules.divisible_by", None)
    registry.names.cache_clear()


def test_a_new_rule_is_one_file(divisible_by):
    assert "divisible_by" in registry.names("stop_rules")
    stop = Stop(divisible_by=7, generations=99)
    (rule,) = [rule for rule in stop.rules if rule.name == "divisible_by"]
    assert isinstance(rule, StopRule) and rule.option == "--divisible-by"
    found = evolved(small_problem(), stop=stop)
    assert (found.ended, found.rule) == (Ending.BY_RULE, rule)
    assert found.history[-1].generation == 7 and found.to_dict()["ended"] == "7 divides its number"
    with pytest.raises(ParameterError, match="stop: give divisible_by, evaluations, generations, "):
        Stop()
