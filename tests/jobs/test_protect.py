import itertools
import json
from functools import partial
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

import sfumato
from sfumato import datasets, evaluate
from sfumato.core import DataError, GateError, Key, ParameterError, SfumatoError, UnknownNameError, progress
from sfumato.data import Schema, Table
from sfumato.jobs import protect as jobs_protect
from sfumato.jobs._exceeded import exceeded
from sfumato.jobs.protect import Protect
from sfumato.masking import make_masking, masked_with

protect = partial(sfumato.protect, with_verdict=False)  # which takes long, and is tested by itself
FEW = ["mdav", "mondrian", "noise", "rank_swapping"]


@pytest.fixture(scope="module")
def survey():
    return datasets.household_survey(250, seed=1)


@pytest.fixture(scope="module")
def protection(survey):
    return protect(survey, seed=7, methods=["mdav", "pram", "rank_swapping"])


def test_the_best_balanced_candidate_is_chosen(protection):
    assert protection.chosen.score("max") == min(c.score("max") for c in protection.candidates)


def test_the_mean_can_decide_instead(survey):
    few = survey.take(np.arange(60))
    found = protect(few, seed=7, methods=["mdav", "pram"], score="mean")
    assert found.chosen.score("mean") == min(c.score("mean") for c in found.candidates)


def test_identifiers_are_dropped_unless_asked_for(survey, protection):
    identifiers = survey.schema.with_role("identifier")
    assert identifiers
    assert not set(identifiers) & set(protection.release.names)
    kept = protect(survey.take(np.arange(60)), methods=["mdav", "pram"], keep=identifiers).release
    assert set(identifiers) <= set(kept.names)


def test_attributes_that_are_no_keys_go_out_as_they_are(survey, protection):
    for attribute in survey.schema:
        if attribute.role not in ("key", "identifier"):
            assert protection.aligned[attribute.name] is survey[attribute.name]


def test_the_record_repeats_the_release(survey, protection):
    record = json.loads(json.dumps(protection.to_dict()))
    rules = Schema.from_toml(record["schema"]).rules  # those that were found in it, since none are declared
    original = survey.with_schema(survey.schema.with_rules(rules))
    again = masked_with(make_masking(record["chosen"]["masking"]), original, seed=record["job"]["seed"])
    assert again.select(protection.aligned.names).fingerprint == protection.aligned.fingerprint
    assert protection.release.fingerprint == record["release"]["fingerprint"]
    assert record["original"]["fingerprint"] == original.fingerprint


def test_the_evaluation_is_that_of_the_release(survey, protection):
    assert protection.evaluation.loss == protection.chosen.loss
    assert protection.evaluation.risk == protection.chosen.risk
    masked = masked_with(protection.chosen.masking, protection.original, seed=7)
    assert evaluate(protection.original, masked).loss == protection.chosen.loss


def test_by_default_what_loses_least_among_what_gives_nothing_away_is_released(survey):
    few = ["person_id", "household", "age", "sex", "education", "hours", "income", "wealth", "health"]
    survey = survey.select(few)  # without the columns of many categories, which take long to learn
    methods = ["mdav", "pram", "calibrated_synthesis"]
    found, balanced = (sfumato.protect(survey, seed=7, methods=methods, score=s) for s in ("verdict", "max"))
    assert protect(survey, seed=7, methods=methods).score == "verdict"
    assert found.chosen.masking.name == "calibrated_synthesis"
    assert not found.verdict.belongs and not exceeded(found.verdict)
    assert found.verdict.loss.value < balanced.verdict.loss.value
    kept = {one.name: one.kind for one in found.treated.columns}
    assert all(kept[name] == "masked" for name in found.release.names if name != "household")
    assert kept["household"] == "renumbered" and kept["person_id"] == "left out"
    sizes = [sorted(np.unique(t["household"], return_counts=True)[1]) for t in (survey, found.release)]
    assert sizes[0] == sizes[1]


def test_a_requirement_goes_before_the_verdict(survey):
    found = protect(survey, seed=7, methods=["mdav_generic", "calibrated_synthesis"], require=["k >= 3"])
    assert found.chosen.masking.name == "mdav_generic"
    assert found.gates[0].reading >= 3


def test_the_front_falls(protection):
    front = protection.front
    assert all(a.loss <= b.loss and a.risk >= b.risk for a, b in itertools.pairwise(front))


def test_a_frame_lists_every_candidate(protection):
    frame = protection.to_frame()
    assert frame.num_rows == len(protection.candidates)
    assert sum(frame["chosen"].to_pylist()) == 1


def test_gates_restrict_the_choice():
    firms = datasets.business_survey(100, seed=1)
    free = protect(firms, seed=1, methods=FEW, score="max")
    gated = protect(firms, seed=1, methods=FEW, score="max", require=["k >= 20"])
    assert gated.gates[0].reading >= 20
    assert gated.chosen.score("max") >= free.chosen.score("max")


