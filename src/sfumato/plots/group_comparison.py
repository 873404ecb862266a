"""A hidden group: the attacked signal before (solid) and after (dashed), with the outliers of both."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.jobs.groups.report import GroupComparison
from sfumato.plots._style import canvas, styled
from sfumato.plots.signals import SignalLine, draw_lines


@styled
def group_comparison(result: GroupComparison, ax: Axes | None = None) -> Figure:
    """Draw both signals over the places, as figure 3 of the source does."""
    figure, ax = canvas(ax, height=3.6)
    draw_lines(
        [
            SignalLine(result.before, result.found_before.indices),
            SignalLine(result.after, result.found_after.indices),
        ],
        ax,
    )
    ax.set_ylabel("records, or sum of grades" if result.before.kind == "quantity" else "share of the records")
    ax.set_title(result.verdict)
    return figure
