"""The verdict: judged with people outside, the same anywhere, in words, and what hangs on it."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

import sfumato
from sfumato.core import DataError, GateError, ParameterError, progress
from sfumato.core.streams import Key
from sfumato.data import Attribute, Schema, Table
from sfumato.data.held_out import held_out
from sfumato.datasets import business_survey, household_survey
from sfumato.jobs import People, Rehearsal, Verdict, rehearsals, verdict, verdict_on
from sfumato.jobs._outsiders import released_again
from sfumato.jobs._work import Work
from sfumato.jobs.protect import Protect
from sfumato.masking import make_masking, masked_with
from sfumato.measures import HEADLINE_LOSS, HEADLINE_RISKS, Estimate, Score
from sfumato.parallel.threads import using_threads

ALL = {HEADLINE_LOSS, *HEADLINE_RISKS}


class Notes:
    def __init__(self):
        self.said = []

    def started(self, task): ...
    def advanced(self, task): ...
    def finished(self, task): ...
    def found(self, what, values): ...
    def honoured(self): ...
    def noted(self, message):
        self.said.append(message)


@pytest.fixture(scope="module")
def firms():
    """Few columns, since each is learned from the others."""
    return business_survey(150, seed=2).select(["staff", "cash", "equity", "wages"])


@pytest.fixture(scope="module")
def judged(firms):
    masking = make_masking("mdav(k=3)")
    return verdict_on(masking, firms, masked_with(masking, firms, seed=1), seed=1, rehearsals=1)


def estimate(value, low, high, **parts):
    return Estimate(measure="x", value=value, parts=parts, seconds=0.0, low=low, high=high, sample=10)


def of_scores(**scores):
    return Verdict(scores=scores, known=("age",), records=10)


def test_a_rehearsal_holds_out_other_people_each_time(firms):
    seen = []

    def make(inside, seed):
        seen.append(seed)
        return inside

    made = list(rehearsals(firms, make, seed=3, count=5))
    assert [one.inside.n + one.outside.n for one in made] == [firms.n] * 5
    assert sum(one.outside.n for one in made) == firms.n
    assert len(set(seen)) == 5 and 3 not in seen
    names = firms.names
    outside = [tuple(row) for one in made for row in zip(*(one.outside[name] for name in names), strict=True)]
    assert len(outside) == firms.n


def test_a_household_is_on_one_side():
    survey = household_survey(600, seed=1)
    (home,) = survey.schema.with_role("household")
    for fold in range(5):
        inside, outside = held_out(survey, 4, fold=fold)
        assert not set(inside[home].tolist()) & set(outside[home].tolist())
        assert inside.n + outside.n == survey.n and outside.n > 60


def test_all_headlines_are_judged_with_people_outside(judged):
    assert set(judged.scores) == ALL
    assert judged.rehearsals == 1 and judged.outside == 30
    assert not judged.left_out
    sentences = list(judged.sentences())
    assert len(sentences) == 5
    assert "guessing finds" in sentences[0]
    assert any("done once more on four fifths" in line for line in judged.told() if isinstance(line, str))


def test_without_people_outside_the_rest_is_judged_and_said(firms):
    found = verdict(firms, firms)
    assert set(found.scores) == {HEADLINE_LOSS, "people_found"}
    assert found.scores["people_found"].value > 90
    assert found.scores[HEADLINE_LOSS].value == 0
    assert "not known without people outside" in found.left_out[0]


def test_too_few_records_are_not_held_out(firms):
    watcher = Notes()
    few = firms.take(np.arange(60))
    with progress.listening(watcher):
        found = verdict_on(make_masking("mdav(k=3)"), few, few, seed=1, rehearsals=1)
    assert found.rehearsals == 0
    assert any("too few to hold people out" in said for said in watcher.said)


def test_the_same_on_any_number_of_threads(firms):
    masking = make_masking("rank_swapping(p=15)")
    masked = masked_with(masking, firms, seed=1)
    found = []
    for threads in (1, 3):
        with using_threads(threads):
            scores = verdict_on(masking, firms, masked, seed=1, rehearsals=1).scores
        found.append(
            {name: dataclasses.replace(score, seconds=0.0).to_dict() for name, score in scores.items()}
        )
    assert found[0] == found[1]


def test_records_of_nobody_are_not_found(firms):
    found = verdict(firms, firms, belongs=False)
    assert "people_found" not in found.scores and "people_found" not in found.risks
    assert "there is nobody to be found" in next(iter(found.sentences()))


def test_worse_is_worse_by_more_than_both_intervals():
    calm, same, high = estimate(2.0, 1.0, 3.0), estimate(3.5, 2.5, 5.0), estimate(9.0, 7.0, 11.0)
    assert of_scores(learned=high).worse_than(of_scores(learned=calm)) == ("learned",)
    assert of_scores(learned=calm).worse_than(of_scores(learned=high)) == ()
    assert of_scores(learned=estimate(3.5, 1.5, 6.0)).worse_than(of_scores(learned=calm)) == ()
    assert of_scores(learned=same, copies=calm).worse_than(of_scores(copies=calm)) == ()


def test_several_rehearsals_are_one_verdict(firms):
    masking = make_masking("mdav(k=5)")
    masked = masked_with(masking, firms, seed=1)
    found = verdict_on(masking, firms, masked, seed=1, rehearsals=2)
    assert found.rehearsals == 2 and found.outside == 60
    one = [
        People((release,), is_rehearsed=True)
        for release in rehearsals(firms, lambda t, s: masked_with(masking, t, seed=s), seed=1, count=2)
    ]
    alone = [verdict(firms, masked, people=people).scores["learned"] for people in one]
    columns = firms.schema.with_role("confidential") or ("mean",)
    means = [np.mean([score.parts[name] for score in alone]) for name in columns]
    assert found.scores["learned"].value == pytest.approx(max([0.0, *means]))


@pytest.mark.parametrize("job", ["protect", "mask", "group_attributes"])
def test_every_releasing_job_is_judged(job, firms):
    options = {
        "protect": {"methods": ["mdav"]},
        "group_attributes": {"k": 3, "names": firms.schema.with_role("key")[:3]},
    }.get(job, {})
    if job == "mask":
        from sfumato.jobs import Work
        from sfumato.jobs.mask import Mask

        asked = Mask(masking="mdav(k=3)", with_verdict=True, seed=1)
        found = asked.run(*asked.read(Work(), file=firms), work=Work())
    else:
        found = getattr(sfumato, job)(firms, seed=1, **options)
    assert set(found.verdict.scores) == ALL
    assert found.to_dict()["verdict"]["rehearsals"] == 1


def test_a_requirement_may_ask_for_people_outside(firms):
    found = sfumato.protect(firms, methods=["mdav"], require=["copies <= 60", "people_found <= 60"], seed=1)
    assert [str(one.gate) for one in found.gates] == ["copies <= 60", "people_found <= 60"]
    with pytest.raises(ParameterError, match="leave out --rehearsals 0"):
        sfumato.protect(firms, methods=["mdav"], require=["copies <= 60"], rehearsals=0)


def test_a_requirement_that_cannot_be_judged_is_not_met(firms):
    few = firms.take(np.arange(60))
    with pytest.raises(GateError, match="could not be judged"):
        sfumato.evolve(
            few,
            preset="fast",
            generations=1,
            methods=["mdav"],
            require=["copies <= 60"],
            seed=1,
            with_verdict=False,
        )


def test_an_estimate_must_hold_at_its_cautious_end_but_headlines_are_read_as_they_are():
    from sfumato.search.maskings.gates import Gate

    gate = Gate.parse("distance_linkage <= 5")
    scores = {gate.label: estimate(4.0, 3.0, 6.0)}
    assert gate.read(scores).reading == 6.0 and not gate.holds(scores)
    assert gate.holds({gate.label: Score(measure="x", value=4.0, parts={}, seconds=0.0)})
    headline = Gate.parse("people_found <= 5")
    assert headline.holds({headline.label: estimate(4.0, 3.0, 6.0)})


def test_evaluate_with_people_outside(firms):
    inside, outside = held_out(firms, 5)
    masked = masked_with(make_masking("mdav(k=3)"), inside, seed=1)
    found = sfumato.evaluate(inside, masked, outside=outside)
    assert set(found.verdict.scores) == ALL
    assert found.verdict.rehearsals == 0 and found.verdict.outside == outside.n
    assert next(iter(found.scores)) == HEADLINE_LOSS
    one = sfumato.evaluate(inside, masked, outside=outside, measures=["membership"])
    assert one.scores["membership"].value == found.scores["membership"].value
    with pytest.raises(DataError, match="--outside"):
        sfumato.evaluate(inside, masked, measures=["membership"])
    with pytest.raises(DataError, match="has no column"):
        sfumato.evaluate(inside, masked, outside=outside.select(outside.names[1:]))


def test_evaluate_rehearses_the_job_that_made_a_file(tmp_path, firms):
    from sfumato.data import write_table

    write_table(firms, tmp_path / "firms.csv")
    (tmp_path / "firms.toml").write_text(firms.schema.to_toml())
    sfumato.mask(
        tmp_path / "firms.csv", "mdav(k=3)", schema=tmp_path / "firms.toml", output=tmp_path / "out.csv"
    )
    found = sfumato.evaluate(
        tmp_path / "firms.csv", tmp_path / "out.csv", schema=tmp_path / "firms.toml", rehearse=True
    )
    assert found.verdict.rehearsals == 1 and set(found.verdict.scores) == ALL
    write_table(firms, tmp_path / "other.csv")
    with pytest.raises(DataError, match="cannot be rehearsed"):
        sfumato.evaluate(tmp_path / "firms.csv", tmp_path / "other.csv", rehearse=True)


def test_attack_with_people_outside(firms):
    inside, outside = held_out(firms, 5)
    masked = masked_with(make_masking("mdav(k=3)"), inside, seed=1)
    assert "membership" not in sfumato.attack(inside, masked).results
    assert "membership" in sfumato.attack(inside, masked, outside=outside).results


def test_an_evolution_that_is_easier_to_attack_is_not_released(firms, monkeypatch):
    from sfumato.jobs import _evolution

    monkeypatch.setattr(_evolution.Verdict, "worse_than", lambda self, other: ("learned",))
    found = sfumato.evolve(
        firms, preset="fast", generations=2, methods=["mdav", "noise"], seed=1, rehearsals=0
    )
    assert found.worse == ("learned",)
    assert found.verdict is found.start_verdict and found.costs == found.start_costs
    assert found.chosen.genome.key == found.best_start.genome.key
    assert "The search made it easier to attack" in found.reversion


def test_words_name_what_is_compared():
    people = of_scores(people_found=estimate(0.3, 0.1, 0.9, guess=0.1))
    assert next(iter(people.sentences())) == (
        "An intruder who knows 1 thing about each person (age) finds about 3 people in 1,000 (at most 9); "
        "guessing finds 1."
    )


def test_pictures(judged):
    from sfumato.plots._style import svg_text

    text = svg_text(judged.plot())
    assert "People found" in text and "a guess" in text
    svg_text(of_scores().plot())


def test_rare_tables_are_judged():
    schema = Schema([Attribute(name="x", scale="numeric", role="key")])
    constant = Table(schema, {"x": np.ones(200)})
    found = verdict_on(make_masking("rounding(base=1)"), constant, constant, seed=1, rehearsals=1)
    assert found.scores["people_found"].value == pytest.approx(0.5)


def test_a_rehearsal_is_a_value(firms):
    inside, outside = held_out(firms, 1)
    assert Rehearsal(inside, outside, inside).released is inside


def test_a_rehearsal_of_a_job_writes_nothing_and_judges_nothing(monkeypatch):
    asked = []
    monkeypatch.setattr(
        Protect, "run", lambda self, *tables, work: asked.append(self) or SimpleNamespace(table="made")
    )
    job = Protect(file="in.csv", output="out.csv", run_folder="kept", policy="none", secret=Key.drawn())
    with Work() as work:
        assert released_again(job, household_survey(20, seed=1), 7, work) == "made"
    [again] = asked
    assert (again.output, again.run_folder, again.with_verdict) == (None, None, False)
    assert (again.seed, again.secret, again.policy) == (7, None, "none")
