"""How lines say that a printed number stands."""

import pytest

from sfumato.jobs import Line
from sfumato.reproductions._marks import Why, marked


@pytest.mark.parametrize(
    ("what", "ours", "mark"),
    [
        ("IL", 5.04, "reproduced"),
        ("IL", 4.0, "better"),
        ("IL", 6.0, "worse: no cause was found"),
        ("DR", 6.0, "worse: chance"),
        ("fall", 6.0, "better"),
        ("lost", 5.0, "not reproducible: a page is missing"),
    ],
)
def test_marks(what, ours, mark):
    whys = [Why("DR", "chance"), Why("lost", "a page is missing", wrong=True)]
    (line,) = marked([Line.of(what, ours=ours, published=5.0)], whys)
    assert line.what == f"{what} [{mark}]"


def test_a_bar_that_is_missed_for_a_known_reason_is_told_and_no_longer_asked():
    lines = [Line.of(f"score {n}", ours=7.0, published=5.0, bar="<= published") for n in (1, 2)]
    known, unknown = marked(lines, [Why("score 1", "one draw")])
    assert known.what == "score 1 [worse: one draw; asked was <= published]" and not known.verdict
    assert unknown.verdict == "fails"


def test_what_was_not_published_and_what_is_marked_stay_as_they_are():
    lines = (Line.of("seconds", ours=1.0), Line.of("IL [reproduced]", ours=1.0, published=9.0))
    assert marked(lines) == lines


@pytest.mark.parametrize(("what", "published"), [("score of ours", None), ("ours against theirs", 5.0)])
def test_bars_of_our_own_have_to_hold(what, published):
    line = Line.of(what, ours=7.0, published=published, bar="<= 6")
    assert marked([line], [Why(".", "chance")])[0].verdict == "fails"
