"""A tree of dependence: attributes in layers from the best-connected one, the heavier edges thicker."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.masking.emad import DependenceTree
from sfumato.plots._style import FAINT, PALETTE, canvas, styled


@styled
def dependence_tree(result: DependenceTree, ax: Axes | None = None) -> Figure:
    """Draw the tree; attributes of the first choice are filled."""
    figure, ax = canvas(ax, height=4.2)
    places = _places(result)
    heaviest = max((weight for _, _, weight in result.edges), default=1.0) or 1.0
    for a, b, weight in result.edges:
        (xa, ya), (xb, yb) = places[a], places[b]
        ax.plot([xa, xb], [ya, yb], color=FAINT, linewidth=0.6 + 2.4 * weight / heaviest, zorder=1)
    first = result.choices[0] if result.choices else ()
    for name, (x, y) in places.items():
        chosen = name in first
        box = {"boxstyle": "round", "edgecolor": PALETTE[0], "facecolor": PALETTE[0] if chosen else "white"}
        ax.text(
            x, y, name, ha="center", va="center", color="white" if chosen else "black", bbox=box, fontsize=7
        )
    ax.set_axis_off()
    ax.margins(0.1)
    ax.set_title("Tree of dependence: thicker edges say more")
    return figure


def _places(tree: DependenceTree) -> dict[str, tuple[float, float]]:
    """Layers by distance from the attribute with most edges, in the order in which they are reached."""
    near: dict[str, list[str]] = {name: [] for name in tree.names}
    for a, b, _ in tree.edges:
        near[a].append(b)
        near[b].append(a)
    layers, seen = [[max(near, key=lambda name: len(near[name]))]] if near else [], set[str]()
    while layers and layers[-1]:
        seen.update(layers[-1])
        layers.append([b for a in layers[-1] for b in near[a] if b not in seen])
    return {
        name: ((place + 1) / (len(layer) + 1), -float(depth))
        for depth, layer in enumerate(layers)
        for place, name in enumerate(layer)
    }
