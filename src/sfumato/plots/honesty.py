"""Honesty: what the fitness says of an evolved file beside what measures say that the search never saw."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from sfumato.jobs import HeldOut, Honesty
from sfumato.plots._style import FAINT, INK, LOSS, RISK, beside, panels, styled

WORSE = "#B2182B"
NEAR = 5.0  # points
COLOURS = {"loss": LOSS, "risk": RISK}
HEADINGS = {"loss": "Information loss (%)", "risk": "Disclosure risk (%)"}
ROW = 0.34  # inches


@styled
def honesty(result: Honesty, ax: Axes | None = None) -> Figure:
    """Draw each measure from the best file of the start (hollow) to the evolved one (filled)."""
    rows = {sense: [one for one in result.measures if one.sense == sense] for sense in HEADINGS}
    sizes = [1.6 + len(rows[sense]) for sense in HEADINGS]
    figure, axes = panels(ax, 2, 1, height=0.75 + ROW * sum(sizes) / 2, ratios=sizes)
    right = 1.12 * max(
        [one.high or max(one.value, one.start) for one in result.measures]
        + [result.loss, result.risk, result.start_loss, result.start_risk, 8.0]
    )
    for sense, part in zip(HEADINGS, axes, strict=True):
        now, before = getattr(result, sense), getattr(result, f"start_{sense}")
        part.set_xlim(-0.015 * right, min(right, 112.0))
        _draw_panel(part, sense, rows[sense], now, before)
    axes[0].legend(handles=_entries(), loc="lower left", bbox_to_anchor=(0, 1.12), ncols=3, borderaxespad=0)
    return figure


def _draw_panel(ax: Axes, sense: str, rows: Sequence[HeldOut], now: float, before: float) -> None:
    colour = COLOURS[sense]
    ax.grid(True, axis="x")
    _draw_row(ax, 0, now, before, colour, bold=True)
    for place, one in enumerate(rows, start=1):
        reference = one.fitness  # of a sample, where only a sample was attacked
        ax.fill_between(
            [reference, reference + NEAR], place - 0.5, place + 0.5, color=colour, alpha=0.12, lw=0
        )
        ax.plot([reference] * 2, [place - 0.5, place + 0.5], color=colour, lw=1.1, zorder=2)
        shown = WORSE if one.warning else colour
        if one.low is not None and one.high is not None:
            ax.plot([one.low, one.high], [place, place], color=shown, lw=3.2, alpha=0.35, zorder=2)
        _draw_row(ax, place, one.value, one.start, shown, bold=bool(one.warning), high=one.high)
    labels = ["in the fitness", *(one.name.replace("_", " ") for one in rows)]
    ax.set_yticks(range(len(labels)), labels=labels)
    ax.get_yticklabels()[0].set_fontweight("bold")
    ax.tick_params(axis="y", length=0)
    ax.axhline(0.5, color=FAINT, lw=0.8)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.set_title(HEADINGS[sense])
    ax.spines["left"].set_visible(False)


def _draw_row(
    ax: Axes, place: int, now: float, before: float, colour: str, *, bold: bool, high: float | None = None
) -> None:
    ax.annotate(
        "",
        (now, place),
        (before, place),
        arrowprops={"arrowstyle": "-", "color": colour, "lw": 1.2, "shrinkA": 3, "shrinkB": 0},
        zorder=3,
    )
    ax.plot([before], [place], "o", ms=5.5, mfc="white", mec=colour, mew=1.2, zorder=4, clip_on=False)
    ax.plot([now], [place], "o", ms=6.5, color=colour, zorder=5, clip_on=False)
    left = now < before and now > 0.08 * ax.get_xlim()[1]  # else the names of the rows are in the way
    end = now if left else max(now, before, high or 0.0)
    look = {"ha": "right" if left else "left", "va": "center", "color": INK, "annotation_clip": False}
    weight = "bold" if bold else "normal"
    beside(ax, f"{now:.1f}", (end, place), (-7 if left else 7, 0), fontsize=8, fontweight=weight, **look)


def _entries() -> list[Line2D | Patch]:
    dot: dict[str, Any] = {"marker": "o", "ls": "none"}
    return [
        Line2D([], [], ms=5.5, mfc="white", mec=INK, label="best file of the start", **dot),
        Line2D([], [], ms=6.5, color=INK, label="evolved file", **dot),
        Line2D([], [], ms=6.5, color=WORSE, label="parts from the fitness, see the warning", **dot),
        Line2D([], [], color=FAINT, lw=1.2, label="what the fitness says"),
        Patch(color=FAINT, alpha=0.2, label="up to 5 points more"),
        Line2D([], [], color=FAINT, lw=3.2, alpha=0.4, label="95 % interval"),
    ]
