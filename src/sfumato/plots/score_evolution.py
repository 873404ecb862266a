"""Score evolution: the best, mean and worst score of the population, generation by generation."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.jobs.evolve_equation import EvolvedEquation
from sfumato.plots._style import FAINT, INK, PALETTE, beside, canvas, panels, short_number, styled
from sfumato.search.histories import thinned
from sfumato.search.run_record import Run, Step

LINES = {"worst": (FAINT, 1.0), "mean": (PALETTE[1], 1.4), "best": (PALETTE[0], 2.0)}
APART = 0.055  # of the height, between two labels


@styled
def score_evolution(result: Run | EvolvedEquation, ax: Axes | None = None) -> Figure:
    """Draw how the scores of the population fell; where a front was sought, also how its volume grew."""
    steps = thinned(result.history)
    if steps[-1].hypervolume is None:
        figure, ax = canvas(ax, height=3.4)
        _draw_scores(ax, steps)
        _finish(ax, steps)
        return figure
    figure, (upper, lower) = panels(ax, 2, 1, height=2.5, ratios=[3, 2])
    _draw_scores(upper, steps)
    volumes = [step.hypervolume or 0.0 for step in steps]
    lower.grid(True)
    lower.plot([step.generation for step in steps], volumes, color=INK, lw=1.6)
    _label(lower, volumes[-1] / lower.get_ylim()[1], f"{volumes[-1]:.1f} %", colour=INK)
    lower.set_ylabel("hypervolume (%)")
    _finish(lower, steps)
    upper.set_xlim(lower.get_xlim())
    return figure


def _draw_scores(ax: Axes, steps: Sequence[Step]) -> None:
    generations = [step.generation for step in steps]
    ax.grid(True)
    ax.fill_between(
        generations, [s.best for s in steps], [s.worst for s in steps], color=PALETTE[0], alpha=0.08, lw=0
    )
    for name, (colour, width) in LINES.items():
        marker = "o" if len(steps) == 1 else ""
        ax.plot(
            generations, [getattr(s, name) for s in steps], color=colour, lw=width, marker=marker, zorder=3
        )
    height = 1.06 * max(max(step.worst for step in steps), 1e-9)
    ax.set_ylim(0, height)
    place = -1.0
    for name in ("best", "mean", "worst"):  # from below, so that the labels stay apart
        value = getattr(steps[-1], name)
        place = max(value / height, place + APART)
        colour = INK if name == "worst" else LINES[name][0]
        _label(ax, place, f"{name} {value:.2f}", colour=colour, bold=name == "best")
    ax.set_ylabel("score (lower is better)")
    ax.set_title(_title(steps[0], steps[-1]), fontweight="normal")


def _finish(ax: Axes, steps: Sequence[Step]) -> None:
    first, last = steps[0].generation, steps[-1].generation
    ax.set_xlim(first, max(last, first + 1))
    ax.xaxis.set_major_formatter(short_number)
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel("generation")


def _label(ax: Axes, place: float, text: str, *, colour: str, bold: bool = False) -> None:
    """Name a line where it ends."""
    weight = "bold" if bold else "normal"
    look = {"va": "center", "color": colour, "fontsize": 8, "fontweight": weight}
    beside(ax, text, (1.0, place), (5, 0), xycoords="axes fraction", **look)


def _title(first: Step, last: Step) -> str:
    fall = f"best score {first.best:.2f} → {last.best:.2f}"
    return f"{fall} in {last.generation:,} generations, {last.evaluations:,} evaluations, {last.seconds:.1f} seconds"
