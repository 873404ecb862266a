import numpy as np
import pytest
from measure_tables import keys

from sfumato import datasets
from sfumato.attacks import PeopleFound
from sfumato.attacks.panel import trial as panel_trial
from sfumato.attacks.panel.trial import Trial, trial, tried_panel
from sfumato.data.held_out import held_out
from sfumato.masking import Mdav, RankSwapping, Shuffling

CLASSIC = ("census", "tarragona", "diabetes")
SIZES = {"age": 10, "sex": 2, "region": 8, "education": 5, "household": 5, "occupation": 10}


def firms(n, seed=0):
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    columns = {f"x{j}": 0.6 * size + 0.8 * rng.normal(size=n) for j in range(6)}
    return keys(dict.fromkeys(columns, "numeric"), columns)


def survey(n, seed=1):
    """Six categorical keys, some categories rarer than others."""
    rng = np.random.default_rng(seed)
    domains = {
        name: ("ordinal" if size in (5, 10) else "nominal", [f"{name} {c}" for c in range(size)])
        for name, size in SIZES.items()
    }
    columns = {name: rng.choice(size, n, p=rng.dirichlet(np.full(size, 2.0))) for name, size in SIZES.items()}
    return keys(domains, columns)


def rates(found):
    return {name: 100 * outcomes.mean() for name, outcomes in found.outcomes.items()}


def test_the_best_of_many_guesses_is_not_better_than_a_guess():
    rng = np.random.default_rng(0)
    lucky = Trial(np.arange(400), {f"guess {g}": (rng.random(400) < 0.1) * 1.0 for g in range(40)})
    assert max(rates(lucky).values()) >= 13
    assert 7 < 100 * lucky.best().mean() < 11.5


def test_the_best_is_rated_as_it_is_where_it_is_clear():
    rng = np.random.default_rng(0)
    good, bad = (rng.random(300) < 0.6) * 1.0, (rng.random(300) < 0.1) * 1.0
    found = Trial(np.arange(300), {"bad": bad, "good": good})
    assert found.picked() == {"good"}
    assert found.best() == pytest.approx(good)
    assert found.best({"bad"}) == pytest.approx(bad)


def test_a_swapped_file_is_seen_through_by_who_learns_how_it_was_swapped():
    known = firms(400)
    found = rates(
        trial(
            RankSwapping(p=15).apply(known, np.random.default_rng(1)),
            known,
            known.names,
            np.random.default_rng(2),
        )
    )
    assert found["boosted_one_to_one"] > found["boosted"] > found["nearest"] + 10
    assert found["rank_window"] > found["nearest"]


def test_a_guess_finds_next_to_nobody():
    known = firms(300)
    found = tried_panel(known, known, known.names, np.random.default_rng(0))
    assert 100 * found.trial.best().mean() == 100
    assert 100 * found.guess.best().mean() < 3


def test_the_attack_uses_the_attributes_that_both_files_have():
    known = firms(150)
    result = PeopleFound().run(known.select(["x0", "x1"]), known, np.random.default_rng(0))
    assert result.attack.value == 100


def test_a_sample_of_people_is_sought_in_all_records(monkeypatch):
    monkeypatch.setattr(panel_trial, "ALL", 300)
    monkeypatch.setattr(panel_trial, "MOST_PEOPLE", 200)
    known = firms(900)
    rng = np.random.default_rng(3)
    released = known.replace({name: known[name] + 0.3 * rng.normal(size=900) for name in known.names})
    sampled = PeopleFound().run(released, known, np.random.default_rng(0))
    assert np.count_nonzero(~np.isnan(sampled.outcomes)) == 200
    monkeypatch.undo()
    whole = trial(released, known, known.names, np.random.default_rng(0))
    assert sampled.attack.low - 5 < rates(whole)["nearest_released"] < sampled.attack.high + 5


def test_few_people_teach_nothing():
    found = trial(firms(60), firms(60), firms(60).names, np.random.default_rng(0))
    assert "boosted" not in found.outcomes
    assert "nearest" in found.outcomes


def emptied(people, share, rng):
    """Cells made missing at random, as many as suppression that looks at records one by one makes."""
    columns = {}
    for name in people.names:
        empty = np.nan if people.schema[name].is_numeric else -1
        columns[name] = np.where(rng.random(people.n) < share, empty, people[name])
    return people.replace(columns)


def test_suppression_is_seen_through():
    people = survey(1000)
    released = emptied(people, 0.4, np.random.default_rng(1))
    found = rates(trial(released, people, people.names, np.random.default_rng(2)))
    assert found["compatible"] >= 2 * found["nearest"]  # 48 against 10 %


def of_classic(name, method, seed=7):
    inside = held_out(getattr(datasets, name)(), 1).inside
    released = method.apply(inside, np.random.default_rng(seed))
    return PeopleFound().run(released, inside, np.random.default_rng(1)).attack.value


@pytest.mark.classic("tarragona")
def test_swapping_far_does_not_help():
    assert of_classic("tarragona", RankSwapping(p=40)) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("classic", [pytest.param(name, marks=pytest.mark.classic) for name in CLASSIC])
class TestClassicFiles:
    def test_rank_swapping(self, classic):
        assert of_classic(classic, RankSwapping(p=20)) >= 70

    def test_microaggregation(self, classic):
        assert of_classic(classic, Mdav(k=5)) >= 15

    def test_shuffling(self, classic):
        assert of_classic(classic, Shuffling()) <= 1


def test_where_all_released_records_are_alike_everybody_guesses():
    people = datasets.household_survey(110, seed=1).select(["age", "sex", "marital", "income"])
    alike = people.take(np.zeros(110, int))
    found = trial(alike, people, people.names, np.random.default_rng(1))
    for name in ("logistic", "boosted", "boosted_one_to_one"):
        assert found.outcomes[name] == pytest.approx(1 / 110), name
    for name, outcome in found.outcomes.items():  # who links released records takes one person of each half
        assert outcome.mean() <= 2 / 110 + 1e-9, name
