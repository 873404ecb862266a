"""The verdict: what analysts lose and what intruders get, each with its interval and with what a guess would."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sfumato.jobs import Verdict
from sfumato.measures import HEADLINE_LOSS, Estimate, Score, title
from sfumato.plots._style import FAINT, GRID, INK, LOSS, RISK, beside, canvas, styled

ROW = 0.42  # inches
LEAST = 8.0  # percent that the axis shows at least


@styled
def verdict(result: Verdict, ax: Axes | None = None, *, start: Verdict | None = None) -> Figure:
    """Draw each headline measure in percent; beside it, hollow, that of the best file of the start."""
    rows = [(name, result.scores[name]) for name in (HEADLINE_LOSS, *result.risks) if name in result.scores]
    figure, ax = canvas(ax, height=1.0 + ROW * max(len(rows), 1))
    if not rows:
        ax.set_axis_off()
        ax.text(0, 0.5, "Nothing could be judged.", transform=ax.transAxes)
        return figure
    before = {} if start is None else start.scores
    for place, (name, score) in enumerate(rows):
        _draw(ax, place, score, LOSS if name == HEADLINE_LOSS else RISK, before.get(name))
        if place:
            ax.axhline(place - 0.5, color=GRID, lw=0.7)
    ax.set_yticks(range(len(rows)), labels=[title(name) for name, _ in rows])
    ax.tick_params(axis="y", length=0, pad=9)  # marks at 0 reach over the edge
    ax.grid(True, axis="x")
    highest = max([_high(score) for _, score in rows] + [one.value for one in before.values()] + [LEAST])
    ax.set(
        xlim=(0, min(1.15 * highest, 104)),
        ylim=(len(rows) - 0.5, -0.5),
        xlabel="percent or points (lower is better)",
    )
    ax.spines["left"].set_visible(False)
    ax.legend(
        handles=_entries(bool(before)), loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, borderaxespad=0.2
    )
    return figure


def _draw(ax: Axes, place: int, score: Score, colour: str, before: Score | None) -> None:
    if isinstance(score, Estimate):
        ax.plot(
            [score.low, score.high], [place, place], color=colour, lw=3.2, alpha=0.35, zorder=2, clip_on=False
        )
    if before is not None:
        ax.plot(
            [before.value], [place], "o", ms=5.5, mfc="white", mec=colour, mew=1.2, zorder=3, clip_on=False
        )
    guess = score.parts.get("guess")
    if guess is not None:
        ax.plot([guess, guess], [place - 0.3, place + 0.3], color=FAINT, lw=1.4, zorder=2, clip_on=False)
    ax.plot([score.value], [place], "o", ms=6.5, color=colour, zorder=4, clip_on=False)
    look: dict[str, Any] = {"ha": "left", "va": "center", "color": INK, "annotation_clip": False}
    beside(ax, f"{score.value:.1f}", (_high(score), place), (7, 0), fontsize=8, **look)


def _high(score: Score) -> float:
    return score.high if isinstance(score, Estimate) else score.value


def _entries(with_start: bool) -> list[Line2D]:
    dot: dict[str, Any] = {"marker": "o", "ls": "none"}
    start = [Line2D([], [], ms=5.5, mfc="white", mec=INK, label="best file of the start", **dot)]
    return [
        Line2D([], [], ms=6.5, color=INK, label="the release", **dot),
        *(start if with_start else []),
        Line2D([], [], color=FAINT, lw=3.2, alpha=0.4, label="95 % interval"),
        Line2D([], [], color=FAINT, lw=1.4, label="a guess"),
    ]
