import xml.etree.ElementTree as ET
from types import SimpleNamespace

import matplotlib
import pytest
from matplotlib.figure import Figure

from sfumato.plots._style import set_limits, svg_text
from sfumato.plots.dispersion import dispersion

POINTS = {"swap <&>": [(1.0, 50.0), (20.0, 22.0)], "cost $": [(30.0, 10.0)] * 60}


def drawn(published=None, points=POINTS):
    best = {method: min(places, key=max) for method, places in points.items()}
    return dispersion(
        SimpleNamespace(
            title="A file", loss="Information loss", points=points, best=best, published=published or {}
        )
    )


def texts(figure):
    root = ET.fromstring(svg_text(figure))
    return [e.text for e in root.iter("{http://www.w3.org/2000/svg}text") if e.text]


def test_methods_and_their_best_are_named():
    shown = texts(drawn({"swap <&>": (18.94, 42.32)}))
    assert {"A file", "Information loss (%)  →  less useful", "swap <&>", "cost $"} <= set(shown)
    assert {"best 20.00 / 22.00", "published 18.94 / 42.32", "best 30.00 / 10.00"} <= set(shown)
    assert "the published best one" in shown


def test_without_published_values_nothing_is_hollow():
    figure = drawn()
    assert "the published best one" not in texts(figure)
    (ax,) = figure.axes
    assert not [line for line in ax.lines if line.get_markerfacecolor() == "white"]


def test_published_places_are_inside_and_hollow():
    figure = drawn({"cost $": (70.0, 90.0)})
    (ax,) = figure.axes
    (hollow,) = [line for line in ax.lines if line.get_markerfacecolor() == "white"]
    assert (hollow.get_xdata()[0], hollow.get_ydata()[0]) == (70.0, 90.0)
    assert ax.get_xlim()[1] > 70 and ax.get_ylim()[1] > 90


def test_the_few_are_drawn_over_the_many():
    (ax,) = drawn().axes
    counts = [len(line.get_xdata()) for line in ax.lines if line.get_zorder() == 2]
    assert counts == [60, 2]


@pytest.mark.parametrize("size", [8, 20])
def test_the_same_bytes_under_any_settings(size):
    plain = svg_text(drawn())
    with matplotlib.rc_context({"font.size": size, "axes.facecolor": "black"}):
        assert svg_text(drawn()) == plain


def test_it_draws_where_it_is_told():
    figure = Figure()
    ax = figure.add_subplot()
    places = {"one": [(0.0, 0.0)]}
    shown = SimpleNamespace(title="", loss="IL", points=places, best={"one": (0.0, 0.0)}, published={})
    assert dispersion(shown, ax) is figure
    assert ax.lines


@pytest.mark.parametrize(
    ("places", "across", "up"),
    [
        ([(50.0, 20.0), (10.0, 10.0)], (-1.0, 53.0), (-0.4, 21.2)),
        ([(0.1, 0.2)], (-0.02, 1.06), (-0.02, 1.06)),  # little is not drawn large
        ([(-3.0, 10.0)], (-3.02, 1.06), (-0.2, 10.6)),
    ],
)
def test_whole_markers_have_room(places, across, up):
    ax = Figure().add_subplot()
    set_limits(ax, places)
    assert (ax.get_xlim(), ax.get_ylim()) == (pytest.approx(across), pytest.approx(up))
