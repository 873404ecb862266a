"""The submissions plot: protected files of a public arena, by how near their tables are and whom they show."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from sfumato.plots._style import FAINT, INK, MARKERS, PALETTE, canvas, styled

Place = tuple[float, float]

BEST = 1000.0
NEAREST = 0.25  # points from the best that are still told apart
HEIGHTS = (0, 300, 500, 700, 800, 900, 950, 980, 990, 995, 998, 999)
WIDTHS = (0, 1, 2, 5, 10, 20, 30, 40, 50, 60, 80, 100)


class Submitted(Protocol):
    """What is drawn; places are UEM in percent and k-marginal."""

    @property
    def title(self) -> str: ...
    @property
    def published(self) -> Mapping[str, Sequence[Place]]: ...  # by library
    @property
    def formal(self) -> Mapping[str, Sequence[Place]]: ...  # those with a formal promise, by library
    @property
    def ours(self) -> Mapping[str, Place]: ...
    @property
    def outside(self) -> float | None: ...  # UEM of people outside the file, if it is known
    @property
    def libraries(self) -> Sequence[str]: ...  # all there are, so that each has one colour in several plots


@styled
def submissions(result: Submitted, ax: Axes | None = None) -> Figure:
    """Draw k-marginal against UEM: dots for libraries, hollow with a formal promise; ours large and named."""
    figure, ax = canvas(ax, height=5.4)
    ax.grid(True)
    places = [
        place for group in (result.published, result.formal) for some in group.values() for place in some
    ]
    places += result.ours.values()
    _scales(ax, places)
    looks = _looks(result)
    for group, look in ((result.published, {}), (result.formal, {"mfc": "white", "mew": 1.3})):
        for library, some in group.items():
            _draw(ax, some, ms=5.5, alpha=0.9, zorder=5, **{**looks[library], **look})
    for name, place in result.ours.items():
        _draw(ax, [place], ms=10.5, mec="white", mew=0.9, zorder=4, **looks[name])
    if result.outside is not None:
        ax.axvline(result.outside, color=FAINT, lw=1.0, ls=(0, (4, 3)), zorder=2)
    ax.set_xlabel("UEM: unique people who stand in the release (%)  →  less safe")
    ax.set_ylabel("k-marginal  →  more useful")
    ax.set_title(result.title)
    ax.legend(handles=_entries(result, looks), loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    return figure


def _scales(ax: Axes, places: Sequence[Place]) -> None:
    """Roots across, so that few percent are told apart from none; upwards the distance from the best, by its logarithm."""
    right = max([place[0] for place in places] + [1.0])
    low, high = min([place[1] for place in places] + [900.0]), max([place[1] for place in places] + [990.0])
    ax.set_xscale("function", functions=(_root, _square))
    ax.set_yscale("function", functions=(_height, _mark))
    ax.set_xlim(-1e-3 * right, 1.12 * right)  # points at 0 keep their whole markers
    top = _height(np.array([low, min(high, BEST - NEAREST)]))
    margin = 0.06 * (top[1] - top[0])
    ax.set_ylim(*_mark(top + np.array([-margin, margin])))
    _set_ticks(ax, right, low, high)


def _set_ticks(ax: Axes, right: float, low: float, high: float) -> None:
    ax.xaxis.set_major_locator(FixedLocator([at for at in WIDTHS if at <= 1.1 * right]))
    ax.yaxis.set_major_locator(FixedLocator([at for at in HEIGHTS if low - 150 <= at <= high]))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(lambda value, position: f"{value:g}")


def _root(values: np.ndarray) -> np.ndarray:
    roots: np.ndarray = np.sign(values) * np.sqrt(np.abs(values))
    return roots


def _square(roots: np.ndarray) -> np.ndarray:
    values: np.ndarray = np.sign(roots) * np.square(roots)
    return values


def _height(marks: np.ndarray) -> np.ndarray:
    heights: np.ndarray = -np.log(np.maximum(BEST - np.asarray(marks, float), NEAREST))
    return heights


def _mark(heights: np.ndarray) -> np.ndarray:
    marks: np.ndarray = BEST - np.exp(-np.asarray(heights, float))
    return marks


def _draw(ax: Axes, places: Sequence[Place], **look: Any) -> None:
    across, up = zip(*places, strict=True)
    ax.plot(across, np.minimum(up, BEST - NEAREST), clip_on=False, **look)


def _looks(result: Submitted) -> dict[str, dict[str, Any]]:
    """A colour for each library, and for each of ours a marker in black."""
    looks: dict[str, dict[str, Any]] = {
        library: {
            "color": PALETTE[i % len(PALETTE)],
            "marker": "o" if i < len(PALETTE) else "d",
            "ls": "none",
        }
        for i, library in enumerate(result.libraries)
    }
    for i, name in enumerate(result.ours):
        looks[name] = {"color": INK, "marker": MARKERS[1:][i % (len(MARKERS) - 1)], "ls": "none"}
    return looks


def _entries(result: Submitted, looks: Mapping[str, dict[str, Any]]) -> list[Line2D]:
    entries = [
        Line2D([], [], ms=8, mec="white", label=f"{name}\n{_pair(place)}", **looks[name])
        for name, place in result.ours.items()
    ]
    libraries = [one for one in result.libraries if one in result.published or one in result.formal]
    entries += [Line2D([], [], ms=6, label=library, **looks[library]) for library in libraries]
    if result.formal:
        hollow: dict[str, Any] = {"color": FAINT, "marker": "o", "ls": "none", "mfc": "white", "mew": 1.3}
        entries.append(Line2D([], [], ms=6, label="hollow: with a formal promise", **hollow))
    if result.outside is not None:
        entries.append(Line2D([], [], color=FAINT, lw=1.0, ls=(0, (4, 3)), label="people outside the file"))
    return entries


def _pair(place: Place) -> str:
    """K-marginal and UEM as a table gives them.

    >>> _pair((15.8, 987.64))
    '987.6 / 15.8 %'
    """
    return f"{place[1]:.1f} / {place[0]:.1f} %"
