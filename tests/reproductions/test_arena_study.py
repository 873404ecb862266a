"""The study of the public arena: what is asked of whom, and that a short run of it keeps to it."""

import numpy as np
import pytest

from sfumato.core import FileError, ParameterError, UnknownNameError
from sfumato.data import Attribute, Schema, Table
from sfumato.datasets.arena import Submission
from sfumato.masking import Chain, MdavGeneric, Pram, Sampling, Shuffling
from sfumato.reproductions import Arena
from sfumato.reproductions._arena_lines import (
    Entry,
    apart_lines,
    best_lines,
    formal_lines,
    plain_lines,
    sample_lines,
    standing,
    submitted,
)
from sfumato.reproductions._arena_yardsticks import ArenaScores, Coincidences
from sfumato.reproductions.arena import SAMPLE, as_features, covering


def submission(algorithm="cart", k=950.0, **given):
    usual = {
        "library": "others",
        "algorithm": algorithm,
        "extract": "ma2019",
        "feature_set": "industry-focused",
        "features": 9,
        "epsilon": None,
        "variant": "",
        "k_marginal": k,
        "uem": 20.0,
        "pmse": 0.001,
    }
    return Submission(**{**usual, **given})


def entry(text="ours", covered=9, coincidences=(), **given):
    usual = {
        "k_marginal": 960.0,
        "uem": 12.0,
        "apparent_matches": 3,
        "apparent_agreement": 50.0,
        "pmse": 0.002,
        "impossible": None,
        "features": ("SEX",),
        "records": 100,
    }
    return Entry(text, covered, ArenaScores(**{**usual, **given}), coincidences)


def verdicts(lines):
    return {line.what.rpartition(": ")[2]: line.verdict for line in lines}


class TestBest:
    def test_it_must_be_above_every_submission(self):
        theirs = [submission(k=940), submission(k=955)]
        (first, *_) = best_lines("industry", entry(), theirs)
        assert (first.ours, first.published, first.verdict) == (960, 955, "holds")
        (first, *_) = best_lines("industry", entry(k_marginal=955.0), theirs)
        assert first.verdict == "fails"

    def test_people_inside_may_be_seen_two_points_more_often_than_people_outside(self):
        for inside, verdict in ((11.9, "holds"), (12.1, "fails")):
            cuts = (Coincidences(inside - 1, 11.0), Coincidences(inside + 1, 9.0))
            found = verdicts(best_lines("industry", entry(coincidences=cuts), []))
            assert found["UEM of people inside (%)"] == verdict
            assert found["UEM of people outside (%)"] == found["UEM (%)"] == ""

    def test_trees_and_rules(self):
        found = verdicts(best_lines("demographic", entry(pmse=0.006, impossible=0.2), []))
        assert (found["pMSE"], found["impossible records (%)"]) == ("fails", "holds")
        assert "impossible records (%)" not in verdicts(best_lines("industry", entry(), []))

    def test_a_file_that_could_not_be_made_reaches_no_bar(self):
        failed = Entry("ours", 9, None)
        barred = [line.verdict for line in best_lines("industry", failed, [submission()]) if line.bar]
        assert barred == ["fails"] * 3
        assert not list(plain_lines("industry", failed))


def test_without_coincidences_nobody_may_be_seen():
    assert verdicts(apart_lines("industry", entry(uem=0.0)))["UEM (%)"] == "holds"
    assert verdicts(apart_lines("industry", entry(uem=0.01)))["UEM (%)"] == "fails"


def test_a_formal_promise_is_compared_with_the_same_promise():
    theirs = [
        submission("mst", 899, epsilon=1.0),
        submission("mst", 917, epsilon=10.0),
        submission("Genetic SD", 905, epsilon=1.0),
        submission("pategan", 990, epsilon=1.0),
    ]
    lines = list(formal_lines("industry", entry(k_marginal=901.8), theirs))
    assert [(line.published, line.verdict) for line in lines] == [(899, "holds"), (905, "fails"), (None, "")]
    alone = list(formal_lines("industry", entry(), theirs[1:2]))
    assert [line.verdict for line in alone] == ["", ""]


def test_a_sample_is_held_against_the_sample_of_the_archive():
    theirs = [submission("subsample_40pcnt", 941, uem=39.6)]
    found = verdicts(sample_lines("industry", entry(k_marginal=943.0, uem=40.2), theirs))
    assert found == {"k-marginal": "holds", "UEM (%)": "holds", "pMSE": ""}
    found = verdicts(sample_lines("industry", entry(k_marginal=920.0, uem=48.0), theirs))
    assert found == {"k-marginal": "fails", "UEM (%)": "fails", "pMSE": ""}
    assert len(list(sample_lines("industry", entry(), []))) == 2


