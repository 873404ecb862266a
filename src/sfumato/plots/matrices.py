"""PRAM matrices before and after: what each category becomes, as heat maps."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.jobs.evolve_pram import EvolvedPram
from sfumato.plots._style import heat_map, panels, shortened, styled, write_cell

WRITTEN_UP_TO = 8  # categories, for which the numbers fit into the cells
LABELLED_UP_TO = 30
COLOURS = "Blues"


@styled
def matrices(result: EvolvedPram, ax: Axes | None = None) -> Figure:
    """Draw one row of two heat maps for each attribute; a darker cell is a likelier change."""
    names = list(result.before.matrices)
    figure, places = panels(ax, len(names), 2, height=3.4)
    for row, name in enumerate(names):
        labels = [shortened(label, 10) for label in result.original.schema[name].categories]
        for column, (title, side) in enumerate((("before", result.before), ("after", result.after))):
            place = places[2 * row + column]
            _draw(place, side.matrices[name], labels, written=column == 0)
            place.set_title(f"{shortened(name, 30)}, {title}")
    bar = figure.colorbar(places[0].collections[0], ax=places, location="bottom", shrink=0.4, aspect=30)
    bar.set_label("probability")
    bar.outline.set_visible(False)
    return figure


def _draw(ax: Axes, P: np.ndarray, labels: list[str], *, written: bool) -> None:
    n = len(P)
    heat_map(ax, P, COLOURS, 0, 1, gap=0.8 if n <= WRITTEN_UP_TO else 0.2)
    ax.set_xlabel("becomes")
    if written:
        ax.set_ylabel("original category")
    _label(ax, labels, written=written)
    if n > WRITTEN_UP_TO:
        return
    for cell, value in np.ndenumerate(P):
        if value >= 0.005:
            write_cell(ax, cell, f"{value:.2f}", white=value > 0.6, size=6.5)


def _label(ax: Axes, labels: list[str], *, written: bool) -> None:
    at = np.arange(len(labels)) + 0.5
    if len(labels) > LABELLED_UP_TO:
        ax.set_xticks([])
        ax.set_yticks([])
        return
    size = 7.5 if len(labels) <= 12 else 5.5
    ax.set_xticks(at, labels=labels, rotation=90, fontsize=size)
    ax.set_yticks(at, labels=labels if written else [], fontsize=size)
