"""The risk-utility map, drawn while points are found: a click on one leads to its inspection."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from sfumato.web.ui import html
from sfumato.web.ui.charts import GRID, amount_axis, frame, legend

TITLE = "Information loss and disclosure risk of every candidate; the lower left is best"
ROOM = {**GRID, "top": 64, "bottom": 40, "left": 28}
SHOWN_IN_TABLE = 15
RING = 20  # the size of the mark around the release
OTHERS = ("var(--good)", "var(--risk-2)", "var(--faint)")
OTHER_MARKS = ("diamond", "rect", "triangle")
BELOW = 1  # the level of what cannot be inspected: a click goes to the points above it

Address = Callable[[str], str]


class MapChart:
    """The chart of one run, with the fronts of others beside it; `address` is where a point is looked into."""

    def __init__(self, *, address: Address) -> None:
        self._address = address
        self._points: dict[str, list[dict[str, Any]]] = {}
        self._best: list[dict[str, Any]] = []
        with ui.element("figure").classes("chart map") as figure:
            figure.props["aria-label"] = TITLE
            self._chart = ui.echart(_frame(), renderer="svg")
            self._chart.on_point_click(self._click)
            with html.more("The best of them as a table"):
                self._table = ui.element("div")

    def show(self, found: Mapping[str, Any], beside: Sequence[Mapping[str, Any]] = ()) -> None:
        self._points = _points_by_series(found)
        self._chart.options["series"] = [one for one in (*_series(found), *_beside(beside)) if one["data"]]
        self._chart.update()
        best = sorted(found["front"], key=lambda one: max(one["loss"], one["risk"]))[:SHOWN_IN_TABLE]
        if best != self._best:  # whoever stands on a link of the table is not disturbed
            self._best = best
            self._draw_table()

    def _draw_table(self) -> None:
        self._table.clear()
        with self._table:
            html.facts(
                ("Masking", "Information loss", "Disclosure risk"),
                [(one["label"], f"{one['loss']:.2f} %", f"{one['risk']:.2f} %") for one in self._best],
                caption="Candidates that no other one beats, the best balanced first",
                figures=(1, 2),
                links=[self._address(str(one["point"])) for one in self._best],
            )

    def _click(self, event: Any) -> None:
        points = self._points.get(event.series_name, [])
        if event.data_index < len(points):
            ui.navigate.to(self._address(str(points[event.data_index]["point"])))


def _frame() -> dict[str, Any]:
    return {
        **frame(TITLE),
        "grid": ROOM,
        "legend": {**legend(), "type": "scroll"},
        "xAxis": {**amount_axis("information loss: to the right, less useful"), "min": 0},
        "yAxis": {**amount_axis("disclosure risk: upwards, less safe"), "min": 0, "nameGap": 44},
        "series": [],
    }


def _points_by_series(found: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The points that can be clicked, by the name of the series they are drawn in."""
    release = [found["release"]] if found["release"] else []
    return {"candidates": found["candidates"], "not beaten": found["front"], "release": release}


def _series(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    release = [found["release"]] if found["release"] else []
    return [
        _dots("on some keys only", found["on_some_keys"], "circle", 6, "var(--faint)", hollow=True),
        _dots("candidates", found["candidates"], "circle", 9, "var(--bar)"),
        {
            **_dots("not beaten", found["front"], "circle", 10, "var(--loss)"),
            "type": "line",
            "step": "end",
            "lineStyle": {"color": "var(--loss)", "width": 1.5},
        },
        {
            **_dots("evolution", found["evolved"], "circle", 4, "var(--accent)"),
            "type": "line",
            "lineStyle": {"color": "var(--accent)", "width": 2},
            "z": BELOW,
        },
        _dots("release", release, "circle", RING, "var(--risk)", hollow=True),
    ]


def _beside(others: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The fronts of other runs, and where they ended."""
    return [
        {
            **_dots(
                other["label"],
                [*other["front"], *([other["release"]] if other["release"] else [])],
                mark,
                9,
                colour,
                hollow=True,
            ),
            "z": BELOW,
        }
        for other, colour, mark in zip(others, OTHERS, OTHER_MARKS, strict=False)
    ]


def _dots(
    name: str,
    points: Sequence[Mapping[str, Any]],
    symbol: str,
    size: int,
    colour: str,
    *,
    hollow: bool = False,
) -> dict[str, Any]:
    return {
        "name": name,
        "type": "scatter",
        "symbol": symbol,
        "symbolSize": size,
        "itemStyle": {
            "color": "transparent" if hollow else colour,
            "borderColor": colour,
            "borderWidth": 3 if size >= RING else 1.5,
        },
        "data": [
            {"value": [round(one["loss"], 3), round(one["risk"], 3)], "name": one["label"]} for one in points
        ],
    }
