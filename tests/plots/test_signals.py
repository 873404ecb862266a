import numpy as np
import pytest
from matplotlib.figure import Figure

from plots.results import ODD_NAMES
from sfumato.groups.signals import RecordPlaces
from sfumato.plots._style import svg_text
from sfumato.plots.signals import NAMED, SignalLine, draw_lines


def signal(values, names=None, kind="quantity"):
    places = tuple(names or (f"p{number}" for number in range(len(values))))
    return RecordPlaces(places, np.arange(len(values))).signal(np.array(values, float), kind=kind)


def drawn(lines):
    ax = Figure().add_subplot()
    draw_lines(lines, ax)
    return ax


@pytest.mark.parametrize("kind", ["quantity", "concentration"])
@pytest.mark.parametrize("values", [[1.0], [0.0, 0.0], [3, 4, 5, 4, 3, 90], list(range(1200))])
def test_any_signal_is_drawn_the_same_each_time(values, kind):
    one, two = (svg_text(signal(values, kind=kind).plot()) for _ in range(2))
    assert one == two
    assert f"{len(values):,} places" in one


def test_odd_names_are_drawn():
    values = [2.0, 3, 2, 3, 2, 3, 60, 2, 3]
    names = [*ODD_NAMES[:3], "d", "e", "f", ODD_NAMES[3], "h", "i"]
    assert "brien" in svg_text(signal(values, names).plot())


def test_the_first_line_is_solid_and_the_second_dashed():
    ax = drawn([SignalLine(signal([1, 2, 9]), (2,)), SignalLine(signal([2, 1, 8]), (0, 2))])
    assert [line.get_linestyle() for line in ax.get_lines()] == ["-", "--"]
    filled, hollow = ax.collections
    assert len(filled.get_offsets()) == 1 and len(hollow.get_offsets()) == 2
    assert [text.get_text() for text in ax.texts] == ["p2", "p0"]


def test_names_do_not_hide_one_another():
    values = np.tile([0.0, 50, 51, 50, 0], 40)
    ax = drawn([SignalLine(signal(values), tuple(np.flatnonzero(values).tolist()))])
    where = sorted(text.xy[0] for text in ax.texts)
    assert len(where) <= NAMED
    assert min(np.diff(where)) >= 0.07 * len(values)


def test_the_axes_of_the_caller_are_used():
    figure = Figure()
    first, second = figure.subplots(1, 2)
    assert signal([1, 2, 3]).plot(second) is figure
    assert second.get_lines() and not first.get_lines()
