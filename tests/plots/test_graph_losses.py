"""Loss and risk of a social graph over k: every line is there, the legend is above them, and one stands out."""

from types import SimpleNamespace

import pytest

from sfumato.graphs.profile_columns import ALL
from sfumato.jobs.graph.evaluate import MEAN
from sfumato.plots.graph_losses import graph_losses

K = (2, 5, 10)


def drawn(losses, risks):
    return graph_losses(SimpleNamespace(k=K, losses=losses, risks=risks, title="A graph"))


def test_lines_are_in_percent_and_what_counts_is_bold():
    figure = drawn({"topics": (0.1, 0.2, 0.4), MEAN: (0.05, 0.1, 0.2)}, {ALL: (0.5, 0.2, 0.1)})
    left, right = figure.axes
    assert [line.get_ydata().tolist() for line in left.lines] == [[10, 20, 40], [5, 10, 20]]
    assert left.lines[1].get_linewidth() > left.lines[0].get_linewidth()
    assert [text.get_text() for text in left.get_xticklabels()] == ["2", "5", "10"]
    assert "A graph" in left.get_title(loc="left")
    assert len(right.lines) == 1


@pytest.mark.parametrize("highest", [0.02, 0.4, 1.0])
def test_there_is_room_for_the_legend_above_the_lines(highest):
    left = drawn({"topics": (0.0, highest, 0.01)}, {}).axes[0]
    assert left.get_ylim() == (0, pytest.approx(132 * highest))


def test_nothing_to_draw_has_a_scale_all_the_same():
    left, right = drawn({}, {}).axes
    assert left.get_ylim()[1] == pytest.approx(1.32) and right.get_legend() is None
