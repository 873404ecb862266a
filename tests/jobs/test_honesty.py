import dataclasses
import importlib
import json

import numpy as np
import pytest

from sfumato import datasets, evaluate, evolve, mask
from sfumato.attacks import DistanceLinkage as MahalanobisAttack
from sfumato.core import ParameterError, UnknownNameError, stream
from sfumato.jobs import HeldOut, honesty
from sfumato.jobs._honesty import ATTACKS, LOSSES
from sfumato.jobs.evolve import fitness_of, front_of
from sfumato.measures import DistanceLinkage, Propensity, SubgroupMeans
from sfumato.search.fitness import Fitness, Objectives


@pytest.fixture(scope="module")
def firms():
    return datasets.business_survey(120, seed=1)


@pytest.fixture(scope="module")
def files(firms):
    return mask(firms, {"method": "mdav", "k": 3}, seed=1), mask(firms, {"method": "rank_swapping"}, seed=1)


def held_out(value, fitness, start, start_fitness):
    return HeldOut(
        name="subgroup_means",
        sense="loss",
        value=value,
        fitness=fitness,
        start=start,
        start_fitness=start_fitness,
    )


def test_a_search_that_fools_its_yardstick_is_caught(firms):
    """PIL sees totals only: swapped and averaged records are mixed until they look right on the whole."""
    found = evolve(
        firms, loss=["pil"], score="mean", methods=["mdav", "rank_swapping"], generations=60, seed=1
    )
    assert found.run.history[0].best > 20
    assert found.loss < 10 and found.risk < 5, "the search was to bring its own yardstick near zero"
    others = {one.name: one for one in found.honesty.measures}
    assert others["record_distance"].value > 25, "the records are ruined all the same"
    assert others["record_distance"].gap > others["record_distance"].start_gap + 5
    warned = [sentence.partition(" is ")[0] for sentence in found.honesty.warnings]
    assert {"Record distance", "Regression", "Propensity"} <= set(warned)
    record = json.loads(json.dumps(found.to_dict()))
    assert record["honesty"]["warnings"] == list(found.honesty.warnings)


def test_values_are_those_of_the_measures_and_attacks(firms, files):
    found = honesty(firms, *files, fitness=Fitness())
    evolved, start = (evaluate(firms, file) for file in files)
    assert (found.loss, found.risk) == (evolved.loss, evolved.risk)
    assert (found.start_loss, found.start_risk) == (start.loss, start.risk)
    by_name = {one.name: one for one in found.measures}
    assert set(by_name) == {*LOSSES, *ATTACKS}
    for name in LOSSES:
        assert by_name[name].value == evolved.scores[name].value
        assert by_name[name].start == start.scores[name].value
    attack = MahalanobisAttack(distance="mahalanobis").run(files[0], firms, np.random.default_rng(0)).attack
    linked = by_name["mahalanobis_linkage"]
    assert (linked.value, linked.low, linked.high) == (attack.value, attack.low, attack.high)
    assert linked.fitness == found.risk


def test_the_same_seed_gives_the_same_answers(firms, files):
    one, two = (honesty(firms, *files, fitness=Fitness(), seed=5).to_dict() for _ in range(2))
    assert one == two


@pytest.mark.parametrize(
    ("measure", "gone"),
    [
        (Propensity(), "propensity"),
        (SubgroupMeans(groups=5), "subgroup_means"),
        (DistanceLinkage(distance="mahalanobis"), "mahalanobis_linkage"),
    ],
)
def test_what_is_in_the_fitness_is_not_held_out(firms, files, measure, gone):
    losses = (measure,) if measure.sense == "loss" else Fitness().losses
    risks = (measure,) if measure.sense == "risk" else Fitness().risks
    found = honesty(firms, *files, fitness=Fitness(losses, risks))
    assert gone in found.in_fitness
    assert gone not in {one.name for one in found.measures}
    assert len(found.measures) == len(LOSSES) + len(ATTACKS) - 1


def test_a_distance_linkage_of_another_kind_leaves_mahalanobis_out_of_the_fitness(firms, files):
    found = honesty(firms, *files, fitness=Fitness(risks=(DistanceLinkage(),)))
    assert "mahalanobis_linkage" in {one.name for one in found.measures}


def test_objectives_without_a_risk_are_compared_with_the_usual_one(firms, files):
    found = honesty(firms, *files, fitness=Objectives((Propensity(), SubgroupMeans())))
    assert found.risk == evaluate(firms, files[0]).risk


