"""Key risks: how many records the key attributes single out, together and in the riskiest combinations."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.jobs import CombinationProfile
from sfumato.jobs.describe import Profile
from sfumato.plots._style import canvas, shortened, styled

CLASSES = ("unique", "shared by 2", "shared by 3 or 4", "shared by 5 or more")
COLOURS = ("#B2182B", "#EF8A62", "#F5CDB4", "#D5DCE2")
ROW = 0.36  # inches


@styled
def key_risks(result: Profile, ax: Axes | None = None) -> Figure:
    """Draw one bar per combination, cut by the size of the group that a record shares its values with."""
    rows = _rows(result)
    figure, ax = canvas(ax, height=1.1 + ROW * max(len(rows), 1))
    if not rows:
        ax.set_axis_off()
        ax.text(0, 0.5, "No combination of key attributes singles records out.", transform=ax.transAxes)
        return figure
    for place, (_, combination) in enumerate(rows):
        start = 0.0
        for share, colour in zip(_shares(combination), COLOURS, strict=True):
            ax.barh(place, share, left=start, height=0.72, color=colour, edgecolor="white", linewidth=0.6)
            start += share
        ax.text(101, place, f"{combination.uniques:.1f} %", va="center", fontsize=8)
    ax.text(101, -0.62, "unique", va="bottom", fontsize=8)
    ax.set_yticks(range(len(rows)), labels=[label for label, _ in rows])
    if result.keys is not None:
        ax.get_yticklabels()[0].set_fontweight("bold")
    ax.set(xlim=(0, 100), ylim=(len(rows) - 0.4, -0.6), xlabel="percent of records")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    handles = [
        ax.barh(0, 0, color=colour, label=label) for colour, label in zip(COLOURS, CLASSES, strict=True)
    ]
    ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=4,
        columnspacing=1.2,
        handlelength=1.1,
    )
    return figure


def _rows(result: Profile) -> list[tuple[str, CombinationProfile]]:
    rows = [] if result.keys is None else [(f"all {len(result.keys.attributes)} keys together", result.keys)]
    return rows + [(" × ".join(shortened(n, 18) for n in c.attributes), c) for c in result.riskiest]


def _shares(c: CombinationProfile) -> tuple[float, float, float, float]:
    return c.uniques, c.below_3 - c.uniques, c.below_5 - c.below_3, 100 - c.below_5
