"""The fronts plot: protected files of one table by loss and risk, as several judges see them."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from sfumato.plots._style import FAINT, INK, MARKERS, PALETTE, panels, shortened, styled
from sfumato.search.pareto import front_ranks

Place = tuple[float, float]

TICKS = (0, 1, 2, 5, 10, 20, 30, 50, 70, 100, 150, 200, 300, 500)
NARROW = 0.07  # of an axis between two ticks at the least


class Judged(Protocol):
    """What is drawn; places are loss and risk."""

    @property
    def title(self) -> str: ...
    @property
    def panels(self) -> Mapping[str, Mapping[str, Place]]: ...  # by judge, then by file
    @property
    def labels(self) -> Mapping[str, tuple[str, str]]: ...  # of both axes, by judge
    @property
    def ours(self) -> Sequence[str]: ...  # the files that have to win
    @property
    def references(self) -> Sequence[str]: ...  # files that nobody would release


@styled
def fronts(result: Judged, ax: Axes | None = None) -> Figure:
    """Draw risk against loss for each judge, with the files that no other beats joined by a line.

    The best corner is the lower left one. Both axes go by roots, so that little is told apart from nothing.
    """
    count = len(result.panels) + 1
    figure, axes = panels(ax, (count + 1) // 2, 2, height=3.5)
    names = dict.fromkeys(name for places in result.panels.values() for name in places)
    looks = {name: _look(result, name, i) for i, name in enumerate(names)}
    for one, (panel, places) in zip(axes, result.panels.items(), strict=False):
        _draw(one, places, looks)
        one.set_xlabel(f"{result.labels[panel][0]}  →  less useful")
        one.set_ylabel(f"{result.labels[panel][1]}  →  less safe")
        one.set_title(panel)
    for one in axes[len(result.panels) :]:
        one.set_axis_off()
    entries = [
        Line2D([], [], color=INK, lw=1.2, alpha=0.8, label="no other file beats these"),
        *(Line2D([], [], label=shortened(name, 42), **look) for name, look in looks.items()),
    ]
    axes[len(result.panels)].legend(handles=entries, loc="center left", title=result.title, alignment="left")
    return figure


def _draw(ax: Axes, places: Mapping[str, Place], looks: Mapping[str, dict[str, Any]]) -> None:
    ax.grid(True)
    ax.plot(*zip(*_front(places), strict=True), color=INK, lw=1.2, alpha=0.8, zorder=2)
    for name, place in places.items():
        ax.plot(*place, clip_on=False, zorder=4 if looks[name]["ms"] > 8 else 3, **looks[name])
    for axis, at in ((ax.xaxis, 0), (ax.yaxis, 1)):
        top = max([place[at] for place in places.values()] + [1.0])
        (ax.set_xscale, ax.set_yscale)[at]("function", functions=(_root, _square))
        (ax.set_xlim, ax.set_ylim)[at](-2e-4 * top, 1.1 * top)  # points at 0 keep their whole markers
        axis.set_major_locator(FixedLocator(_ticks(top)))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(lambda value, position: f"{value:g}")


def _front(places: Mapping[str, Place]) -> list[Place]:
    """The places that no other beats, by their loss."""
    every = list(places.values())
    ranks = front_ranks(np.array(every).reshape(-1, 2))
    return sorted(place for place, rank in zip(every, ranks, strict=True) if rank == 0)


def _look(result: Judged, name: str, at: int) -> dict[str, Any]:
    """Ours large and black, references hollow; the others by colour, and by marker where colours are used up."""
    look: dict[str, Any] = {"ls": "none", "ms": 6.5, "mec": "white", "mew": 0.6}
    if name in result.ours:
        mark = ("*", "P")[list(result.ours).index(name) % 2]
        return look | {"color": INK, "marker": mark, "ms": 13 if mark == "*" else 9.5}
    if name in result.references:
        mark = ("s", "o")[list(result.references).index(name) % 2]
        return look | {"color": FAINT, "marker": mark, "mfc": "white", "mec": FAINT, "mew": 1.4}
    return look | {"color": PALETTE[at % len(PALETTE)], "marker": MARKERS[at // len(PALETTE) % len(MARKERS)]}


def _ticks(top: float) -> list[int]:
    """Those that can be read beside each other.

    >>> _ticks(12.0), _ticks(200.0)
    ([0, 1, 2, 5, 10], [0, 1, 5, 20, 30, 50, 70, 100, 150, 200])
    """
    kept = [0]
    for tick in TICKS[1:]:
        if tick <= 1.1 * top and np.sqrt(tick) - np.sqrt(kept[-1]) > NARROW * np.sqrt(top):
            kept.append(tick)
    return kept


def _root(values: np.ndarray) -> np.ndarray:
    roots: np.ndarray = np.sign(values) * np.sqrt(np.abs(values))
    return roots


def _square(roots: np.ndarray) -> np.ndarray:
    values: np.ndarray = np.sign(roots) * np.square(roots)
    return values
