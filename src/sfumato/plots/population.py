"""Populations of an evolution on the risk-utility map: where every file began, where it ended, what was chosen."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sfumato.jobs import Evolved
from sfumato.plots._style import FAINT, INK, PALETTE, beside, canvas, set_limits, shortened, styled
from sfumato.search.contracts import Individual
from sfumato.search.fitness import Fitness, Nearness
from sfumato.search.maskings.short_names import without_columns
from sfumato.search.pareto import front

START, END = "#8A949E", PALETTE[0]


@styled
def population(result: Evolved, ax: Axes | None = None) -> Figure:
    """Draw the files of the start and of the end by their first two costs; the best corner is the lower left."""
    figure, ax = canvas(ax, height=4.8)
    start, end = result.run.start, result.run.population
    ax.grid(True)
    _draw_ways(ax, start, end)
    _draw_front(ax, start, START)
    _draw_front(ax, end, INK)
    ax.plot(*_places(start), "o", ms=5.5, mfc="white", mec=START, mew=1.3, zorder=3)
    ax.plot(*_places(end), "o", ms=5.5, color=END, alpha=0.8, mew=0, zorder=4)
    _mark_chosen(ax, result.chosen)
    _draw_equal_scores(ax, result)
    set_limits(ax, [one.costs for one in (*start, *end, result.chosen)])
    x, y = _axis_labels(result)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.set_title(_title(result), fontweight="normal")
    ax.legend(handles=_entries(result), loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    return figure


def _places(people: Sequence[Individual[Any]]) -> tuple[list[float], list[float]]:
    return [one.costs[0] for one in people], [one.costs[1] for one in people]


def _follow(start: Sequence[Individual[Any]], end: Sequence[Individual[Any]]) -> bool:
    """Whether each file of the end came from the one at its place of the start."""
    return [one.origin for one in start] == [one.origin for one in end]


def _draw_ways(ax: Axes, start: Sequence[Individual[Any]], end: Sequence[Individual[Any]]) -> None:
    if _follow(start, end):
        ways = [(a.costs[:2], b.costs[:2]) for a, b in zip(start, end, strict=True)]
        ax.add_collection(LineCollection(ways, colors=START, linewidths=0.7, alpha=0.45, zorder=2))


def _draw_front(ax: Axes, people: Sequence[Individual[Any]], colour: str) -> None:
    ax.plot(*_places(front(people)), color=colour, lw=1.2, alpha=0.8, zorder=2)


def _mark_chosen(ax: Axes, chosen: Individual[Any]) -> None:
    place = (chosen.costs[0], chosen.costs[1])
    ax.plot(*place, marker="o", ms=12, mfc="none", mec=INK, mew=1.8, zorder=5)
    paper = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1}
    beside(ax, "released", place, (9, 7), fontweight="bold", zorder=6, bbox=paper)


def _draw_equal_scores(ax: Axes, result: Evolved) -> None:
    """Lines on which the score is that of the best of the start, and that of the release."""
    fitness = result.fitness
    if not isinstance(fitness, Fitness):
        return
    best = min(fitness.score(one.costs) for one in result.run.start)
    for level, colour in ((best, START), (fitness.score(result.chosen.costs), END)):
        ax.plot(*_equal(fitness, level), color=colour, lw=0.9, ls=(0, (4, 3)), alpha=0.8, zorder=1)


def _axis_labels(result: Evolved) -> list[str]:
    """The names of the first two costs, and what more of them means."""
    if isinstance(result.fitness, Nearness):
        return [
            f"{_words(name)} (another sample: 1)  →  less like the original" for name in result.run.objectives
        ]
    senses = ["loss", "risk"]
    if not isinstance(result.fitness, Fitness):
        senses = [measure.sense for measure in result.fitness.measures]
    return [
        f"{_words(name)} (%)  →  {'less useful' if sense == 'loss' else 'less safe'}"
        for name, sense in zip(result.run.objectives[:2], senses, strict=False)
    ]


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _equal(fitness: Fitness, level: float) -> tuple[list[float], list[float]]:
    if fitness.how == "max":
        return [0, level, level], [level, level, 0]
    share = 0.5 if fitness.how == "mean" else fitness.weight
    share = min(max(share, 1e-3), 1 - 1e-3)
    return [0, level / share], [level / (1 - share), 0]


def _entries(result: Evolved) -> list[Line2D]:
    count = len(result.run.start)
    dot: dict[str, Any] = {"marker": "o", "ls": "none", "ms": 6}
    entries = [
        Line2D([], [], mfc="white", mec=START, label=f"start: {count} files", **dot),
        Line2D([], [], color=END, label=f"end: {len(result.run.population)} files", **dot),
    ]
    if _follow(result.run.start, result.run.population):
        entries.append(Line2D([], [], color=START, lw=0.8, label="what became of a file"))
    entries += [
        Line2D([], [], color=START, lw=1.2, label="unbeaten at the start"),
        Line2D([], [], color=INK, lw=1.2, label="unbeaten at the end"),
    ]
    if isinstance(result.fitness, Fitness):
        words = {"max": "larger of the two", "mean": "mean of the two"}.get(result.fitness.how, "weighted")
        entries.append(Line2D([], [], color=FAINT, lw=0.9, ls=(0, (4, 3)), label=f"same score ({words})"))
    return entries


def _title(result: Evolved) -> str:
    names = [name.replace("_", " ") for name in result.run.objectives]
    amount = "{:.3f}" if isinstance(result.fitness, Nearness) else "{:.2f} %"
    told = [f"{n} {amount.format(cost)}" for n, cost in zip(names, result.chosen.costs, strict=True)]
    costs = ", ".join(told)
    return f"released: {costs}\nbegan as {shortened(without_columns(result.chosen.origin), 80)}"
