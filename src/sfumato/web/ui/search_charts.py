"""Charts of a search: how its score fell, and the compromises of loss and risk it found."""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from sfumato.web.ui.charts import GRID, above, amount_axis, chart, legend

Point = Mapping[str, Any]

ROOM = {**GRID, "top": 44, "bottom": 34}
MARKS = (
    ("circle", 8, "var(--loss)"),
    ("circle", 16, "var(--accent)"),
    ("rect", 14, "var(--risk)"),
    ("triangle", 15, "var(--risk)"),
    ("diamond", 15, "var(--good)"),
)


def score_chart(history: Sequence[Point]) -> ui.echart:
    """The best score of each generation, and the mean of those that live where that is another."""
    lines = _lines(history)
    return chart(
        score_options(history),
        title="Score by generation; lower is better",
        headings=("Generation", *lines.values()),
        rows=[(str(step["generation"]), *(f"{step[key]:.3f}" for key in lines)) for step in history],
    )


def score_options(history: Sequence[Point]) -> dict[str, Any]:
    looks = {"best": ("var(--accent)", "solid"), "mean": ("var(--faint)", "dashed")}
    series = [
        {
            "name": name,
            "type": "line",
            "symbol": "circle",
            "showSymbol": len(history) < 30,
            "symbolSize": 6,
            "lineStyle": {"color": looks[key][0], "type": looks[key][1], "width": 2},
            "itemStyle": {"color": looks[key][0]},
            "data": [[step["generation"], round(step[key], 3)] for step in history],
        }
        for key, name in _lines(history).items()
    ]
    return {
        "animation": False,
        "grid": {**ROOM, "top": 54},
        "legend": legend(),
        "tooltip": {"confine": True, "trigger": "axis"},
        "xAxis": {**amount_axis("generation", unit=""), "minInterval": 1, "splitLine": {"show": False}},
        "yAxis": {**amount_axis(unit=""), **above("score: lower is better"), "scale": True},
        "series": series,
    }


def _lines(history: Sequence[Point]) -> dict[str, str]:
    differs = any(step.get("mean") not in (None, step["best"]) for step in history)
    return {"best": "best", "mean": "mean of all"} if differs else {"best": "best"}


def compromise_chart(sets: Mapping[str, Sequence[Point]], *, title: str) -> ui.echart:
    """Loss against risk of several sets of points, each with a mark of its own; the first is joined by a line."""
    series = [
        {
            "name": name,
            "type": "scatter" if place else "line",
            "step": "end",
            "symbol": symbol,
            "symbolSize": size,
            "showSymbol": True,
            "lineStyle": {"color": "var(--faint)", "width": 1},
            "itemStyle": {
                "color": "transparent" if place else colour,
                "borderColor": colour,
                "borderWidth": 2 if place else 0,
            },
            "z": 3 + place,
            "data": [_place(point, name) for point in points],
        }
        for place, ((name, points), (symbol, size, colour)) in enumerate(
            zip(sets.items(), MARKS, strict=False)
        )
    ]
    return chart(
        {
            "grid": {**ROOM, "left": 24},
            "legend": legend(),
            "xAxis": {**amount_axis("information loss: to the right, less useful"), "scale": True},
            "yAxis": {**amount_axis("disclosure risk: upwards, less safe"), "nameGap": 48, "scale": True},
            "series": series,
        },
        title=title,
        headings=("Which", "Information loss", "Disclosure risk"),
        rows=[
            (str(point.get("label", name)), f"{point['loss']:.2f} %", f"{point['risk']:.2f} %")
            for name, points in sets.items()
            for point in points
        ],
    )


def _place(point: Point, name: str) -> dict[str, Any]:
    return {"value": [round(point["loss"], 3), round(point["risk"], 3)], "name": point.get("label", name)}
