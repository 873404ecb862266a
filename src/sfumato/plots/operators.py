"""Operators: how often each was tried, how often its child was kept, and how much the score fell by it."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.plots._style import FAINT, PALETTE, panels, short_number, shortened, styled
from sfumato.search.run_record import Run

ROW = 0.32  # inches


@styled
def operators(result: Run, ax: Axes | None = None) -> Figure:
    """Draw one row per operator, the one that gained most first."""
    ranked = sorted(result.operators.items(), key=lambda item: -item[1].gain)
    figure, axes = panels(ax, 1, 3, height=1.1 + ROW * max(len(ranked), 1))
    columns = {
        "tried": [float(operator.tried) for _, operator in ranked],
        "kept (% of those tried)": [100 * one.kept / max(one.tried, 1) for _, one in ranked],
        "gained (points in all)": [operator.gain for _, operator in ranked],
    }
    for place, (heading, values) in enumerate(columns.items()):
        _draw(axes[place], heading, values, PALETTE[(7, 4, 0)[place]])
        axes[place].set_yticks(
            range(len(ranked)), labels=[shortened(name.replace("_", " "), 28) for name, _ in ranked]
        )
        axes[place].tick_params(axis="y", length=0, labelleft=place == 0)
    if not ranked:
        axes[0].text(0, 0.5, "No operator was tried.", transform=axes[0].transAxes)
    return figure


def _draw(ax: Axes, heading: str, values: list[float], colour: str) -> None:
    longest = max([*values, 0.0]) or 1.0
    ax.grid(True, axis="x")
    ax.barh(range(len(values)), values, height=0.66, color=colour)
    for place, value in enumerate(values):
        shown = f"{value:,.0f}" if heading == "tried" else f"{value:,.1f}" if value >= 0.1 else f"{value:.2g}"
        ax.text(value + 0.02 * longest, place, shown, va="center", fontsize=8)
    ax.axvline(0, color=FAINT, lw=0.8)
    ax.set(xlim=(0, 1.34 * longest), ylim=(max(len(values), 1) - 0.4, -0.6))
    ax.set_title(heading, fontsize=8.5)
    ax.xaxis.set_major_formatter(short_number)
    ax.locator_params(axis="x", nbins=4)
    ax.spines["left"].set_visible(False)
