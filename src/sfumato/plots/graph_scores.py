"""Scores of a protected social graph: every loss by attribute, and who is still found."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.jobs.graph.evaluate import GraphEvaluation
from sfumato.plots._style import LOSS, PALETTE, RISK, panels, shortened, styled


@styled
def graph_scores(result: GraphEvaluation, ax: Axes | None = None) -> Figure:
    """Draw bars of the losses of each attribute, and of the nodes found, in percent."""
    figure, (left, right) = panels(ax, 1, 2, height=3.4)
    colours = (LOSS, PALETTE[4], PALETTE[6])
    attributes = list(next(iter(result.losses.values()), {}))
    step = 0.8 / max(len(result.losses), 1)
    for number, (name, parts) in enumerate(result.losses.items()):
        places = [place + (number - (len(result.losses) - 1) / 2) * step for place in range(len(attributes))]
        values = [100 * parts[attribute] for attribute in attributes]
        left.barh(places, values, height=step * 0.9, color=colours[number % len(colours)], label=name)
    left.set_yticks(range(len(attributes)), labels=[shortened(name) for name in attributes])
    left.set(ylim=(max(len(attributes), 1) - 0.5, -0.5), xlabel="percent lost", xlim=(0, 100))
    left.set_title("Information loss", pad=20)
    if attributes:
        left.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, borderaxespad=0.2)
    known = list(result.risks)
    right.barh(range(len(known)), [100 * result.risks[name] for name in known], color=RISK, height=0.62)
    right.set_yticks(range(len(known)), labels=[shortened(name) for name in known])
    right.set(ylim=(max(len(known), 1) - 0.5, -0.5), xlabel="percent of nodes found", xlim=(0, 100))
    right.set_title("Disclosure risk, by what is known", pad=20)
    for axes in (left, right):
        axes.grid(True, axis="x")
    return figure
