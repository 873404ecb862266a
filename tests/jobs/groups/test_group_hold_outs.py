"""Protection of original files against several attackers, and the verdict by others."""

import dataclasses

import numpy as np
import pytest

from sfumato import group_protect, group_report
from sfumato.core import ParameterError
from sfumato.core.progress import listening
from sfumato.data import Attribute, Schema, Table
from sfumato.datasets.census_pair import HARMONISATION, WORDS, census_pair
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.jobs.groups._hold_outs import HoldOut, Verdict
from sfumato.jobs.groups._scene import Lesson
from sfumato.reports.group_protection import group_protection
from sfumato.search.optimizers.memetic import Memetic

PAIR = census_pair(12_000, areas=16, planted=2, share=0.01, seed=5)
OTHER = census_pair(12_000, areas=16, planted=1, share=0.008, seed=6).auxiliary
JUDGE = census_pair(12_000, areas=16, planted=2, share=0.01, seed=7).auxiliary
GROUP = {"vital": PAIR.vital, "parameter": PAIR.parameter, "signal": "concentration", "significance": 0.01}
QUICK = {"optimizer": Memetic(population=10), "generations": 5, "attack_generations": 10, "seed": 1}


class Notes:
    """A listener that keeps what is said beside the work."""

    def __init__(self):
        self.said = []

    def started(self, task):
        pass

    advanced = finished = started

    def found(self, what, values):
        pass

    def noted(self, text):
        self.said.append(text)


