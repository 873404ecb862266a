"""Distributions before and after: one small panel per attribute."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from sfumato.plots._before_after import SMALLEST_CELL, BeforeAfter, bins, category_rows, drawn_names
from sfumato.plots._style import FAINT, ORIGINAL, RELEASE, panels, short_number, shortened, styled

MOST_PANELS = 24
PANEL_HEIGHT = 2.15  # inches
FEWEST_ROWS = 5
NOTE = (
    "Axes of numbers end at rounded 1st and 99th percentiles; the end bars hold all values beyond.\n"
    f"Original bars of fewer than {SMALLEST_CELL} records are left out or pooled."
)


@styled
def distributions(result: BeforeAfter, ax: Axes | None = None) -> Figure:
    """Draw numbers as overlaid histograms and categories as paired bars, keys first."""
    names = drawn_names(result)
    shown = names[:MOST_PANELS]
    columns = 3 if all(result.original.schema[name].is_numeric for name in shown) else 2
    rows = max(1, math.ceil(len(shown) / columns))
    figure, places = panels(ax, rows, columns, height=PANEL_HEIGHT)
    for name, place in zip(shown, places, strict=False):
        if result.original.schema[name].is_numeric:
            _draw_numbers(place, result, name)
        else:
            _draw_categories(place, result, name)
        _write_title(place, result, name)
    for place in places[len(shown) :]:
        place.set_axis_off()
    if ax is None:
        _write_frame(figure, len(names) - len(shown), bool(shown))
    return figure


def _draw_numbers(ax: Axes, pair: BeforeAfter, name: str) -> None:
    binned = bins(pair, name)
    if binned is None:
        ax.set_axis_off()
        ax.text(0, 0.5, "no values", transform=ax.transAxes, color=FAINT)
        return
    ax.stairs(binned.original, binned.edges, fill=True, color=ORIGINAL)
    ax.stairs(binned.release, binned.edges, color=RELEASE, linewidth=1.4)
    if binned.log:
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(FixedLocator(_log_ticks(binned.edges[0], binned.edges[-1])))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set_xlabel("logarithmic scale", fontsize=7.5, color=FAINT)
    else:
        ax.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
    ax.xaxis.set_major_formatter(short_number)
    ax.set_xlim(binned.edges[0], binned.edges[-1])
    _percent_axis(ax, "y")


def _log_ticks(low: float, high: float) -> list[float]:
    """Round numbers from low to high, at most four, as dense as that allows."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [step * 10.0**d for d in decades for step in steps if low <= step * 10.0**d <= high]
        if len(ticks) <= 4:
            return ticks
    return ticks[:: math.ceil(len(ticks) / 4)]


def _draw_categories(ax: Axes, pair: BeforeAfter, name: str) -> None:
    rows = category_rows(pair, name)
    for place, row in enumerate(rows):
        starts = np.cumsum([0.0, *row.original])[: len(row.original)]
        for start, share in zip(starts, row.original, strict=True):
            ax.barh(place - 0.2, share, left=start, height=0.4, color=ORIGINAL, edgecolor="white", lw=0.4)
        ax.barh(place + 0.2, row.release, height=0.34, color=RELEASE)
    labels = [
        shortened(row.label, 24) + (f" ({row.members} in 1)" if row.members > 1 else "") for row in rows
    ]
    ax.set_yticks(range(len(rows)), labels=labels, fontsize=7 if len(rows) > 6 else 8)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(max(len(rows), FEWEST_ROWS) - 0.4, -0.6)  # two categories need no fat bars
    _percent_axis(ax, "x")


def _percent_axis(ax: Axes, which: str) -> None:
    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10], min_n_ticks=3))
    axis.set_major_formatter(lambda value, _: f"{value:g} %")
    axis.grid(True)


def _write_title(ax: Axes, pair: BeforeAfter, name: str) -> None:
    ax.set_title(shortened(name, 26))
    shares = [100 * float(t.missing(name).mean()) if t.n else 0.0 for t in (pair.original, pair.aligned)]
    if any(shares):
        ax.set_title(
            f"missing {shares[0]:.1f} → {shares[1]:.1f} %", loc="right", fontsize=7.5, fontweight="normal"
        )


def _write_frame(figure: Figure, left_out: int, drawn: bool) -> None:
    handles = [Patch(color=ORIGINAL, label="original"), Line2D([], [], color=RELEASE, lw=2, label="release")]
    figure.legend(handles=handles, loc="outside upper left", ncols=2)
    note = NOTE + (f" {left_out} more columns are not drawn." if left_out else "")
    if not drawn:
        note = "No column changed, and none is a key."
    figure.supxlabel(note, x=0.01, ha="left", fontsize=7.5, color=FAINT)
