"""The table of columns: each with its distribution, and with controls for what the schema says about it."""

import asyncio
from html import escape
from typing import Any

from nicegui import ui

from sfumato.data import ROLES, SCALES
from sfumato.web.ui import html
from sfumato.web.ui.column_details import draw_details
from sfumato.web.ui.fields import Field, choice, entry
from sfumato.web.ui.small_bars import small_bars

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


class ColumnTable:
    """Draws the columns and remembers what was changed: `changes` by column, as the question `schema` takes it."""

    def __init__(self, columns: list[dict[str, Any]]) -> None:
        self.changes: dict[str, dict[str, Any]] = {}
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
                ui.html(_drawn(column), sanitize=False)
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
                opening = html.action("Details", lambda: draw_details(column, self.change), kind="plain")
                opening.props["aria-label"] = f"Details of {name}"
        self._fields[name] = [scale, role, codes]

    def _choice(self, label: str, options: tuple[str, ...], column: dict[str, Any], part: str) -> Field:
        def changed(value: str) -> None:
            self.change(column["name"], part, value)

        return choice(label, options, value=column[part], on_change=changed, bare=True)

    def _codes(self, column: dict[str, Any]) -> Field:
        def changed(text: str) -> None:
            codes = [code.strip() for code in text.split(",") if code.strip()]
            self.change(column["name"], "missing", codes)

        label, value = f"Missing codes of {column['name']}", ", ".join(column["missing_codes"])
        return entry(label, value=value, on_change=changed, hint="none", bare=True, width=9)


def _drawn(column: dict[str, Any]) -> str:
    shown = column["distribution"]
    if shown is None:
        return '<span class="faint small">not drawn</span>'
    return small_bars(shown["shares"], label=in_words(column))


def in_words(column: dict[str, Any]) -> str:
    shown = column["distribution"]
    if shown is None:
        return "Not drawn: it tells people apart by itself, or has no values."
    if shown["kind"] == "bins":
        low, high = shown["edges"][0], shown["edges"][-1]
        return f"Most values from {low:,.4g} to {high:,.4g}, median {shown['median']:,.4g}."
    largest = max(range(len(shown["shares"])), key=shown["shares"].__getitem__, default=None)
    if largest is None:
        return "No values."
    return f"{column['distinct']} categories, most often {shown['labels'][largest]} ({shown['shares'][largest]:.0f} %)."
