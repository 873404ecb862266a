"""A social graph before and after it was protected: both pictures, and the commonest places by name."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from sfumato.core import stream
from sfumato.data import Table
from sfumato.graphs.edge_changes import edge_changes
from sfumato.graphs.layout import positions
from sfumato.graphs.structural_losses import undirected
from sfumato.jobs.graph.report import GraphPair
from sfumato.plots._style import FAINT, GRID, INK, ORIGINAL, PALETTE, RELEASE, panels, shortened, styled

MOST_DRAWN, MOST_EDGES = 1500, 10_000
"""Beyond, a picture of nodes and edges shows nothing."""
MOST_PLACES = 10
ADDED, REMOVED = PALETTE[2], PALETTE[1]


@styled
def graph_pair(result: GraphPair, ax: Axes | None = None) -> Figure:
    """Draw the edges that stayed, came and went, above how many people are in the commonest places and their friends."""
    drawn = result.original.n <= MOST_DRAWN and result.original.m + result.protected.m <= MOST_EDGES
    figure, parts = panels(ax, 1 + drawn, 2, height=3.4)
    if drawn:
        _draw_graphs(result, parts[:2])
    if result.location in result.protected.nodes.names:
        _draw_places(result, parts[-2])
    else:
        parts[-2].axis("off")
    _draw_degrees(result, parts[-1])
    return figure


def _draw_graphs(result: GraphPair, parts: Sequence[Axes]) -> None:
    change = edge_changes(result.original, result.protected)
    where = positions(result.original, stream(0, "graph layout"))
    for part, title, edges, special, colour in (
        (
            parts[0],
            f"before: {_edges(len(change.removed))} that went",
            result.original.edges,
            change.removed,
            REMOVED,
        ),
        (
            parts[1],
            f"after: {_edges(len(change.added))} that came",
            result.protected.edges,
            change.added,
            ADDED,
        ),
    ):
        part.set(title=title, xlim=(-1.05, 1.05), ylim=(-1.05, 1.05))
        part.axis("off")
        part.add_collection(LineCollection(list(where[edges]), colors=GRID, linewidths=0.7))
        part.add_collection(LineCollection(list(where[special]), colors=colour, linewidths=0.9))
        part.scatter(where[:, 0], where[:, 1], s=max(4, 200 / np.sqrt(len(where))), color=INK, zorder=3, lw=0)


def _edges(count: int) -> str:
    return "1 edge" if count == 1 else f"{count:,} edges"


def _draw_degrees(result: GraphPair, ax: Axes) -> None:
    for graph, title, colour in ((result.original, "before", FAINT), (result.protected, "after", RELEASE)):
        degrees, counts = np.unique(undirected(graph).degrees, return_counts=True)
        ax.plot(degrees, counts, color=colour, marker="o", ms=3, lw=1, label=title)
    ax.set(xlabel="friends", ylabel="people", ylim=(0, None))
    ax.locator_params(integer=True)
    ax.legend(loc="best")


def _draw_places(result: GraphPair, ax: Axes) -> None:
    before, after = (_people(graph.nodes, result.location) for graph in (result.original, result.protected))
    total = {name: max(before.get(name, 0), after.get(name, 0)) for name in {**before, **after}}
    names = sorted(total, key=lambda name: (-total[name], name))[:MOST_PLACES]
    rows = np.arange(len(names))
    for counts, title, colour, off in ((before, "before", ORIGINAL, -0.2), (after, "after", RELEASE, 0.2)):
        ax.barh(rows + off, [counts.get(name, 0) for name in names], height=0.38, color=colour, label=title)
    ax.set_yticks(rows, labels=[shortened(name) for name in names])
    ax.set(ylim=(len(names) - 0.5, -0.5), xlabel=f"people by {shortened(result.location)}")
    ax.legend(loc="lower right")


def _people(nodes: Table, column: str) -> dict[str, int]:
    """How many nodes are in each place, by its name."""
    attribute, codes = nodes.schema[column], nodes[column].astype(np.int64)
    counts = np.bincount(codes[codes >= 0], minlength=attribute.domain_size)
    return {name: int(count) for name, count in zip(attribute.categories, counts, strict=True) if count}
