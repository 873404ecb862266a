"""Curves: named lines in panels beside each other, over what they share."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, Protocol

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.plots._style import INK, PALETTE, panels, shortened, styled

STYLES = ("-", "--", ":", "-.")
POINTS = 400  # of a curve that are drawn
ACROSS = 3  # panels in a row
Curve = Sequence[tuple[float, float]]


class Drawn(Protocol):
    """What is drawn; a curve is places across and up."""

    @property
    def title(self) -> str: ...
    @property
    def across(self) -> str: ...
    @property
    def panels(self) -> Mapping[str, Mapping[str, Curve]]: ...
    @property
    def bold(self) -> str: ...


@styled
def curves(result: Drawn, ax: Axes | None = None) -> Figure:
    """Draw each panel with its curves, and one legend for all."""
    columns = min(len(result.panels), ACROSS)
    figure, places = panels(ax, -(-len(result.panels) // columns), columns, height=2.7)
    looks = _looks(result)
    for place, (title, named) in zip(places, result.panels.items(), strict=False):
        place.grid(True)
        for name, curve in named.items():
            across, up = zip(*_thinned(curve), strict=True)
            place.plot(across, up, marker="o" if len(across) <= 20 else "", ms=3.5, **looks[name])
        place.set_title(title, fontsize=8.5)
        place.set_xlabel(result.across)
    for place in places[len(result.panels) :]:
        place.set_axis_off()
    handles = {
        text: line for place in places for line, text in zip(*place.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles=list(handles.values()), loc="outside lower center", ncols=min(len(handles), 4), fontsize=8
    )
    figure.suptitle(result.title)
    return figure


def _looks(result: Drawn) -> dict[str, dict[str, Any]]:
    """One look for each name in all panels."""
    names = dict.fromkeys(name for named in result.panels.values() for name in named)
    plain = zip(
        (name for name in names if name != result.bold),
        cycle(range(len(PALETTE) * len(STYLES))),
        strict=False,
    )
    looks: dict[str, dict[str, Any]] = {
        name: {
            "color": PALETTE[at % len(PALETTE)],
            "ls": STYLES[at // len(PALETTE)],
            "lw": 1.3,
            "label": shortened(name, 40),
        }
        for name, at in plain
    }
    if result.bold in names:
        looks[result.bold] = {"color": INK, "lw": 2.2, "label": shortened(result.bold, 40), "zorder": 4}
    return looks


def _thinned(curve: Curve) -> Curve:
    """Not more places than can be told apart, the last among them."""
    step = max(len(curve) // POINTS, 1)
    return [*curve[:-1:step], curve[-1]]
