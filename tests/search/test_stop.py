import pytest
from evolving import evolved, small_problem

from sfumato.core import ParameterError
from sfumato.search.stop import Progress, Stop


def now(generation=10, seconds=5.0, best=20.0, unchanged=3):
    return Progress(generation, seconds, best, unchanged)


@pytest.mark.parametrize(
    ("rules", "at", "reason"),
    [
        ({"generations": 10}, now(generation=9), ""),
        ({"generations": 10}, now(generation=10), "10 generations were made"),
        ({"seconds": 5}, now(seconds=4.99), ""),
        ({"seconds": 5}, now(seconds=5.0), "5 seconds were over"),
        ({"generations": 99, "target": 20}, now(best=20.01), ""),
        ({"generations": 99, "target": 20}, now(best=20.0), "the target was reached"),
        ({"stagnation": 4}, now(unchanged=3), ""),
        ({"stagnation": 4}, now(unchanged=4), "the best score did not fall for 4 generations"),
        ({"generations": 10, "seconds": 1, "target": 50}, now(), "the target was reached"),
    ],
)
def test_the_first_rule_that_holds_ends_the_search(rules, at, reason):
    assert Stop(**rules).reason(at) == reason


@pytest.mark.parametrize(
    ("rules", "share"),
    [
        ({"generations": 40}, 0.25),
        ({"seconds": 10}, 0.5),
        ({"stagnation": 4}, 0.75),
        ({"generations": 40, "seconds": 10}, 0.5),
        ({"generations": 5}, 1.0),
    ],
)
def test_the_share_of_the_way_is_that_of_the_rule_that_is_nearest(rules, share):
    assert Stop(**rules).share(now()) == share


@pytest.mark.parametrize("name", ["generations", "seconds", "stagnation"])
@pytest.mark.parametrize("value", [0, -1])
def test_a_rule_must_be_positive(name, value):
    with pytest.raises(ParameterError, match=f"stop: {name} must be greater than 0"):
        Stop(**{name: value})


@pytest.mark.parametrize("rules", [{}, {"target": 1.0}])
def test_a_search_must_have_an_end(rules):
    with pytest.raises(ParameterError, match="give generations, seconds or stagnation"):
        Stop(**rules)


def test_runs_end_by_target_stagnation_and_seconds():
    whole = evolved(small_problem(), 30)
    target = whole.history[20].best
    found = evolved(small_problem(), stop=Stop(generations=99, target=target))
    assert (found.ended, found.score <= target) == ("the target was reached", True)
    assert all(step.best > target for step in found.history[:-1])

    found = evolved(small_problem(), stop=Stop(stagnation=7))
    best = [step.best for step in found.history]
    assert found.ended == "the best score did not fall for 7 generations"
    assert len(set(best[-8:])) == 1 and best[-9:-8] != best[-8:-7]

    found = evolved(small_problem(), stop=Stop(seconds=0.3))
    assert found.ended == "0.3 seconds were over"
    assert found.history[-1].seconds >= 0.3 > found.history[-2].seconds
