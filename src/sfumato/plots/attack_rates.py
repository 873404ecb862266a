"""Attack rates: how often each attack succeeds, beside a guess and the same attack without links."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.attacks import AttackResult, Rate
from sfumato.jobs.attack import Attacks
from sfumato.plots._style import FAINT, GRID, INK, RISK, canvas, shortened, styled

# label, colour, marker and place beside the middle of the row
LOOKS = {
    "attack": ("attack on the release", RISK, "o", -0.26),
    "control": ("same attack, columns shuffled", INK, "s", 0.0),
    "baseline": ("guess without the release", FAINT, "D", 0.26),
}
ROW = 0.56  # inches


@styled
def attack_rates(result: AttackResult | Sequence[AttackResult] | Attacks, ax: Axes | None = None) -> Figure:
    """Draw the three rates of each attack in percent, with their 95 % intervals."""
    results = _results(result)
    figure, ax = canvas(ax, height=1.1 + ROW * max(len(results), 1))
    if not results:
        ax.set_axis_off()
        ax.text(0, 0.5, "No attack was made.", transform=ax.transAxes)
        return figure
    for place, (_, found) in enumerate(results):
        for kind in LOOKS:
            _draw(ax, place, kind, getattr(found, kind), labelled=place == 0)
        if place:
            ax.axhline(place - 0.5, color=GRID, lw=0.7)
    ax.set_yticks(range(len(results)), labels=[shortened(name.replace("_", " "), 32) for name, _ in results])
    ax.tick_params(axis="y", length=0, pad=9)  # markers at 0 reach over the edge
    ax.grid(True, axis="x")
    ax.set(xlim=(0, 100), ylim=(len(results) - 0.5, -0.5), xlabel="percent of records (lower is better)")
    ax.spines["left"].set_visible(False)
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=3,
        columnspacing=1.4,
        handletextpad=0.3,
        borderaxespad=0.2,
    )
    return figure


def _draw(ax: Axes, place: int, kind: str, rate: Rate, *, labelled: bool) -> None:
    label, colour, marker, offset = LOOKS[kind]
    height = place + offset
    ax.plot(
        [rate.low, rate.high], [height, height], color=colour, lw=1.6, solid_capstyle="butt", clip_on=False
    )
    ax.plot(
        [rate.value],
        [height],
        marker,
        color=colour,
        ms=5.5 if kind == "attack" else 4.2,
        clip_on=False,
        label=label if labelled else "_",
    )
    if kind == "attack":
        beside = rate.high < 85
        at, align = (rate.high + 1.2, "left") if beside else (rate.low - 1.2, "right")
        ax.text(at, height, f"{rate.value:.1f}", va="center", ha=align, fontsize=8)


def _results(result: AttackResult | Sequence[AttackResult] | Attacks) -> list[tuple[str, AttackResult]]:
    if isinstance(result, AttackResult):
        return [(result.name, result)]
    if isinstance(result, Sequence):
        return [(one.name, one) for one in result]
    return list(result.results.items())
