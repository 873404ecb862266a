"""Curves in panels."""

import pytest

from sfumato.plots._style import svg_text
from sfumato.reproductions._curves import Curves, curve, panels_of


@pytest.mark.parametrize("count", [1, 2, 4])
def test_every_curve_is_named_once_and_every_panel_has_its_title(count):
    series = {f"panel {i}": {"ours": range(1000), "theirs": [3.0, 1.0]} for i in range(count)}
    result = Curves(title="What fell", across="generation", panels=panels_of(series), bold="ours")
    text = svg_text(result.plot())
    assert text.count(">ours<") == text.count(">theirs<") == 1
    assert all(f">panel {i}<" in text for i in range(count))
    assert len(result.to_frame()) == count * 1002


def test_curves_have_as_many_places_across_as_up():
    assert curve((1, 2), (3, 4)) == ((1.0, 3.0), (2.0, 4.0))
    with pytest.raises(ValueError, match="zip"):
        curve((1, 2), (3,))