@pytest.mark.parametrize(
    ("require", "sentence"),
    [
        (["k >= 200"], "k_anonymity.smallest >= 200 cannot be met: the table has only 150 records"),
        (["loss <= 0"], "meets information_loss <= 0: the best reaches"),
        (["k >= 20", "loss <= 10"], "meets all of k_anonymity.smallest >= 20, information_loss <= 10"),
    ],
)
def test_a_gate_that_nothing_meets_is_an_error_with_the_best_reading(require, sentence):
    with pytest.raises(GateError, match=sentence):
        protect(datasets.business_survey(150, seed=1), seed=1, methods=FEW, require=require)


def test_nothing_to_protect(survey):
    with pytest.raises(DataError, match="holds no record"):
        protect(survey.take([]))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"score": "median"}, ParameterError),
        ({"keep": ["no_such"]}, UnknownNameError),
        ({"methods": ["no_such"]}, UnknownNameError),
        ({"require": ["k = 5"]}, DataError),
        ({"workers": 0}, ValueError),
    ],
)
def test_wrong_arguments_are_refused(survey, arguments, error):
    with pytest.raises(error):
        protect(survey, **arguments)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("k_anonymity.nonsense >= 3", "Unknown part of k_anonymity 'nonsense'"),
        ("k_anonymity.smalest >= 3", "Did you mean smallest"),
        ("dbil <= 3", "dbil: no key attribute is ordinal or nominal"),
    ],
)
def test_gates_that_cannot_be_read_are_refused_before_the_search(rule, sentence):
    class Watcher(progress.Listener):
        tasks: ClassVar[list[str]] = []

        def started(self, task):
            self.tasks.append(task.label)

    with progress.listening(Watcher()), pytest.raises(SfumatoError, match=sentence):
        protect(datasets.business_survey(40, seed=1), require=["k >= 3", rule])
    assert Watcher.tasks == []


def test_a_table_without_keys_is_refused_as_such_whatever_is_required():
    firms = datasets.business_survey(40, seed=1)
    firms = firms.with_schema(firms.schema.with_roles(dict.fromkeys(firms.names, "other")))
    with pytest.raises(DataError, match="No attribute has the role key"):
        protect(firms, require=["k >= 3"])


def test_a_table_no_method_fits_is_refused():
    firms = datasets.business_survey(1)
    with pytest.raises(DataError, match="No method of the portfolio could be applied"):
        protect(firms, methods=["mdav"])


def test_the_original_is_untouched(survey):
    survey = survey.take(np.arange(60))
    before = survey.fingerprint
    protect(survey, methods=["mdav", "pram"])
    assert (
        Table(survey.schema, {n: survey[n] for n in survey.names}, reasons=survey._reasons).fingerprint
        == before
    )


def test_a_search_that_was_cut_is_repeated_by_its_generations():
    people = datasets.household_survey(60, seed=1)
    key = Key.drawn()
    found = protect(people, target=100.0, methods=["rank_swapping", "pram", "mdav"], secret=key)
    assert found.cut_after is not None
    job = found.repeated()
    assert job.settings()["generations"] == found.cut_after and "target" not in job.settings()
    again = protect(
        people, generations=found.cut_after, methods=["rank_swapping", "pram", "mdav"], secret=key
    )
    assert again.release.fingerprint == found.release.fingerprint
    assert len(again.candidates) == len(found.candidates)
    assert protect(people, methods=["mdav"]).cut_after is None


@pytest.mark.parametrize(
    ("new", "old", "is_better"),
    [
        ((0, 3.0), (0, 5.0), True),
        ((0, 5.0), (0, 5.0), False),
        ((1, 3.0), (0, 5.0), False),  # requirements go before the loss
        ((0, 9.0), (2, 5.0), True),
        (None, (0, 5.0), True),  # without a verdict the score decides
        ((0, 9.0), None, True),
    ],
)
def test_an_evolved_file_is_released_where_the_verdict_on_it_is_better(new, old, is_better, monkeypatch):
    monkeypatch.setattr(jobs_protect, "exceeded", lambda verdict: range(verdict[0]))
    monkeypatch.setattr(jobs_protect, "loss_of", lambda verdict: verdict[1])
    evolved = SimpleNamespace(verdict=new, score=1.0)
    found = SimpleNamespace(verdict=old, balance="max", chosen=SimpleNamespace(score=lambda how: 2.0))
    assert Protect(score="verdict")._is_better(evolved, found) is is_better
    assert Protect(score="max")._is_better(evolved, found)
    evolved.score = 2.0
    assert not Protect(score="max")._is_better(evolved, found)
