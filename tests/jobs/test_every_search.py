"""Every job that searches can be ended, kept and shared out in the same ways."""

import pytest

from sfumato.core import registry
from sfumato.jobs._searching import Searching

JOBS = {name: registry.load("jobs", name) for name in registry.names("jobs")}
SEARCHES = [name for name, job in JOBS.items() if issubclass(job, Searching)]


def test_the_searches_are_known():
    assert {"protect", "evolve", "evolve_pram", "evolve_equation", "group_attributes"} < set(SEARCHES)
    assert {"groups attack", "groups protect"} < set(SEARCHES)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_takes_every_rule_a_folder_workers_and_a_cluster(name):
    options = JOBS[name].options()
    rules = {
        registry.load("stop_rules", rule).option.removeprefix("--") for rule in registry.names("stop_rules")
    }
    assert rules | {"run", "workers", "cluster", "seed"} <= set(options)


@pytest.mark.parametrize("name", SEARCHES)
def test_rules_given_are_rules_obeyed(name):
    job = JOBS[name]
    given = {"generations": 7, "target": 1.5, "stagnation": 3, "for": "90s"}
    needed = {"vital": ["a=1"], "parameter": "b"} if name.startswith("groups") else {}
    made = job.from_settings({**needed, **given, **({"evolve": "5g"} if name == "protect" else {})})
    assert {key: made.settings()[key] for key in given} == {**given, "for": 90.0}
    if name != "protect":  # where they end the evolution
        assert {rule.name: rule.limit for rule in made.stop_rule.rules} == {
            "generations": 7,
            "target": 1.5,
            "stagnation": 3,
            "seconds": 90.0,
        }
    counted = job.from_settings({**needed, "for": "300g"})
    assert counted.settings()["generations"] == 300
