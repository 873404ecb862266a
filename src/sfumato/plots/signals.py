"""Signals of a group: one number per place, drawn as a line, with its outliers marked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.groups.outliers import outliers
from sfumato.groups.signals import Signal
from sfumato.plots._style import FAINT, GRID, PALETTE, beside, canvas, short_number, shortened, styled

STYLES = ("-", "--", ":", "-.")
NAMED = 12  # outliers whose names are written
MANY = 300  # places from which on lines are thin
APART = (0.07, 0.06)  # what names need between them, as shares of the width and the height


@dataclass(frozen=True)
class SignalLine:
    """A signal to draw, and the indices of the places to mark on it."""

    signal: Signal
    marked: tuple[int, ...] = ()


@styled
def signals(result: Signal, ax: Axes | None = None) -> Figure:
    """Draw one signal over the places; what the modified Thompson technique calls an outlier is marked."""
    figure, ax = canvas(ax, height=3.2)
    draw_lines([SignalLine(result, outliers(result).indices)], ax)
    ax.set_ylabel("records of the group" if result.kind == "quantity" else "share of the records")
    return figure


def draw_lines(lines: Sequence[SignalLine], ax: Axes) -> None:
    """Draw signals over the same places: the first solid, the second dashed; marks stand on their line."""
    places = lines[0].signal.places
    where = np.arange(len(places))
    for number, line in enumerate(lines):
        colour, style = PALETTE[number % len(PALETTE)], STYLES[number % len(STYLES)]
        width = 1.2 if len(places) <= MANY else 0.5
        ax.plot(where, line.signal.values, style, color=colour, lw=width, label=line.signal.label)
        marked = list(line.marked)
        face = colour if number == 0 else "none"
        ax.scatter(marked, line.signal.values[marked], s=30, facecolor=face, edgecolor=colour, zorder=3)
    _name_places(lines, ax)
    ax.grid(True, axis="y", color=GRID)
    ax.set_xlim(-0.5, len(places) - 0.5)
    ax.set_ylim(bottom=min(0.0, *(float(line.signal.values.min(initial=0)) for line in lines)))
    ax.margins(y=0.14)
    ax.set_xlabel(f"{len(places):,} places")
    ax.set_xticks([])
    ax.yaxis.set_major_formatter(short_number)
    if len(lines) > 1:
        ax.legend(loc="best")


def _name_places(lines: Sequence[SignalLine], ax: Axes) -> None:
    """Names above the highest mark of a place, the largest values first, where they do not hide one another."""
    places = lines[0].signal.places
    heights: dict[int, float] = {}
    for line in lines:
        for index in line.marked:
            heights[index] = max(heights.get(index, -np.inf), float(line.signal.values[index]))
    wide, high = APART[0] * len(places), APART[1] * max(heights.values(), default=0)
    named: list[int] = []
    for index in sorted(heights, key=lambda i: -heights[i]):
        close = [i for i in named if abs(i - index) < wide and abs(heights[i] - heights[index]) < high]
        if not close and len(named) < NAMED:
            named.append(index)
            name = shortened(places[index], 12)
            beside(ax, name, (index, heights[index]), (0, 5), ha="center", fontsize=7, color=FAINT)
