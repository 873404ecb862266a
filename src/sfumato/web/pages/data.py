"""Data: how each column is read, what it holds, and what part it plays."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from html import escape
from typing import Any

from nicegui import ui
from nicegui.element import Element

from sfumato.web.bench import NavigationEntry, Visit
from sfumato.web.projects import Project
from sfumato.web.ui import html
from sfumato.web.ui.column_table import ColumnTable
from sfumato.web.ui.fields import lines
from sfumato.web.ui.layout_fields import draw_preview, layout_fields

NAVIGATION = NavigationEntry(
    title="Data",
    about="How each column is read, and what part it plays. The proposals come from names and values: confirm or "
    "change them, then save the schema.",
    step=1,
)
CHECKING = "Checking the schema against the file …"


async def draw(visit: Visit) -> None:
    with html.waiting(f"Reading {visit.project.name} …"):
        found = await visit.ask("columns")
    place = ui.element("div")
    await _draw_columns(visit, found, place)
    with html.side_by_side():
        with html.panel("What scale and role mean"):
            _draw_meanings()
        with html.panel(
            "Use a schema file", about="The text of a schema, as it is downloaded above or written by hand."
        ):
            _draw_schema_text(visit, place)
    if visit.project.is_text:
        with html.panel("How the text is read", about="Reading it in another way drops a saved schema."):
            _draw_reading(visit)


async def _draw_columns(visit: Visit, found: dict[str, Any], place: Element) -> None:
    place.clear()
    with place:
        state = (
            "The schema is saved." if found["schema"] == "saved" else "The schema is proposed, not saved yet."
        )
        about = f"{found['records']:,} records, {len(found['columns'])} columns. {state}"
        with html.panel("Columns", about=about):
            unsaved = Unsaved(visit.project)
            known = {column["name"] for column in found["columns"]}
            draft = {name: wanted for name, wanted in visit.project.draft.items() if name in known}
            table = ColumnTable(
                found["columns"], changes=draft, on_change=lambda: unsaved.keep(table.changes)
            )
            await table.draw()
            unsaved.draw(drop=lambda: _drop(visit, place))
            unsaved.tell(draft)
            said = html.said_aloud()
            with html.row():
                html.action("Save the schema", lambda: _save(visit, table, said, place), kind="main")
                address = f"/api/projects/{visit.project.id}/schema.toml"
                html.link("Download the schema", address, kind="action", download=True)
                if found["schema"] == "saved":
                    html.link("Next: the risk today", visit.address("risk"), kind="action")


class Unsaved:
    """Changes that are not saved yet: they are kept for the next visit, and said to be no part of the schema."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def draw(self, *, drop: Callable[[], Awaitable[None]]) -> None:
        with ui.element("div").props("role=status").classes("unsaved") as self._place:
            self._words = html.words("", tag="span")
            html.action("Drop these changes", drop, kind="plain")

    def tell(self, changes: dict[str, Any]) -> None:
        names = ", ".join(changes)
        self._words.set_content(
            escape(f"Changed and not saved yet, so that no other page knows of it: {names}.")
        )
        self._place.set_visibility(bool(changes))

    def keep(self, changes: dict[str, dict[str, Any]]) -> None:
        self._project.keep_draft(changes)
        self.tell(changes)


async def _drop(visit: Visit, place: Element) -> None:
    """Go back to the schema as it was saved or proposed."""
    await asyncio.to_thread(visit.project.keep_draft, {})
    await _draw_columns(visit, await visit.ask("columns"), place)


async def _save(visit: Visit, table: ColumnTable, said: Element, place: Element) -> None:
    """Check the changes against the file; keep them, or say beside each column what is wrong."""
    found = await html.attempted(said, CHECKING, lambda: visit.ask("schema", {"changes": table.changes}))
    if found is None:
        return
    complaints = found.get("complaints", {})
    table.complain(complaints)
    if complaints:
        with said:
            html.notice("Nothing was saved: the columns marked above need another choice.", kind="bad")
        return
    await _keep(visit, found["toml"], place)


async def _keep(visit: Visit, text: str, place: Element) -> None:
    await asyncio.to_thread(visit.project.save_schema, text)
    await _draw_columns(visit, await visit.ask("columns"), place)
    with place:
        ui.notify("The schema is saved.", type="positive")


def _draw_schema_text(visit: Visit, place: Element) -> None:
    hint = '[attributes.age]\nscale = "numeric"\nrole = "key"'
    field = lines("Schema (TOML)", hint=hint, accept=".toml")
    said = html.said_aloud()

    async def use() -> None:
        asked = {"toml": field.value or " "}
        found = await html.attempted(said, CHECKING, lambda: visit.ask("schema", asked))
        field.complain(found is None)
        if found is not None:
            await _keep(visit, found["toml"], place)

    html.action("Use this schema", use)


def _draw_reading(visit: Visit) -> None:
    fields = layout_fields(visit.project.options)
    buttons, said, place = html.row(), html.said_aloud(), ui.element("div").classes("preview")

    async def read() -> tuple[Project, dict[str, Any]]:
        project = dataclasses.replace(visit.project, options=fields.options())
        return project, await visit.bench.questions.ask("layout", project)

    async def preview() -> None:
        found = await html.attempted(said, f"Reading {visit.project.name} …", read)
        place.clear()
        if found is not None:
            with place:
                draw_preview(found[1])

    async def read_again() -> None:
        found = await html.attempted(said, f"Reading {visit.project.name} …", read)
        if found is not None:
            project, _ = found
            project.schema_path.unlink(missing_ok=True)
            project.keep_draft({})
            await asyncio.to_thread(project.save)
            ui.navigate.reload()

    with buttons:
        html.action("See the first records", preview)
        html.action("Read it again", read_again)


def _draw_meanings() -> None:
    html.facts(
        ("Scale", "Its values are"),
        (
            ("numeric", "numbers to calculate with"),
            ("ordinal", "categories in an order"),
            ("nominal", "categories without one"),
        ),
        caption="The scale decides which methods and measures fit.",
    )
    html.facts(
        ("Role", "The column"),
        (
            ("identifier", "names a person; it is dropped from a release"),
            ("key", "may be known to an intruder; it is what gets protected"),
            ("confidential", "is what an intruder must not learn"),
            ("weight", "says how many people a record stands for"),
            ("stratum", "cuts the file into parts that are protected apart"),
            ("household", "says which records belong together"),
            ("other", "is none of these"),
        ),
        caption="The role decides what is protected, and against whom.",
    )
