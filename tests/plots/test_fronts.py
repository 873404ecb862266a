import xml.etree.ElementTree as ET
from types import SimpleNamespace

import matplotlib
import pytest
from matplotlib.figure import Figure

from sfumato.plots._style import svg_text
from sfumato.plots.fronts import fronts

PLACES = {
    "original": (0.0, 100.0),
    "ours": (2.0, 1.0),
    "swaps <&>": (5.0, 80.0),
    "cost $": (160.0, 0.0),
}
USUAL = {
    "title": "A table",
    "panels": {"One judge": PLACES, "Another": {**PLACES, "ours": (3.0, 0.0)}},
    "labels": {"One judge": ("loss", "risk"), "Another": ("lost", "given away")},
    "ours": ("ours",),
    "references": ("original",),
}


def drawn(ax=None, **given):
    return fronts(SimpleNamespace(**{**USUAL, **given}), ax)


def texts(figure):
    root = ET.fromstring(svg_text(figure))
    return [e.text for e in root.iter("{http://www.w3.org/2000/svg}text") if e.text]


def test_every_file_and_judge_is_named():
    shown = texts(drawn())
    assert {*PLACES, "A table", "One judge", "Another", "no other file beats these"} <= set(shown)


@pytest.mark.parametrize(("judges", "rows"), [(1, 1), (2, 2), (3, 2), (4, 3)])
def test_judges_and_the_legend_stand_two_in_a_row_and_no_place_is_left_over(judges, rows):
    names = [f"judge {i}" for i in range(judges)]
    figure = drawn(panels=dict.fromkeys(names, PLACES), labels=dict.fromkeys(names, ("loss", "risk")))
    assert len(figure.axes) == 2 * rows
    assert [ax.get_title(loc="left") for ax in figure.axes[:judges]] == names
    assert [ax.axison for ax in figure.axes] == [True] * judges + [False] * (2 * rows - judges)
    assert figure.axes[judges].get_legend() is not None


def test_the_line_joins_what_no_other_beats():
    one, other = (ax.lines[0] for ax in drawn().axes[:2])
    assert list(zip(one.get_xdata(), one.get_ydata(), strict=True)) == [(0, 100), (2, 1), (160, 0)]
    assert list(zip(other.get_xdata(), other.get_ydata(), strict=True)) == [(0, 100), (3, 0)]


def test_every_file_is_inside_the_axes():
    for ax in drawn().axes[:2]:
        assert len(ax.lines) == 1 + len(PLACES)
        for line in ax.lines[1:]:
            assert ax.get_xlim()[0] <= line.get_xdata()[0] <= ax.get_xlim()[1]
            assert ax.get_ylim()[0] <= line.get_ydata()[0] <= ax.get_ylim()[1]


def test_ours_are_larger_and_references_hollow():
    original, ours, *others = drawn().axes[0].lines[1:]
    assert all(ours.get_markersize() > line.get_markersize() for line in others)
    assert original.get_markerfacecolor() == "white"


@pytest.mark.parametrize("size", [8, 20])
def test_the_same_bytes_under_any_settings(size):
    plain = svg_text(drawn())
    with matplotlib.rc_context({"font.size": size, "axes.facecolor": "black"}):
        assert svg_text(drawn()) == plain


def test_it_draws_where_it_is_told():
    figure = Figure(layout="constrained")
    assert drawn(figure.add_subplot()) is figure
    assert len(figure.axes) > 2
