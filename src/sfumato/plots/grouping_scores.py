"""Scores of groupings: the one a search found beside those made by hand, for each size of group."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.plots._style import INK, MARKERS, PALETTE, beside, canvas, styled


class Compared(Protocol):
    """What is drawn; scores are by k, lower is better."""

    @property
    def title(self) -> str: ...
    @property
    def k(self) -> Sequence[int]: ...
    @property
    def found(self) -> Sequence[float]: ...
    @property
    def groups(self) -> Sequence[int]: ...  # of attributes, in what was found
    @property
    def by_hand(self) -> Mapping[str, Sequence[float]]: ...  # by the name of the grouping


@styled
def grouping_scores(result: Compared, ax: Axes | None = None) -> Figure:
    """Draw one line per grouping over k; the one that was found is bold, with its number of groups."""
    figure, ax = canvas(ax, height=3.8)
    places = range(len(result.k))
    ax.grid(True, axis="y")
    for number, (name, scores) in enumerate(result.by_hand.items()):
        look = {"color": PALETTE[number % len(PALETTE)], "marker": MARKERS[number % len(MARKERS)]}
        ax.plot(places, scores, lw=1.2, ms=4.5, alpha=0.85, label=name, **look)  # type: ignore[arg-type]
    ax.plot(places, result.found, color=INK, lw=2.4, marker="o", ms=6, label="found by search", zorder=4)
    for place, score, groups in zip(places, result.found, result.groups, strict=True):
        text = f"{groups} group{'s' if groups != 1 else ''}"
        beside(ax, text, (place, score), (0, -12), ha="center", va="top", fontsize=8)
    ax.set_ylim(0, 1.06 * max(map(max, [result.found, *result.by_hand.values()])))
    ax.set_xticks(places, labels=[f"k = {k}" for k in result.k])
    ax.set_ylabel("score (lower is better)")
    ax.set_title(result.title)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    return figure
