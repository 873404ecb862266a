"""Operator analytics: six views of what the operators of GOMM did, generation by generation."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sfumato.plots._style import FAINT, INK, PALETTE, panels, styled
from sfumato.search.grouping.operator_analytics import GenerationStep, OperatorAnalytics, OperatorStep

WINDOW = 5  # generations that a line is averaged over: one makes few children
COLOURS = {
    "crossover": PALETTE[7],
    "group_create": PALETTE[1],
    "group_eliminate": PALETTE[5],
    "group_split": PALETTE[3],
    "element_swap": PALETTE[0],
    "element_move": PALETTE[2],
}

View = Callable[[OperatorStep], float]


@styled
def operator_analytics(result: OperatorAnalytics, ax: Axes | None = None) -> Figure:
    """Draw utilisation, lifetime, efficacy and efficiency of each operator, the best score and the groups."""
    figure, axes = panels(ax, 3, 2, height=2.25)
    unused, lifetime, efficacy, efficiency, best, groups = axes
    _draw(unused, result, "Utilisation: children never used (%)", lambda step: step.unused)
    unused.set_ylim(0, 103)
    _draw(lifetime, result, "Lifetime of children (generations)", lambda step: step.lifetime)
    lifetime.set_ylim(bottom=0)
    title = "Efficacy: children better ↑ and worse ↓ (%)"
    _draw(efficacy, result, title, lambda step: 100 * step.improved / step.children)
    _draw(efficacy, result, title, lambda step: -100 * step.worsened / step.children)
    title = "Efficiency: gain ↑ and loss ↓ (%, dotted: extremes)"
    _draw(efficiency, result, title, lambda step: step.mean_gain)
    _draw(efficiency, result, title, lambda step: -step.mean_loss)
    _draw(efficiency, result, title, lambda step: step.best_gain, extreme=True)
    _draw(efficiency, result, title, lambda step: -step.worst_loss, extreme=True)
    for place in (efficacy, efficiency):
        place.axhline(0, color=INK, lw=0.8)
        place.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    _draw_best(best, result.generations)
    _draw_groups(groups, result.generations)
    last = max(result.generations[-1].generation, 1)
    for place in axes:
        place.set_xlim(0, last)
        place.locator_params(axis="x", integer=True)
    for place in (best, groups):
        place.set_xlabel("generation")
    figure.legend(handles=_entries(result.operators), loc="outside upper center", ncols=6, fontsize=8)
    return figure


def _draw(ax: Axes, result: OperatorAnalytics, title: str, view: View, *, extreme: bool = False) -> None:
    ax.grid(True)
    for operator in result.operators:
        steps = result.of(operator)
        values = smoothed([view(step) for step in steps])
        look: dict[str, Any] = {"marker": "o", "ms": 3} if len(steps) == 1 else {}
        look |= {"ls": ":", "lw": 0.8} if extreme else {"lw": 1.3}
        ax.plot([step.generation for step in steps], values, color=_colour(operator), **look)
    ax.set_title(title, fontsize=8.5)


def smoothed(values: Sequence[float], window: int = WINDOW) -> list[float]:
    """The mean of each value and those next to it, as many on either side as the window and the ends allow.

    >>> smoothed([0.0, 3.0, 6.0, 0.0, 0.0], 3)
    [1.5, 3.0, 3.0, 2.0, 0.0]
    """
    half = window // 2
    return [float(np.mean(values[max(i - half, 0) : i + half + 1])) for i in range(len(values))]


def _draw_best(ax: Axes, steps: Sequence[GenerationStep]) -> None:
    ax.grid(True)
    ax.plot([step.generation for step in steps], [step.best for step in steps], color=INK, lw=1.8)
    ax.set_title(f"Best score: {steps[0].best:.2f} → {steps[-1].best:.2f}", fontsize=8.5)


def _draw_groups(ax: Axes, steps: Sequence[GenerationStep]) -> None:
    generations = [step.generation for step in steps]
    ax.grid(True)
    ax.plot(generations, [step.mean_groups for step in steps], color=FAINT, lw=1.5, label="mean of all")
    ax.step(generations, [step.best_groups for step in steps], color=INK, lw=1.8, where="post", label="best")
    ax.set_ylim(bottom=0)
    ax.set_title("Number of groups", fontsize=8.5)
    ax.legend(loc="upper right")


def _colour(operator: str) -> str:
    return COLOURS.get(operator, FAINT)


def _entries(operators: Sequence[str]) -> list[Line2D]:
    return [Line2D([], [], color=_colour(name), lw=2, label=name.replace("_", " ")) for name in operators]
