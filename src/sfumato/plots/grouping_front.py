"""The front of groupings: loss against risk of what no other grouping beats, and the best of them."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.jobs.group_attributes import Grouped
from sfumato.plots._style import FAINT, INK, LOSS, PALETTE, beside, canvas, styled

MOST_LABELS = 40  # points beside which the number of groups is written


@styled
def grouping_front(result: Grouped, ax: Axes | None = None) -> Figure:
    """Draw the front from many groups to few, and mark the best, all together and one by one."""
    figure, ax = canvas(ax, height=4.0)
    ax.grid(True)
    losses, risks = [p.loss for p in result.front], [p.risk for p in result.front]
    ax.step(losses, risks, where="post", color=FAINT, lw=1.0, zorder=2)
    ax.plot(losses, risks, ls="none", marker="o", ms=4.5, color=LOSS, mew=0, zorder=3, label="on the front")
    for name, place, marker in (
        ("all attributes together", result.together, "s"),
        ("one by one", result.apart, "^"),
    ):
        look = {"ls": "none", "marker": marker, "ms": 13, "mfc": "none", "mec": PALETTE[1], "mew": 1.6}
        ax.plot(place.loss, place.risk, zorder=6, label=name, **look)  # type: ignore[arg-type]
    best = result.best
    label = f"best score ({len(best.groups)} group{'s' if len(best.groups) != 1 else ''})"
    ax.plot(best.loss, best.risk, "o", ms=9, color=LOSS, mec=INK, mew=1.5, zorder=5, label=label)
    if len(result.front) <= MOST_LABELS:
        for place in result.front:
            beside(ax, str(len(place.groups)), (place.loss, place.risk), (5, 4), fontsize=7, color=FAINT)
    shown = [*result.front, result.together, result.apart]
    ax.set_xlim(0, 1.05 * max([*(place.loss for place in shown), 1.0]))
    ax.set_ylim(0, 1.1 * max([*(place.risk for place in shown), 1.0]))
    ax.set_xlabel("Information loss (%)  →  less useful")
    ax.set_ylabel("Disclosure risk (%)  →  less safe")
    ax.set_title("Groupings of attributes that no other one beats, by their number of groups")
    ax.legend(loc="lower left", labelspacing=0.9)
    return figure
