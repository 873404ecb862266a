"""Signals side by side over the same places: the first solid, the second dashed, each with its marks."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.groups.marked_signals import MarkedSignals
from sfumato.plots._style import canvas, styled
from sfumato.plots.signals import SignalLine, draw_lines


@styled
def marked_signals(result: MarkedSignals, ax: Axes | None = None) -> Figure:
    """Draw them as figures 1 to 3 of the source do."""
    figure, ax = canvas(ax, height=3.6)
    draw_lines([SignalLine(one, where) for one, where in zip(result.signals, result.marked, strict=True)], ax)
    ax.set_ylabel("records, or sum of grades")
    ax.set_title(result.title)
    return figure
