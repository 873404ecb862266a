"""Signals of a group: one number per place, drawn over all places, with those that stand out marked."""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from sfumato.web.ui.charts import GRID, above, amount_axis, chart, legend, name_axis

BARS_UP_TO = 60  # places; more are drawn as lines
STANDS_OUT = "stands out"
COLOURS = ("var(--bar)", "var(--good)")
MARK = {
    "show": True,
    "position": "top",
    "distance": 2,
    "formatter": "◆",
    "color": "var(--risk)",
    "fontSize": 13,
}


def signal_chart(
    rows: Sequence[Mapping[str, Any]], lines: Mapping[str, tuple[str, str]], *, kind: str, title: str
) -> ui.echart:
    """The signals of some rows: for each name, the key of its value and that of its being an outlier."""
    share = kind == "concentration"
    places = [str(row["place"]) for row in rows]
    draw = _bars if len(rows) <= BARS_UP_TO else _line
    series = [
        draw(name, [(_amount(row[value], share), bool(row[outlier])) for row in rows], colour)
        for (name, (value, outlier)), colour in zip(lines.items(), COLOURS, strict=False)
    ]
    return chart(
        {
            "grid": {**GRID, "top": 54, "bottom": 34},
            "legend": legend(),
            "tooltip": {"confine": True, "trigger": "axis"},
            "xAxis": name_axis(places, "place"),
            "yAxis": _axis(share),
            "series": [*series, _mark_in_legend()],
        },
        title=title,
        headings=("Place", *lines, "Stands out"),
        rows=[
            (
                str(row["place"]),
                *(_written(row[value], share) for value, _ in lines.values()),
                ", ".join(name for name, (_, outlier) in lines.items() if row[outlier]),
            )
            for row in rows
        ],
    )


def _axis(share: bool) -> dict[str, Any]:
    if share:
        return {**amount_axis(), **above("share of the place")}
    return {**amount_axis(unit=""), **above("members of the group")}


def _bars(name: str, amounts: list[tuple[float, bool]], colour: str) -> dict[str, Any]:
    return {
        "name": name,
        "type": "bar",
        "barGap": "5%",
        "barCategoryGap": "30%",
        "itemStyle": {"color": colour},
        "data": [{"value": value, "label": MARK if stands else {"show": False}} for value, stands in amounts],
    }


def _line(name: str, amounts: list[tuple[float, bool]], colour: str) -> dict[str, Any]:
    """A line; only values that stand out have a symbol, which carries the mark."""
    return {
        "name": name,
        "type": "line",
        "showAllSymbol": True,
        "lineStyle": {"color": colour, "width": 1.5},
        "itemStyle": {"color": colour},
        "data": [
            {"value": value, "symbolSize": 5, "label": MARK} if stands else {"value": value, "symbolSize": 0}
            for value, stands in amounts
        ],
    }


def _mark_in_legend() -> dict[str, Any]:
    return {
        "name": STANDS_OUT,
        "type": "scatter",
        "symbol": "diamond",
        "itemStyle": {"color": "var(--risk)"},
        "data": [],
    }


def _amount(value: float, share: bool) -> float:
    return round(100 * value, 3) if share else round(value, 2)


def _written(value: float, share: bool) -> str:
    return f"{100 * value:.2f} %" if share else f"{value:,.6g}"
