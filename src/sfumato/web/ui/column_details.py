"""The details of a column in a dialogue: its distribution with numbers, the order of its categories, its hierarchy."""

import csv
import io
import itertools
from collections.abc import Callable
from typing import Any

from nicegui import ui

from sfumato.web.ui import html
from sfumato.web.ui.charts import amount_axis, chart, name_axis
from sfumato.web.ui.fields import lines

Change = Callable[[str, str, Any], None]


def draw_details(column: dict[str, Any], change: Change) -> None:
    """Open a dialogue about a column; `change` is told of what is changed in it."""
    name = column["name"]
    with ui.dialog(value=True) as dialog, ui.element("div").classes("panel details-of-column"):
        dialog.props["aria-label"] = f"Details of {name}"
        dialog.on("hide", dialog.delete)
        html.heading(name)
        html.words(column["because"], kind="faint")
        if column["distribution"] is not None:
            _draw_distribution(column)
        if column["scale"] == "ordinal" and column["categories"]:
            _draw_order(column, change)
        if column["scale"] != "numeric":
            _draw_hierarchy(column, change)
        with html.row():
            html.action("Close", dialog.close, kind="main")


def _draw_distribution(column: dict[str, Any]) -> None:
    shown = column["distribution"]
    labels = shown.get("labels") or _ranges(shown["edges"])
    rows = [(label, f"{share:.1f} %") for label, share in zip(labels, shown["shares"], strict=True)]
    lying = shown["kind"] == "categories"
    names, amounts = name_axis(labels, downwards=lying), amount_axis()
    bars = {
        "type": "bar",
        "data": shown["shares"],
        "itemStyle": {"color": "var(--bar)"},
        "barCategoryGap": "12%",
    }
    drawn = chart(
        {"xAxis": amounts if lying else names, "yAxis": names if lying else amounts, "series": [bars]},
        title=f"Distribution of {column['name']}",
        headings=("Values", "Share of records"),
        rows=rows,
    )
    drawn.style(f"height: {max(9, 2 * len(labels) + 3) if lying else 14}rem")
    html.words(
        "Numbers end at rounded 1st and 99th percentiles; the end bars hold all values beyond. Bars of fewer than "
        "five records are left out or pooled.",
        kind="small faint",
    )


def _ranges(edges: list[float]) -> list[str]:
    return [f"{low:,.4g} to {high:,.4g}" for low, high in itertools.pairwise(edges)]


def _draw_order(column: dict[str, Any], change: Change) -> None:
    def changed(text: str) -> None:
        change(column["name"], "categories", [line.strip() for line in text.splitlines() if line.strip()])

    lines("Categories in their order, one a line", value="\n".join(column["categories"]), on_change=changed)


def _draw_hierarchy(column: dict[str, Any], change: Change) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(column["hierarchy"] or ())
    lines(
        "Hierarchy: one category a line, then what it belongs to, up to one word for all",
        value=out.getvalue(),
        on_change=lambda text: change(column["name"], "hierarchy", text),
        hint="Lleida, Catalonia, Spain\nSoria, Castile, Spain",
        accept=".csv",
    )
    html.words("Methods that recode use it. Changes count when the schema is saved.", kind="small faint")
