"""Charts of one masked version: distributions and correlations before and after, attackers, the verdict."""

import itertools
from collections.abc import Sequence
from typing import Any

from nicegui import ui

from sfumato.web.ui import html
from sfumato.web.ui.charts import GRID, amount_axis, chart, colour_scale, legend, name_axis, whole_names

MOST_COLUMNS = 24
BEFORE, AFTER = {"color": "var(--bar)"}, {"color": "var(--risk)"}
SPREAD = ("#b2182b", "#f7f7f7", "#2166ac")  # minus, none, plus


def draw_columns(columns: Sequence[dict[str, Any]]) -> None:
    about = "How the values of each column are distributed."
    with html.panel("Before and after", about=about), ui.element("div").classes("columns small-charts"):
        for column in columns[:MOST_COLUMNS]:
            with ui.element("div"):
                html.heading(column["name"], level=3)
                _draw_column(column)


def _draw_column(column: dict[str, Any]) -> None:
    of_categories = column["kind"] == "categories"
    labels = column["labels"] if of_categories else _bin_names(column["edges"])
    shares = {"before": column["before"], "after": column["after"]}
    drawn = chart(
        {
            "grid": {**GRID, "top": 30, "right": 40},
            "legend": legend(),
            "tooltip": {"confine": True, "trigger": "axis"},
            **(_lying(labels) if of_categories else {"xAxis": name_axis(labels), "yAxis": amount_axis()}),
            "series": [
                {
                    "name": name,
                    "type": "bar",
                    "data": [round(x, 3) for x in values],
                    "itemStyle": style,
                    "barGap": "0%",
                    "barMaxWidth": 40,
                }
                for (name, values), style in zip(shares.items(), (BEFORE, AFTER), strict=True)
            ],
        },
        title=f"Share of records by {column['name']}, before and after",
        headings=(column["name"], "Before", "After"),
        rows=[
            (label, f"{a:.2f} %", f"{b:.2f} %")
            for label, a, b in zip(labels, column["before"], column["after"], strict=True)
        ],
    )
    if of_categories:
        drawn.style(f"height: {max(5 + 1.3 * len(labels), 15):.1f}rem")


def _lying(names: Sequence[str]) -> dict[str, Any]:
    """Axes of bars that lie under each other, which leaves room for their names."""
    named = {**name_axis(names, downwards=True), "axisLabel": whole_names(names, beside=False)}
    return {"xAxis": {**amount_axis(), "splitNumber": 4}, "yAxis": named}


def _bin_names(edges: Sequence[float]) -> list[str]:
    """What lies between two edges; bins of whole numbers are called by the first and the last of them.

    >>> _bin_names([-0.5, 3.5, 7.5]), _bin_names([0.5, 1.5]), _bin_names([0.25, 12_500])
    (['0 – 3', '4 – 7'], ['1'], ['0.25 – 12,500'])
    """
    pairs = list(itertools.pairwise(edges))
    if all(edge % 1 == 0.5 for edge in edges):
        pairs = [(low + 0.5, high - 0.5) for low, high in pairs]
    return [" – ".join(dict.fromkeys(map(_written, pair))) for pair in pairs]


def _written(edge: float) -> str:
    return f"{edge:,.0f}" if abs(edge) >= 1000 else f"{edge:.4g}"


def draw_correlations(pair: dict[str, Any]) -> None:
    """Correlations of the numeric keys before, after, and their difference."""
    names = pair["correlated"]
    if len(names) < 2:
        return
    difference = [
        [None if a is None or b is None else b - a for a, b in zip(*rows, strict=True)]
        for rows in zip(pair["before"], pair["after"], strict=True)
    ]
    shown = {"Before": pair["before"], "After": pair["after"], "After minus before": difference}
    about = "Of the numeric keys; what analysts of the release will see."
    with html.panel("Correlations", about=about), ui.element("div").classes("columns small-charts"):
        for title, matrix in shown.items():
            with ui.element("div"):
                html.heading(title, level=3)
                _draw_matrix(names, matrix, f"Correlations of the numeric keys: {title.lower()}")


def _draw_matrix(names: Sequence[str], matrix: Sequence[Sequence[float | None]], title: str) -> None:
    cells = [
        [column, row, None if value is None else round(value, 3)]
        for row, line in enumerate(matrix)
        for column, value in enumerate(line)
    ]
    drawn = chart(
        {
            "grid": {**GRID, "top": 8, "bottom": 44},
            "xAxis": {**name_axis(names), "axisLabel": whole_names(names)},
            "yAxis": {**name_axis(names, downwards=True), "axisLabel": whole_names(names, beside=False)},
            "visualMap": {
                **colour_scale(-1, 1, SPREAD, ends=("1", "−1")),
                "precision": 1,
                "itemHeight": 110,
            },
            "series": [{"name": "correlation", "type": "heatmap", "data": cells}],
        },
        title=title,
        headings=("", *names),
        rows=[
            (name, *("" if value is None else f"{value:.2f}" for value in line))
            for name, line in zip(names, matrix, strict=True)
        ],
    )
    drawn.style(f"height: {min(12 + 1.3 * len(names), 40):.1f}rem")


def draw_verdict(found: dict[str, Any]) -> None:
    """What people and models say that no search ever used."""
    html.heading("The verdict", level=3)
    for sentence in found["sentences"]:
        html.words(sentence)
    html.facts(
        ("Measure", "Value", "95 % interval"),
        [
            (
                one["title"],
                f"{one['value']:.1f}",
                "{:.1f} to {:.1f}".format(*one["interval"]) if one["interval"] else "",
            )
            for one in found["scores"]
        ],
        caption="The verdict in numbers (lower is better)",
        figures=(1, 2),
    )
    for sentence in found["notes"]:
        html.words(sentence, kind="small faint")
