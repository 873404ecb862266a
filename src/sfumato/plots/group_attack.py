"""A group attack: the true signal (solid) and what the model sees of it (dashed), with their outliers."""

from typing import Protocol

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.groups.outliers import Outliers
from sfumato.groups.signals import Signal
from sfumato.plots._style import canvas, styled
from sfumato.plots.signals import SignalLine, draw_lines


class Attacked(Protocol):
    """What is drawn; a `GroupAttack` is one."""

    @property
    def signal(self) -> Signal:
        """What the model sees."""

    @property
    def found(self) -> Outliers:
        """The outliers it sees."""

    @property
    def true_signal(self) -> Signal | None:
        """What is true, where that is known."""

    @property
    def true(self) -> Outliers | None:
        """The true outliers."""

    @property
    def verdict(self) -> str:
        """What came out."""


@styled
def group_attack(result: Attacked, ax: Axes | None = None) -> Figure:
    """Draw both signals over the places, as figures 1 and 2 of the source do."""
    figure, ax = canvas(ax, height=3.6)
    lines = [SignalLine(result.signal, result.found.indices)]
    if result.true_signal is not None and result.true is not None:
        lines.insert(0, SignalLine(result.true_signal, result.true.indices))
    draw_lines(lines, ax)
    kind = result.signal.kind
    ax.set_ylabel("records, or sum of grades" if kind == "quantity" else "share of the records")
    ax.set_title(result.verdict)
    return figure
