"""The table of columns: each with its distribution, controls for what the schema says about it, and its details."""

import asyncio
import csv
import io
import itertools
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from nicegui import ui

from sfumato.data import ROLES, SCALES
from sfumato.web.ui import html
from sfumato.web.ui.charts import amount_axis, chart, name_axis
from sfumato.web.ui.fields import Field, choice, entry, lines

Change = Callable[[str, str, Any], None]

HEADINGS = (
    "Column",
    "Distribution",
    "Scale",
    "Role",
    "Missing codes",
    "Missing",
    "Distinct",
    "Why, and doubts",
    "",
)
AT_FIRST = 60  # columns drawn before somebody asks for all
WIDTH, HEIGHT, GAP = 150, 34, 0.15  # of the small bars


class ColumnTable:
    """Draws the columns and remembers what was changed: `changes` by column, as the question `schema` takes it.

    Changes that were made before stand in the fields; `on_change` is told of every further one.
    """

    def __init__(
        self,
        columns: list[dict[str, Any]],
        *,
        changes: dict[str, dict[str, Any]] | None = None,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.changes: dict[str, dict[str, Any]] = dict(changes or {})
        self._on_change = on_change
        self._columns = columns
        self._complaints: dict[str, ui.html] = {}
        self._fields: dict[str, list[Field]] = {}
        with (
            ui.element("div")
            .classes("scrolling")
            .props('tabindex=0 role=region aria-label="Columns of the file"'),
            ui.element("table").classes("facts columns-of-file"),
        ):
            self._draw_head()
            self._body = ui.element("tbody")
        self._rest = ui.element("div")

    async def draw(self) -> None:
        """Draw the rows; of very many columns only the first, with an offer to draw all."""
        await self._draw_rows(self._columns[:AT_FIRST])
        if len(self._columns) > AT_FIRST:
            with self._rest:
                html.action(f"Show all {len(self._columns)} columns", self._draw_rest)

    async def _draw_rest(self) -> None:
        self._rest.clear()
        await self._draw_rows(self._columns[AT_FIRST:])

    async def _draw_rows(self, columns: list[dict[str, Any]]) -> None:
        for column in columns:
            with self._body:
                self._draw_row(column)
            await asyncio.sleep(0)  # others are served between two rows

    def change(self, column: str, part: str, value: Any) -> None:
        self.changes.setdefault(column, {})[part] = value
        self._on_change()

    def complain(self, complaints: dict[str, str]) -> None:
        """Show what is wrong beside the columns it is about."""
        for name, shown in self._complaints.items():
            shown.set_content(escape(complaints.get(name, "")))
            for field in self._fields[name]:
                field.complain(name in complaints)

    def _draw_head(self) -> None:
        with ui.element("thead"), ui.element("tr"):
            for text in HEADINGS:
                head = html.words(text, tag="th" if text else "td").props("scope=col" if text else "")
                if text in ("Missing", "Distinct"):
                    head.classes("figure")

    def _draw_row(self, column: dict[str, Any]) -> None:
        name = column["name"]
        with ui.element("tr"):
            with ui.element("th").props("scope=row"):
                html.words(name, tag="span")
                if column["label"]:
                    html.words(column["label"], tag="div", kind="faint small")
            with ui.element("td"):
                ui.html(small_picture(column), sanitize=False)
            with ui.element("td"):
                scale = self._choice(f"Scale of {name}", SCALES, column, "scale")
            with ui.element("td"):
                role = self._choice(f"Role of {name}", ROLES, column, "role")
            with ui.element("td"):
                codes = self._codes(column)
            html.words(f"{column['missing']:.1f} %", tag="td", kind="figure")
            html.words(f"{column['distinct']:,}", tag="td", kind="figure")
            with ui.element("td").classes("because"):
                html.words("; ".join([column["because"], *column["doubts"]]), tag="span", kind="small faint")
                self._complaints[name] = html.words("", tag="div", kind="complaint").props("role=alert")
            with ui.element("td"):
                opening = html.action("Details", lambda: _draw_details(column, self.change), kind="plain")
                opening.props["aria-label"] = f"Details of {name}"
        self._fields[name] = [scale, role, codes]

    def _choice(self, label: str, options: tuple[str, ...], column: dict[str, Any], part: str) -> Field:
        def changed(value: str) -> None:
            self.change(column["name"], part, value)

        value = str(self._changed(column["name"], part, column[part]))
        return choice(label, options, value=value, on_change=changed, bare=True)

    def _changed(self, column: str, part: str, value: Any) -> Any:
        """What a part of a column was changed to, else what it is."""
        return self.changes.get(column, {}).get(part, value)

    def _codes(self, column: dict[str, Any]) -> Field:
        def changed(text: str) -> None:
            codes = [code.strip() for code in text.split(",") if code.strip()]
            self.change(column["name"], "missing", codes)

        codes = self._changed(column["name"], "missing", column["missing_codes"])
        label, value = f"Missing codes of {column['name']}", ", ".join(codes)
        return entry(label, value=value, on_change=changed, hint="none", bare=True, width=9)


def small_picture(column: dict[str, Any]) -> str:
    """The distribution of a column as small bars."""
    shown = column["distribution"]
    if shown is None:
        return '<span class="faint small">not drawn</span>'
    return _small_bars(shown["shares"], label=_in_words(column))


def _in_words(column: dict[str, Any]) -> str:
    shown = column["distribution"]
    if shown["kind"] == "bins":
        low, high = shown["edges"][0], shown["edges"][-1]
        return f"Most values from {low:,.4g} to {high:,.4g}, median {shown['median']:,.4g}."
    largest = max(range(len(shown["shares"])), key=shown["shares"].__getitem__, default=None)
    if largest is None:
        return "No values."
    return f"{column['distinct']} categories, most often {shown['labels'][largest]} ({shown['shares'][largest]:.0f} %)."


def _small_bars(shares: Sequence[float], *, label: str) -> str:
    """Bars side by side as an SVG element; the label is what a screen reader says.

    >>> _small_bars([1.0, 2.0], label="two").count("<rect")
    2
    """
    highest = max(shares, default=0.0) or 1.0
    step = min(WIDTH / max(len(shares), 1), WIDTH / 4)
    bars = "".join(
        f'<rect x="{place * step:.1f}" y="{HEIGHT - HEIGHT * share / highest:.1f}" '
        f'width="{step * (1 - GAP):.1f}" height="{HEIGHT * share / highest:.1f}"/>'
        for place, share in enumerate(shares)
    )
    return (
        f'<svg class="bars" role="img" aria-label="{escape(label)}" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}">{bars}</svg>'
    )


def _draw_details(column: dict[str, Any], change: Change) -> None:
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
    labels = shown.get("labels") or [
        f"{low:,.4g} to {high:,.4g}" for low, high in itertools.pairwise(shown["edges"])
    ]
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
