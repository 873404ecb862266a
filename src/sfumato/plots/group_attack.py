"""A group attack: the true signal (solid) and what the model sees of it (dashed), with their outliers."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.jobs.groups.attack import GroupAttack
from sfumato.plots._style import panels, styled
from sfumato.plots.signals import SignalLine, draw_lines


@styled
def group_attack(result: GroupAttack, ax: Axes | None = None) -> Figure:
    """Draw both signals over the places, as figures 1 and 2 of the source do; of several groups one below the other."""
    attacks = (result, *result.others)
    figure, axes = panels(ax, len(attacks), 1, height=3.6)
    for one, place in zip(attacks, axes, strict=True):
        _draw(one, place)
    return figure


def _draw(result: GroupAttack, ax: Axes) -> None:
    lines = [SignalLine(result.signal, result.found.indices)]
    if result.true_signal is not None and result.true is not None:
        lines.insert(0, SignalLine(result.true_signal, result.true.indices))
    draw_lines(lines, ax)
    kind = result.signal.kind
    ax.set_ylabel("records, or sum of grades" if kind == "quantity" else "share of the records")
    ax.set_title(result.verdict)