def test_attackers_of_large_files_see_a_sample_and_the_fitness_sees_the_same(firms, files, monkeypatch):
    study = importlib.import_module("sfumato.jobs._honesty")
    monkeypatch.setattr(study, "MOST_ATTACKED", 40)
    found = honesty(firms, *files, fitness=Fitness(), seed=2)
    rows = np.sort(stream(2, "honesty").permutation(firms.n)[:40])
    assert (found.attacked, found.records, len(rows)) == (40, 120, 40)
    few = evaluate(firms.take(rows), files[0].take(rows))
    for one in found.measures:
        assert one.fitness == (few.risk if one.sense == "risk" else found.loss)
        if one.sense == "risk":
            assert one.low <= one.value <= one.high


def test_losses_that_would_take_long_are_left_out_with_a_sentence(firms, files, monkeypatch):
    monkeypatch.setattr(Propensity, "quick", 100)
    found = honesty(firms, *files, fitness=Fitness())
    assert found.left_out == ("Propensity was left out: 120 records would take long.",)
    assert "propensity" not in {one.name for one in found.measures}


def test_attacks_that_take_no_attribute_are_left_out_with_a_sentence():
    survey = datasets.household_survey(60, seed=1)
    survey = survey.with_schema(survey.schema.with_roles({"age": "other"}))
    masked = mask(survey, {"method": "pram"}, seed=1)
    found = honesty(survey, masked, masked, fitness=Fitness())
    assert [sentence.partition(" was left out: ")[0] for sentence in found.left_out] == [
        "Mahalanobis linkage"
    ]


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (held_out(12.0, 7.1, 12.0, 7.1), ""),
        (held_out(3.0, 30.0, 3.0, 30.0), ""),
        (held_out(13.0, 7.0, 30.0, 20.0), "the search has not parted them further"),
        (held_out(31.0, 5.0, 30.0, 31.0), "the score fell more than this did"),
        (held_out(31.0, 5.0, 20.0, 31.0), "the search made it worse"),
        (held_out(9.0, 6.0, 3.0, 25.0), "the search made it worse"),
    ],
)
def test_warnings_tell_gaps_of_the_search_from_those_of_the_measures(one, words):
    assert bool(one.warning) == bool(words)
    assert words in one.warning
    if words:
        assert one.warning.startswith(f"Subgroup means is {one.value:.1f} % where the fitness says")


def test_results_are_frozen_and_become_frames(firms, files):
    found = honesty(firms, *files, fitness=Fitness())
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.loss = 0.0
    frame = found.to_frame().to_pydict()
    assert frame["name"][0] == "subgroup_means"
    assert frame["gap"][0] == found.measures[0].value - found.loss


def test_a_fitness_is_made_of_names():
    assert fitness_of("fast") == Fitness()
    assert fitness_of("mares2013").how == "mean"
    assert fitness_of("mares2013").losses[0].numeric == "pil"
    assert fitness_of("mares2013", score="max").how == "max"
    added = fitness_of("fast", add=["propensity", "mahalanobis_linkage"])
    assert [measure.name for measure in added.losses] == ["information_loss", "propensity"]
    assert added.risks[1] == DistanceLinkage(distance="mahalanobis")
    assert fitness_of("fast", loss=[{"method": "sse"}]).losses[0].name == "sse"


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"add": ["propensty"]}, UnknownNameError, "Did you mean propensity"),
        ({"add": ["learned_linkage"]}, ParameterError, "is an attack"),
        ({"add": ["balance"]}, ParameterError, "no measure of loss or risk"),
        ({"loss": ["disclosure_risk"]}, ParameterError, "no measure of loss"),
        ({"score": "median"}, ParameterError, "how must be one of"),
        ({"score": "weighted", "weight": 1.5}, ParameterError, "weight must be"),
    ],
)
def test_a_wrong_fitness_is_refused(arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        fitness_of("fast", **arguments)


def test_a_front_balances_by_its_largest_objective():
    assert front_of(Fitness(), []).score((10.0, 30.0)) == 30.0
    assert front_of(Fitness(), [], score="mean").score((10.0, 30.0)) == 20.0
    assert front_of(Fitness(), ["sse", "propensity", "disclosure_risk"]).objectives[1] == "propensity"
    with pytest.raises(ParameterError, match="how must be one of max, mean"):
        front_of(Fitness(), [], score="weighted")
    with pytest.raises(ParameterError, match="two measures or more"):
        front_of(Fitness(), ["sse"])
