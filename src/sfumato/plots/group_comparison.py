"""A hidden group: the attacked signal before (solid) and after (dashed), with the outliers of both."""

from typing import Protocol

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.groups.outliers import Outliers
from sfumato.groups.signals import Signal
from sfumato.plots._style import canvas, styled
from sfumato.plots.signals import SignalLine, draw_lines


class Compared(Protocol):
    """What is drawn; a `GroupComparison` is one."""

    @property
    def before(self) -> Signal:
        """The signal of the original."""

    @property
    def after(self) -> Signal:
        """The signal of the protected file."""

    @property
    def found_before(self) -> Outliers:
        """What stands out in the first."""

    @property
    def found_after(self) -> Outliers:
        """What stands out in the second."""

    @property
    def verdict(self) -> str:
        """What came out."""


@styled
def group_comparison(result: Compared, ax: Axes | None = None) -> Figure:
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