def weighted(table):
    """The file with survey weights from 1 to 3."""
    weights = 1 + np.random.default_rng(0).integers(0, 3, table.n).astype(float)
    schema = Schema([*table.schema, Attribute(name="weight", scale="numeric", role="weight", decimals=0)])
    return Table(schema, {**{name: table[name] for name in table.names}, "weight": weights})


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    path = tmp_path_factory.mktemp("rules") / "rules.toml"
    path.write_text(HARMONISATION, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def found(rules):
    files = [PAIR.auxiliary, OTHER]
    return group_protect(PAIR.survey, auxiliary=files, judge=JUDGE, harmonise=rules, **GROUP, **QUICK)


def test_swaps_among_harmonised_records_are_carried_back_to_the_original(found):
    assert found.original.n == PAIR.survey.n == found.release.n
    assert found.truth.before.records.sum() < PAIR.survey.n  # some lie outside the ranges
    assert found.aligned.names == tuple(name for name in PAIR.survey.names if name != "military")
    changed = {name: int((found.aligned[name] != PAIR.survey[name]).sum()) for name in found.aligned.names}
    assert {name for name, count in changed.items() if count} == {"workplace"}
    assert changed == found.comparison.altered
    rows = found.swaps.rows
    assert (PAIR.survey["military"][rows[:, 3]] == 0).all()
    sizes = [np.bincount(file["workplace"]) for file in (PAIR.survey, found.aligned)]
    assert (sizes[0] == sizes[1]).all()
    again = found.swaps.applied(found.aligned, found.columns)
    assert (again["workplace"] == PAIR.survey["workplace"]).all()


def test_the_group_itself_is_hidden_and_others_judge(found):
    assert set(PAIR.planted) <= set(found.comparison.named)
    assert not found.truth.still_found
    assert not found.comparison.still_found
    names = [one.name for one in found.verdict.hold_outs]
    assert len(names) == len(set(names)) == 7
    assert found.verdict.seen <= 0.1 * found.verdict.cases
    told = "\n".join(map(str, found.told()))
    assert "by true counts  none of the named places" in told
    assert "never used" in told
    assert found.to_dict()["verdict"]["cases"] == found.verdict.cases


def test_judges_are_harmonised_as_well(found):
    """Their columns and codes are others, so that they could say nothing of the file as it is."""
    (trees,) = (one for one in found.verdict.hold_outs if one.name == "boosted trees taught on judge 1")
    assert set(PAIR.planted) <= set(trees.seen_before)


def test_a_lesson_says_nothing_of_records_that_harmonising_drops():
    table = PAIR.survey.take(np.arange(2))
    lesson = Lesson("judge", table, table, np.array([3, 1]))
    assert lesson.spread(np.array([0.5, 1.0]), 5).tolist() == [0, 1, 0, 0.5, 0]


def test_who_is_still_seen_is_said_on_screen_in_the_record_and_on_the_page(found):
    place = PAIR.planted[0]
    sees = HoldOut(name="trees", named=PAIR.planted, before=PAIR.planted, after=(place, "elsewhere"))
    blind = HoldOut(name="rules", named=PAIR.planted, before=PAIR.planted, after=())
    still = dataclasses.replace(found, verdict=Verdict((sees, blind)))
    sentence = f"Not hidden from everybody: attackers that the search never used still see {place} (1 of 4 "
    assert any(str(line).startswith(sentence) for line in still.told())
    assert still.to_dict()["verdict"]["sentence"].startswith(sentence)
    assert group_protection(still).count(sentence) == 2
    assert "none of the hidden places" in group_protection(
        dataclasses.replace(found, verdict=Verdict((blind,)))
    )


def test_a_report_harmonises_both_versions(found, rules):
    files = [PAIR.auxiliary, OTHER]
    report = group_report(
        PAIR.survey, found.aligned, auxiliary=files, harmonise=rules, attack_generations=10, **GROUP
    )
    (other,) = report.others
    assert (report.attacked_by, other.attacked_by) == (
        "the fuzzy model taught on auxiliary 1",
        "the fuzzy model taught on auxiliary 2",
    )
    assert [*report.told()][:2] == [report.verdict, other.verdict]
    assert other.verdict in group_protection(report)
    assert report.to_dict()["others"][0]["verdict"] == other.verdict
    assert report.records == PAIR.survey.n
    assert report.sizes_kept
    assert report.altered == found.comparison.altered


def test_survey_weights_count_and_places_keep_their_records():
    table = weighted(PAIR.survey)
    given = {**GROUP, "weight": "weight", "hide": PAIR.planted}
    found = group_protect(table, **given, **QUICK)
    share = np.bincount(table["workplace"], table["weight"] * (table["military"] == 1)) / np.bincount(
        table["workplace"], table["weight"]
    )
    assert found.comparison.before.values == pytest.approx(share)
    assert not found.comparison.still_found
    assert found.comparison.sizes_kept
    report = group_report(table, found.aligned, **given)
    assert report.after.values == pytest.approx(found.comparison.after.values)


def test_the_attack_of_the_source_is_hidden_from_alone_if_that_is_asked():
    known = {"auxiliary": [PAIR.auxiliary], "words": Vocabulary.from_toml(WORDS), "hide": PAIR.planted}
    found = group_protect(PAIR.survey, **known, hidden_from="attack", **GROUP, **QUICK)
    assert not found.comparison.still_found
    assert found.verdict.hold_outs == ()
    assert found.target.others == ()


def test_harmonising_without_a_third_party_is_refused(rules):
    with pytest.raises(ParameterError, match="needs a third-party file"):
        group_protect(PAIR.survey, harmonise=rules, **GROUP)


def test_what_tells_the_place_as_well_moves_along_or_is_left_out():
    """Somebody who looks for people whose state, weight or household is elsewhere finds nobody."""
    place = PAIR.survey["workplace"]
    state = Attribute(name="state", scale="nominal", categories=tuple("abcd"))
    weight = Attribute(name="weight", scale="numeric", role="weight", decimals=2)
    home = Attribute(name="home", scale="numeric", role="household", decimals=0)
    mates = np.argsort(np.argsort(place, kind="stable")) // 2
    columns = {"state": (place // 4).astype(np.int8), "weight": 1 + place / 8, "home": mates.astype(float)}
    table = Table(
        Schema([*PAIR.survey.schema, state, weight, home]),
        {**{name: PAIR.survey[name] for name in PAIR.survey.names}, **columns},
    )
    notes = Notes()
    with listening(notes):
        found = group_protect(table, hide=PAIR.planted, weight="weight", **GROUP, **QUICK)
    assert len(found.swaps)
    assert found.columns == ("workplace", "state", "weight")
    assert "home" not in found.release.names
    there = found.aligned["workplace"]
    assert (found.aligned["state"] == there // 4).all()
    assert found.aligned["weight"] == pytest.approx(1 + there / 8)
    assert any("state, weight: tells the place as well" in note for note in notes.said)
    weights = [np.bincount(file["workplace"], file["weight"]) for file in (table, found.aligned)]
    assert weights[0] == pytest.approx(weights[1])
    share = np.bincount(there, found.aligned["weight"] * (table["military"] == 1)) / weights[0]
    assert found.comparison.after.values == pytest.approx(share)
