"""Tavrov and Chertov's study, state by state."""

from dataclasses import replace

import numpy as np
import pytest

from sfumato.core import Cancelled, progress
from sfumato.reproductions import Groups
from sfumato.reproductions import _groups_lines as lines
from sfumato.reproductions import _groups_tables as printed
from sfumato.reproductions._groups_country import CENSUS, LEAST_AREAS, SURVEY, Country, _borders
from sfumato.reproductions._marks import mark
from sfumato.reproductions.groups import _drawings

SMALL = Groups.quickly(workers=1)


@pytest.fixture(scope="module")
def country():
    return Country.made(SMALL.records, SMALL.significance, seed=0)


def test_the_printed_totals_are_those_of_the_states():
    assert printed.total(printed.TABLE_6) == (98, 38, 64, 4)
    assert printed.total(printed.TABLE_7) == (81, 39, 50, 8)
    for table in (printed.TABLE_6, printed.TABLE_7):
        for state, counts in table.items():
            assert counts.true - counts.undisclosed == counts.seen - counts.false, state
    assert len(printed.RULES) == 18 and all(confidence > 0.75 for _, confidence, _ in printed.RULES)


def test_states_cut_the_country_whole():
    ends = _borders(1250, seed=3)
    assert ends[0] == 0 and ends[-1] == 1250 and np.diff(ends).min() >= LEAST_AREAS
    assert _borders(LEAST_AREAS, seed=3).tolist() == [0, LEAST_AREAS]


def test_the_attack_is_that_of_each_state_by_itself(country):
    judged = country.adequacy(SURVEY)
    parts = [attack.adequacy for attack in country.attacks[SURVEY]]
    assert sum(len(part.places) for part in parts) == len(judged.places) == len(set(judged.places))
    assert judged.confusion == tuple(map(sum, zip(*(part.confusion for part in parts), strict=True)))
    assert sum(attack.file.table.n for attack in country.attacks[CENSUS]) > 0
    for attack in country.attacks[SURVEY]:
        values = attack.file.seen.values
        assert all(values[index] > np.median(values) for index in attack.found.indices)


def test_an_expert_takes_true_outliers_without_a_base_off_both_lists(country):
    attack = country.attacks[SURVEY][0]
    nobody = type(attack).on(attack.file, frozenset())
    assert nobody.true.indices == () and set(attack.true.found) == set(nobody.true.struck)
    assert not set(nobody.found.indices) & set(attack.true.found)


def test_where_the_attack_sees_nothing_nothing_is_searched_for_or_drawn(country):
    unseen = replace(country, attacks={CENSUS: (), SURVEY: ()})
    assert SMALL.searches(unseen) == [] and _drawings(unseen, {}) == {}
    assert SMALL.searches(country) and set(_drawings(country, {})) >= {"census-signals", "survey-signals"}


def test_lines_say_how_they_stand():
    assert mark(61, 61.5, same=1) == "reproduced"
    assert mark(80, 61.5, same=1, higher=True) == mark(2, 6, same=1) == "better"
    assert mark(40, 61.5, same=1, higher=True, why="noise") == "worse: noise"


def test_runs_without_a_valid_list_are_told(country):
    study = Groups.quickly(part=("limit",), generations=1, runs=1, workers=1)
    (asked,) = study.searches(country)
    assert asked.limit == printed.LIMIT and asked.generations == 1
    state = country.like_new_york.file
    nothing = lines.Swapped(
        lists=4,
        distortions=(),
        swaps=3,
        before=state.seen,
        after=state.seen,
        found=state.outliers(state.seen),
    )
    told = {line.what: line for line in lines.run_lines({asked: nothing}, state.table.n)}
    first, *_ = told
    assert told[first].ours == 0 and "worse" in first
    assert any(np.isnan(line.ours) for line in told.values())
    hides = nothing._replace(distortions=(30.0, 50.0))
    told = {line.what: line for line in lines.run_lines({asked: hides}, 1000)}
    for name, ours, published in (("least", 30.0, printed.LEAST), ("mean", 40.0, printed.MEAN)):
        (line,) = (one for what, one in told.items() if f"{name} distortion [" in what)
        (share,) = (one for what, one in told.items() if f"{name} distortion, % of values" in what)
        assert (line.ours, line.published) == (ours, published)
        assert share.ours * 1000 * printed.ATTRIBUTES == pytest.approx(100 * ours)
        assert share.published * printed.RECORDS * printed.ATTRIBUTES == pytest.approx(100 * published)


class Stops(progress.Unheard):
    """Stops the study in the middle of the second search."""

    def __init__(self):
        self.notes = []

    def advanced(self, task):
        if task.label.endswith("seed 1"):
            raise Cancelled("enough")

    def noted(self, message):
        self.notes.append(message)

    def started(self, task):
        pass

    honoured = finished = lambda self, *_: None


def test_a_study_that_is_stopped_keeps_whole_searches_only():
    ear = Stops()
    with progress.listening(ear):
        run = Groups.quickly(part=("attack", "runs"), runs=3, generations=2, workers=1).run()
    assert any("stopped after 1 of 3" in note for note in ear.notes)
    assert any(line.what.startswith("1 memetic runs") for line in run.lines)
