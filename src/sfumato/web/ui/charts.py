"""Charts: ECharts drawn as SVG in the colours of the theme, each with its numbers as a table one click away."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from nicegui import ui

from sfumato.web.ui import html

LABEL = {"color": "var(--ink)"}
NARROW, WIDE = 70, 130  # pixels of a name that lies beside others, and of one with room; the rest is cut off
LYING_UP_TO = 4  # names beside each other; more are turned
GRID = {"left": 8, "right": 24, "top": 36, "bottom": 8, "containLabel": True}


def chart(
    options: Mapping[str, Any],
    *,
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    renderer: Literal["svg", "canvas"] = "svg",
) -> ui.echart:
    """A chart with the same numbers as a table one click away.

    It is drawn as SVG, so that colours may be those of the theme, such as `var(--risk)`. A canvas knows only fixed
    colours, but draws thousands of marks quickly.
    """
    with ui.element("figure").classes("chart") as figure:
        figure.props["aria-label"] = title
        drawn = ui.echart({**frame(title), **options}, renderer=renderer)
        with html.more("The same numbers as a table"):
            html.facts(headings, rows, caption=title, figures=range(1, len(headings)))
    return drawn


def frame(title: str) -> dict[str, Any]:
    """What all charts have in common."""
    return {
        "aria": {"enabled": True, "label": {"description": title}},
        "animation": False,
        "textStyle": {**LABEL, "fontFamily": "Roboto, sans-serif"},
        "tooltip": {"confine": True},
        "grid": GRID,
    }


def percent_bars(
    shares: Mapping[str, float], *, title: str, headings: Sequence[str], colour: str, digits: int
) -> ui.echart:
    """Bars that lie under each other, each with its number, from 0 to 100 %."""
    bars = {
        "type": "bar",
        "data": list(shares.values()),
        "barMaxWidth": 22,
        "itemStyle": {"color": colour},
        "label": {"show": True, "position": "right", "formatter": "{c} %", **LABEL},
    }
    return chart(
        {
            "grid": {**GRID, "top": 8, "right": 60},
            "xAxis": {**amount_axis(), "max": 100},
            "yAxis": name_axis(list(shares), downwards=True),
            "series": [bars],
        },
        title=title,
        headings=headings,
        rows=[(name, f"{value:.{digits}f} %") for name, value in shares.items()],
    )


def colour_scale(low: float, high: float, colours: Sequence[str], *, ends: Sequence[str]) -> dict[str, Any]:
    """The colours of numbers from low to high, as a bar under the chart with a word at either end."""
    return {
        "min": low,
        "max": high,
        "orient": "horizontal",
        "left": "center",
        "bottom": 0,
        "itemWidth": 12,
        "textStyle": {"color": "var(--faint)"},
        "text": ends,
        "inRange": {"color": colours},
    }


def amount_axis(name: str = "", *, unit: str = "%") -> dict[str, Any]:
    """An axis of numbers, in percent unless another unit is given."""
    shown = f"{{value}} {unit}" if unit else "{value}"
    return {
        "type": "value",
        "axisLabel": {**LABEL, "formatter": shown},
        "splitLine": {"lineStyle": {"color": "var(--line)"}},
        **_named(name),
    }


def name_axis(labels: Sequence[str], name: str = "", *, downwards: bool = False) -> dict[str, Any]:
    """An axis of names; `downwards` puts the first one on top."""
    return {
        "type": "category",
        "data": list(labels),
        "inverse": downwards,
        "axisLabel": LABEL,
        "axisLine": {"lineStyle": {"color": "var(--faint)"}},
        **_named(name),
    }


def whole_names(labels: Sequence[str], *, beside: bool = True) -> dict[str, Any]:
    """Labels of an axis that shows every name; many beside each other are turned."""
    turned = beside and len(labels) > LYING_UP_TO
    width = NARROW if beside and not turned else WIDE
    return {**LABEL, "interval": 0, "width": width, "overflow": "truncate", "rotate": 50 if turned else 0}


def legend() -> dict[str, Any]:
    return {"top": 0, "left": 0, "itemWidth": 16, "textStyle": LABEL}


def above(name: str) -> dict[str, Any]:
    """The name of an upright axis, above it, where numbers of any length leave it room."""
    style = {"color": "var(--faint)", "align": "left"}
    return {"name": name, "nameLocation": "end", "nameGap": 8, "nameTextStyle": style}


def _named(name: str) -> dict[str, Any]:
    faint = {"color": "var(--faint)"}
    return {"name": name, "nameLocation": "middle", "nameGap": 30, "nameTextStyle": faint} if name else {}
