"""Chapters 3 to 6 of Fayyoumi's thesis."""

from itertools import combinations

import numpy as np
import pytest

from sfumato.core import Cancelled, ParameterError, progress
from sfumato.jobs import Bar
from sfumato.reproductions import Microaggregation
from sfumato.reproductions import _microaggregation_tables as printed
from sfumato.reproductions._microaggregation_rows import Row, at_most, to_digits
from sfumato.reproductions._microaggregation_trials import Trial, file_of, tried


def test_the_printed_tables_agree_with_each_other():
    """MDAV stands in several tables; G_DR is the mean of its parts, and SI is not what eq. 4.4 says."""
    assert printed.OMMA["census"][3][0] == printed.IAMAT["census"][3][0]
    assert printed.BY_SIZE[3] == printed.BY_RECORDS[2400]
    assert printed.WIDE[10] == printed.GROUPED[3] == printed.LARGE[10, 3]
    for by_k in printed.SCORES.values():
        for loss, linkage, interval, risk, score in by_k.values():
            assert (linkage + interval) / 2 == pytest.approx(risk, abs=1e-4)
            assert (
                (loss + 39) / 2 == pytest.approx(score, abs=1e-9) != pytest.approx((loss + risk) / 2, abs=1)
            )
    four = printed.CHOSEN_FOUR["tarragona"][1, 2, 4, 7]
    assert four == printed.CHOSEN["tarragona", "normal", 0][1, 2, 4]


@pytest.mark.parametrize(
    ("ours", "mark"), [(5.03, "reproduced"), (4.9, "better"), (5.2, "worse: chance"), (5.0, "reproduced")]
)
def test_lines_say_how_they_stand(ours, mark):
    row = Row("IL", Trial("census", "mdav"), 5.0, why="chance")
    assert row.line({"loss": ours}).what == f"IL [{mark}]"
    assert row._replace(wrong="lost").line({"loss": ours}).what == "IL [not reproducible: lost]"
    assert row._replace(published=None).line({"loss": ours}).what == "IL"


@pytest.mark.parametrize(
    ("why", "wrong", "what", "verdict"),
    [
        ("chance", "", "IL [worse: chance; asked was <= published]", ""),
        ("", "lost", "IL [not reproducible: lost; asked was <= published]", ""),
        ("", "", "IL [worse]", "fails"),
    ],
)
def test_a_bar_that_is_missed_for_a_known_cause_is_told(why, wrong, what, verdict):
    row = Row("IL", Trial("census", "mdav"), 5.0, bar="<= published", why=why, wrong=wrong)
    line = row.line({"loss": 5.2})
    assert (line.what, line.verdict) == (what, verdict)
    assert row.line({"loss": 4.0}).verdict == "holds"


def test_bars_of_digits():
    assert Bar.parse(at_most(0.005, 3)).holds(0.00549) and not Bar.parse(at_most(0.005, 3)).holds(0.00551)
    bar = Bar.parse(to_digits(22.15, 2))
    assert bar.holds(22.1549, 22.15) and bar.holds(22.1451, 22.15) and not bar.holds(22.157, 22.15)


def test_the_last_printed_digit_counts_as_the_same():
    row = Row("IL", Trial("census", "mdav"), 0.001, digits=3)
    assert row.line({"loss": 0.00138}).what == "IL [reproduced]"
    assert row.line({"loss": 0.00151}).what == "IL [worse]"


def test_simulated_files_are_fixed_by_name_and_seed():
    one, same, other = (file_of("uniform 50 3", seed).numbers(("v1", "v2", "v3")) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert one.shape == (50, 3) and not (one == other).any() and one.min() >= 0 and one.max() <= 1000
    assert abs(file_of("normal 900 2", 0).numbers(("v1",)).std() - 0.05) < 0.005


def test_every_choice_of_columns_is_tried():
    file, method = "uniform 20 4", "mdav(k=3)"
    losses = [tried(None, Trial(file, method, choice))["loss"] for choice in combinations((1, 2, 3, 4), 2)]
    found = tried(None, Trial(file, method, (1, 2), kind="exhaustive"))
    assert len(set(losses)) == 6
    assert found == pytest.approx({"least": min(losses), "largest": max(losses), "mean": np.mean(losses)})


@pytest.mark.classic("census", "tarragona")
def test_ctrl_c_keeps_what_was_done():
    class Stops(progress.Unheard):
        def __init__(self):
            self.notes = []

        def advanced(self, task):
            if task.done == 3:
                raise Cancelled("enough")

        def started(self, task):
            pass

        finished = started

        def honoured(self):
            pass

        def noted(self, message):
            self.notes.append(message)

    ear = Stops()
    with progress.listening(ear):
        run = Microaggregation(part=("iamat",), workers=1).run()
    assert "stopped after 3 of" in ear.notes[0]
    assert len(run.lines) == 3


@pytest.mark.classic("census", "tarragona")
def test_trials_of_each_kind():
    small = tried(None, Trial("tarragona", "mdav(k=3)", (1,), kind="exhaustive"))
    assert small["least"] < small["mean"] < small["largest"]
    choices = tried(None, Trial("census", "emad(k=3, width=10000)", kind="choices"))
    assert choices == {"choices": 1.0, "(1, 2, 12)": 1.0}


@pytest.mark.classic("census", "tarragona")
def test_the_files_are_those_of_the_source():
    """All numbers of Tables 3.1 and 3.2, to the digits that are printed."""
    lines = Microaggregation(part=("files",), workers=1).run().lines
    assert len(lines) == 156
    assert all(line.verdict == "holds" and line.what.endswith("[reproduced]") for line in lines)


def test_a_part_must_be_named():
    with pytest.raises(ParameterError, match="part must not be empty"):
        Microaggregation(part=())


@pytest.mark.slow
def test_the_whole_study_holds():
    if not Microaggregation.runnable():
        pytest.skip("the classic files are not here")
    found = Microaggregation().run()
    assert found.holds, [line.to_dict() for line in found.barred if line.verdict == "fails"]
