"""The dispersion plot: many protections by several methods, the best of each, and the best that was published."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sfumato.plots._style import FAINT, INK, MARKERS, PALETTE, canvas, set_limits, styled

Place = tuple[float, float]


class Dispersed(Protocol):
    """What is drawn; places are loss and risk in percent."""

    @property
    def title(self) -> str: ...
    @property
    def loss(self) -> str: ...  # its name
    @property
    def points(self) -> Mapping[str, Sequence[Place]]: ...  # all protections, by method
    @property
    def best(self) -> Mapping[str, Place]: ...
    @property
    def published(self) -> Mapping[str, Place]: ...  # the best that a source reports; methods may be left out


@styled
def dispersion(result: Dispersed, ax: Axes | None = None) -> Figure:
    """Draw loss against risk: small dots for all, large ones for the best, hollow ones for the published best."""
    figure, ax = canvas(ax, height=4.6)
    ax.grid(True)
    looks: dict[str, dict[str, Any]] = {
        method: {"color": PALETTE[i % len(PALETTE)], "marker": MARKERS[i % len(MARKERS)], "ls": "none"}
        for i, method in enumerate(result.points)
    }
    ax.axline((0, 0), slope=1, color=FAINT, lw=0.9, ls=(0, (4, 3)), alpha=0.7, zorder=1)
    for method in sorted(result.points, key=lambda m: -len(result.points[m])):  # the few on top of the many
        losses, risks = zip(*result.points[method], strict=True)
        ax.plot(
            losses, risks, ms=4.5, alpha=0.85 if len(losses) <= 50 else 0.35, mew=0, zorder=2, **looks[method]
        )
    for method, place in result.published.items():
        ax.plot(*place, ms=10, mfc="white", mew=1.8, zorder=4, **looks[method])
        way = zip(place, result.best[method], strict=True)  # from what was published to what came out here
        ax.plot(*way, color=looks[method]["color"], lw=0.9, ls=":", zorder=3)
    for method, place in result.best.items():
        ax.plot(*place, ms=9, mec=INK, mew=1.4, zorder=5, **looks[method])
    every = [place for points in result.points.values() for place in points]
    set_limits(ax, [*result.best.values(), *result.published.values(), *every])
    ax.set_xlabel(f"{result.loss} (%)  →  less useful")
    ax.set_ylabel("Disclosure risk (%)  →  less safe")
    ax.set_title(result.title)
    ax.legend(handles=_entries(result, looks), loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    return figure


def _entries(result: Dispersed, looks: Mapping[str, dict[str, Any]]) -> list[Line2D]:
    entries = [
        Line2D([], [], ms=6, label=_label(result, method), **looks[method]) for method in result.points
    ]
    some: dict[str, Any] = {"color": FAINT, "marker": "o", "ls": "none"}
    entries += [
        Line2D([], [], ms=4, alpha=0.5, mew=0, label="one protection", **some),
        Line2D([], [], ms=8, mec=INK, mew=1.4, label="the best balanced one", **some),
    ]
    if result.published:
        entries.append(Line2D([], [], ms=8, mfc="white", mew=1.8, label="the published best one", **some))
    entries.append(Line2D([], [], color=FAINT, lw=0.9, ls=(0, (4, 3)), label="loss and risk are equal"))
    return entries


def _label(result: Dispersed, method: str) -> str:
    lines = [method, f"best {_pair(result.best[method])}"]
    if method in result.published:
        lines.append(f"published {_pair(result.published[method])}")
    return "\n".join(lines)


def _pair(place: Place) -> str:
    """Loss and risk as a source's table gives them.

    >>> _pair((31.9, 31.67))
    '31.90 / 31.67'
    """
    return f"{place[0]:.2f} / {place[1]:.2f}"
