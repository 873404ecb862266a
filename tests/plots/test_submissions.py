import xml.etree.ElementTree as ET
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from sfumato.plots._style import svg_text
from sfumato.plots.submissions import submissions

USUAL = {
    "title": "An extract",
    "published": {"others <&>": [(26.0, 978.0), (14.0, 896.0)], "cost $": [(63.0, 979.0)]},
    "formal": {"others <&>": [(0.0, 396.0)]},
    "ours": {"swaps": (15.8, 987.64), "copy": (100.0, 1000.0)},
    "outside": 12.6,
    "libraries": ("cost $", "not here", "others <&>"),
}


def drawn(ax=None, **given):
    return submissions(SimpleNamespace(**{**USUAL, **given}), ax)


def texts(figure):
    root = ET.fromstring(svg_text(figure))
    return [e.text for e in root.iter("{http://www.w3.org/2000/svg}text") if e.text]


def places(figure):
    (ax,) = figure.axes
    return [
        (float(x), float(y), line)
        for line in ax.lines
        if line.get_marker() != "None"
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    ]


def test_all_are_named_with_their_scores():
    shown = texts(drawn())
    assert {"swaps", "987.6 / 15.8 %", "others <&>", "cost $", "people outside the file"} <= set(shown)
    assert "not here" not in shown and "hollow: with a formal promise" in shown


def test_every_file_is_inside_the_axes():
    figure = drawn()
    (ax,) = figure.axes
    assert len(places(figure)) == 6
    for x, y, _ in places(figure):
        assert ax.get_xlim()[0] < x < ax.get_xlim()[1]
        assert ax.get_ylim()[0] < y < ax.get_ylim()[1]


def test_formal_ones_are_hollow_and_libraries_keep_their_colour():
    marks = {(x, y): line for x, y, line in places(drawn())}
    assert marks[0.0, 396.0].get_markerfacecolor() == "white"
    assert marks[0.0, 396.0].get_color() == marks[26.0, 978.0].get_color()
    without = {(x, y): line for x, y, line in places(drawn(published={}, formal=USUAL["formal"]))}
    assert without[0.0, 396.0].get_color() == marks[0.0, 396.0].get_color()


def test_points_near_the_best_are_told_apart():
    (ax,) = drawn().axes
    heights = ax.transData.transform([(10.0, y) for y in (979.0, 987.64, 999.0)])[:, 1]
    assert np.diff(heights).min() > 15  # pixels


def test_nothing_published_and_nobody_outside():
    shown = texts(drawn(published={}, formal={}, outside=None))
    assert "people outside the file" not in shown and "hollow: with a formal promise" not in shown


@pytest.mark.parametrize("size", [8, 20])
def test_the_same_bytes_under_any_settings(size):
    plain = svg_text(drawn())
    with matplotlib.rc_context({"font.size": size, "axes.facecolor": "black"}):
        assert svg_text(drawn()) == plain


def test_it_draws_where_it_is_told():
    figure = Figure()
    ax = figure.add_subplot()
    assert drawn(ax) is figure
    assert ax.lines
