"""Operators alone: how much worse the best score is with one operator of GOMM than with all of them."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.plots._style import INK, canvas, styled
from sfumato.plots.operator_analytics import COLOURS
from sfumato.search.grouping.operator_comparison import OperatorComparison


@styled
def operator_comparison(result: OperatorComparison, ax: Axes | None = None) -> Figure:
    """Draw one line per operator: 1 is as good as all together, above is worse."""
    figure, ax = canvas(ax, height=3.4)
    combined, *others = result.best
    ax.grid(True)
    ax.axhline(1, color=INK, lw=1.8, label=f"{combined} ({result.best[combined][-1]:.2f})", zorder=3)
    for operator in others:
        label = f"{operator.replace('_', ' ')} ({result.best[operator][-1]:.2f})"
        ax.plot(result.relative(operator), color=COLOURS.get(operator), lw=1.5, label=label, zorder=2)
    ax.set_xlim(0, max(len(result.best[combined]) - 1, 1))
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel("generation")
    ax.set_ylabel("best score / that of all")
    ax.set_title("Each operator alone (in brackets: its last best score)")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    return figure
