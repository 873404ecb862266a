"""A group attack: the true signal (solid) and what the model sees of it (dashed), with their outliers."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.jobs.groups.attack import GroupAttack
from sfumato.plots._style import canvas, styled
from sfumato.plots.signals import SignalLine, draw_lines


@styled
def group_attack(result: GroupAttack, ax: Axes | None = None) -> Figure:
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