def test_lines_say_which_features_go_as_they_are():
    (line, _) = plain_lines("industry", entry("shuffling", covered=2))
    assert line.what == "industry, shuffling (masks 2 of 9 features): k-marginal"


def test_all_submissions_of_a_set_are_drawn_by_library():
    known = [
        submission(),
        submission("mst", 899, library="formal", epsilon=1.0),
        submission(extract="tx2019", library="elsewhere"),
        submission(feature_set="all-features", library="another set"),
    ]
    assert submitted(known, "ma2019", "industry") == known[:2]
    drawn = standing("ma2019", "industry", known, [entry(), Entry("none", 9, None)], 9.5)
    assert drawn.published == {"others": ((20.0, 950.0),)} and drawn.formal == {"formal": ((20.0, 899.0),)}
    assert drawn.ours == {"ours": (12.0, 960.0)} and drawn.outside == 9.5
    assert drawn.libraries == ("another set", "formal", "others")
    assert [row["ours"] for row in drawn.to_frame().to_pylist()] == [False, False, True]


SCHEMA = Schema(
    [
        Attribute(name="AGEP", scale="numeric", role="key"),
        Attribute(name="SEX", scale="nominal", categories=("1", "2")),
        Attribute(name="EDU", scale="ordinal", categories=("1", "2")),
        Attribute(name="PWGTP", scale="numeric", role="weight"),
    ]
)


def test_maskings_take_every_feature_whose_scale_they_take():
    assert covering(MdavGeneric(), SCHEMA).attributes == SCHEMA.names
    assert covering(Shuffling(), SCHEMA).attributes == ("AGEP", "EDU", "PWGTP")
    assert covering(Shuffling(attributes=("EDU",)), SCHEMA).attributes == ("EDU",)
    assert covering(Sampling(fraction=0.4), SCHEMA) == Sampling(fraction=0.4)
    chain = covering(Chain([Shuffling(), Pram()]), SCHEMA)
    assert [step.attributes for step in chain.steps] == [("AGEP", "EDU", "PWGTP"), ("SEX", "EDU")]


def test_weights_are_features_like_others():
    table = Table(SCHEMA, {name: np.zeros(2) if SCHEMA[name].is_numeric else [0, 0] for name in SCHEMA.names})
    assert as_features(table).schema.with_role("weight") == ()
    assert as_features(table).schema.with_role("key") == ("AGEP",)


def test_nothing_is_asked_twice_and_nothing_empty():
    asked = Arena(best="mdav_generic", apart="", formal="", others=("mdav_generic", "pram"))
    assert asked.texts == (SAMPLE, "mdav_generic", "pram")
    with pytest.raises(ParameterError, match="sets and best must not be empty"):
        Arena(sets=())
    with pytest.raises(ParameterError, match="each item one of demographic"):
        Arena(sets=("nobody",))


@pytest.mark.classic("massachusetts")
def test_a_wrong_name_is_refused_before_anything_is_done():
    with pytest.raises(UnknownNameError, match="Unknown masking method 'mdaw'"):
        Arena.quickly(others=("mdaw",)).run()


@pytest.mark.classic("massachusetts")
def test_an_extract_that_is_not_here_is_named():
    with pytest.raises(FileError, match=r"nist/nowhere\.csv"):
        Arena.quickly(extract="nowhere", others=()).run()


@pytest.fixture(scope="module")
def run():
    if not Arena.runnable():
        pytest.skip("the arena's files are not here")
    return Arena(
        sets=("industry",),
        best="rank_swapping",
        apart="",
        formal="",
        others=("individual_ranking",),
        fifths=2,
        workers=1,
    ).run()


class TestShort:
    def test_the_yardsticks_are_those_of_the_arena(self, run):
        sampled = [line for line in run.barred if SAMPLE in line.what]
        assert [line.verdict for line in sampled] == ["holds", "holds"]

    def test_the_highest_submission_has_to_be_beaten(self, run):
        (line,) = [line for line in run.lines if line.published == 953]
        assert "rank_swapping (masks 2 of 9 features): k-marginal" in line.what

    def test_swapping_two_columns_shows_people_who_were_there(self, run):
        (line,) = [line for line in run.lines if "people inside" in line.what]
        assert line.verdict == "fails"

    def test_who_takes_no_feature_is_left_out(self, run):
        assert not [line for line in run.lines if "individual_ranking" in line.what]
        assert list(run.drawings["industry"].ours) == [SAMPLE, "rank_swapping"]


@pytest.mark.slow
@pytest.mark.classic("massachusetts")
def test_the_whole_study_holds():
    run = Arena().run()
    assert run.holds, [line.what for line in run.barred if line.verdict == "fails"]
