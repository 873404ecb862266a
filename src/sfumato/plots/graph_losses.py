"""A social graph over k: what protection costs, and how many nodes are still found."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.graphs.profile_columns import ALL
from sfumato.jobs.graph.evaluate import MEAN
from sfumato.jobs.graph.report import OverK
from sfumato.plots._style import INK, MARKERS, PALETTE, panels, shortened, styled


@styled
def graph_losses(result: OverK, ax: Axes | None = None) -> Figure:
    """Draw information loss on the left and disclosure risk on the right, in percent; bold is what counts."""
    figure, (left, right) = panels(ax, 1, 2, height=3.6)
    draw_lines(left, result.k, result.losses, bold=MEAN)
    draw_lines(right, result.k, result.risks, bold=ALL)
    left.set_ylabel("percent (lower is better)")
    left.set_title(f"{result.title}: information loss")
    right.set_title("disclosure risk")
    return figure


def draw_lines(ax: Axes, k: Sequence[int], lines: Mapping[str, Sequence[float]], *, bold: str = "") -> None:
    """One line per name over evenly spaced k, in percent, with a legend above the data."""
    ax.grid(True, axis="y")
    places = range(len(k))
    plain = [name for name in lines if name != bold]
    for number, name in enumerate(plain):
        colour, marker = PALETTE[number % len(PALETTE)], MARKERS[number % len(MARKERS)]
        values = [100 * value for value in lines[name]]
        ax.plot(places, values, color=colour, marker=marker, ms=4.5, lw=1.2, label=shortened(name))
    if bold in lines:
        values = [100 * value for value in lines[bold]]
        ax.plot(places, values, color=INK, marker="o", ms=5.5, lw=2.4, label=shortened(bold), zorder=4)
    highest = max((100 * value for values in lines.values() for value in values), default=1.0)
    ax.set_ylim(0, max(1.32 * highest, 1.0))
    ax.set_xticks(places, labels=[str(size) for size in k])
    ax.set_xlabel("k")
    if lines:
        ax.legend(loc="upper left", ncols=3, columnspacing=1.2, handlelength=1.6)
