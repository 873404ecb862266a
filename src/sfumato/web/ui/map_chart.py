"""The risk-utility map, drawn while points are found: a click on one leads to its inspection."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from sfumato.web.runs.risk_utility_map import fails
from sfumato.web.ui import html
from sfumato.web.ui.charts import GRID, amount_axis, frame, legend

TITLE = "Information loss and disclosure risk of every candidate; the lower left is best"
ROOM = {**GRID, "top": 64, "bottom": 40, "left": 28}
SHOWN_IN_TABLE = 15
RING = 20  # the size of the mark around the release
OTHERS = ("var(--good)", "var(--risk-2)", "var(--faint)")
OTHER_MARKS = ("diamond", "rect", "triangle")
FAILING, PARTLY = "do not meet what is required", "on some keys only"
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
        best = _best(found)
        if best != self._best:  # whoever stands on a link of the table is not disturbed
            self._best = best
            self._draw_table(found.get("requirements", ()))

    def _draw_table(self, requirements: Sequence[Mapping[str, Any]]) -> None:
        knows_loss = any("analyst_loss" in one for one in self._best)
        headings = [
            "Masking",
            *(["Analysts lose"] if knows_loss else []),
            "Information loss",
            "Disclosure risk",
        ]
        self._table.clear()
        with self._table:
            html.facts(
                [*headings, *(_capital(one["words"]) for one in requirements)],
                [_row(one, requirements, knows_loss=knows_loss) for one in self._best],
                caption="Candidates that no other one beats, those first that lose least and meet what is required",
                figures=range(1, len(headings) + len(requirements)),
                links=[self._address(str(one["point"])) for one in self._best],
            )

    def _click(self, event: Any) -> None:
        points = self._points.get(event.series_name, [])
        if event.data_index < len(points):
            ui.navigate.to(self._address(str(points[event.data_index]["point"])))


def _best(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Those that were asked what takes long to read, the least loss first; then the front, the best balanced first."""
    asked = [one for one in found["candidates"] if "analyst_loss" in one]
    asked.sort(key=lambda one: (fails(one), one["analyst_loss"]))
    rest = [one for one in found["front"] if one not in asked]
    rest.sort(key=lambda one: max(one["loss"], one["risk"]))
    return [*asked[: SHOWN_IN_TABLE // 2], *rest][:SHOWN_IN_TABLE]


def _row(
    one: Mapping[str, Any], requirements: Sequence[Mapping[str, Any]], *, knows_loss: bool
) -> tuple[str, ...]:
    read = {gate["gate"]: gate for gate in one.get("gates", ())}
    lost = f"{one['analyst_loss']:.2f} %" if "analyst_loss" in one else "not asked"
    return (
        one["label"],
        *((lost,) if knows_loss else ()),
        f"{one['loss']:.2f} %",
        f"{one['risk']:.2f} %",
        *(_reading(read.get(wanted["gate"])) for wanted in requirements),
    )


def _reading(gate: Mapping[str, Any] | None) -> str:
    """What a requirement reads of a candidate.

    >>> _reading({"reading": 3.25, "holds": False}), _reading({"reading": 7.0, "holds": True}), _reading(None)
    ('3.25, not met', '7, met', 'not asked')
    """
    if gate is None:
        return "not asked"
    value = "unknown" if gate["reading"] is None else f"{gate['reading']:.3g}"
    return f"{value}, {'met' if gate['holds'] else 'not met'}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _frame() -> dict[str, Any]:
    return {
        **frame(TITLE),
        "grid": ROOM,
        "legend": {**legend(), "type": "scroll", "selected": {PARTLY: False}},
        "xAxis": {**amount_axis("information loss: to the right, less useful"), "min": 0},
        "yAxis": {**amount_axis("disclosure risk: upwards, less safe"), "min": 0, "nameGap": 44},
        "series": [],
    }


def _points_by_series(found: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The points that can be clicked, by the name of the series they are drawn in."""
    release = [found["release"]] if found["release"] else []
    return {
        FAILING: found["failing"],
        "candidates": _meeting(found),
        "not beaten": found["front"],
        "release": release,
    }


def _meeting(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [one for one in found["candidates"] if not fails(one)]


def _series(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    release = [found["release"]] if found["release"] else []
    return [
        # these lose less because some keys stay as they are: shown on a click in the legend alone
        _dots(PARTLY, found["on_some_keys"], "circle", 6, "var(--faint)", hollow=True),
        _dots(FAILING, found["failing"], "circle", 8, "var(--bar)", hollow=True),
        _dots("candidates", _meeting(found), "circle", 9, "var(--bar)"),
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
