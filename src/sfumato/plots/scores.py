"""Scores: what a masked file lost and what risk remains, one bar per measure."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.jobs.evaluate import Evaluation
from sfumato.plots._style import FAINT, LOSS, RISK, canvas, shortened, styled

TITLES = {"loss": "Information loss", "risk": "Disclosure risk", "score": "Score"}
COLOURS = {"loss": LOSS, "risk": RISK, "score": FAINT}
SUMMARIES = ("information loss", "disclosure risk")
ROW = 0.3  # inches


@styled
def scores(result: Evaluation, ax: Axes | None = None) -> Figure:
    """Draw the value of every measure as a bar, losses above risks, in percent; shorter is better."""
    rows = _rows(result)
    figure, ax = canvas(ax, height=0.9 + ROW * len(rows))
    longest = max([abs(value) for _, _, value in rows if value is not None], default=0) or 1
    ax.grid(True, axis="x")
    for place, (kind, label, value) in enumerate(rows):
        if value is None:
            continue
        ax.barh(place, value, height=0.68, color=COLOURS[kind], alpha=1.0 if label in SUMMARIES else 0.6)
        ax.text(max(value, 0) + 0.01 * longest, place, f"{value:.1f}", va="center", fontsize=8)
    ax.axvline(0, color=FAINT, lw=0.8)
    ax.set_yticks(range(len(rows)), labels=[label for _, label, _ in rows])
    for (_, _, value), tick in zip(rows, ax.get_yticklabels(), strict=True):
        tick.set_fontweight("bold" if value is None else "normal")
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(right=1.08 * longest)
    ax.set_xlabel("percent (lower is better)")
    ax.spines["left"].set_visible(False)
    return figure


def _rows(result: Evaluation) -> list[tuple[str, str, float | None]]:
    """A heading for each sense that occurs, then its measures."""
    rows: list[tuple[str, str, float | None]] = []
    for kind, title in TITLES.items():
        names = [name for name in result.scores if result.senses[name] == kind]
        if names:
            rows.append((kind, title, None))
            rows += [
                (kind, shortened(name.replace("_", " "), 32), result.scores[name].value) for name in names
            ]
    return rows
