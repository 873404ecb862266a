"""By hand: steps that a steward takes one by one, each with what it does, before a search does the rest."""

import asyncio
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from nicegui import ui
from starlette.responses import PlainTextResponse

from sfumato.web.bench import Bench, NavigationEntry, Visit
from sfumato.web.hand_steps import keep_steps, kept_steps, study_text
from sfumato.web.ui import html
from sfumato.web.ui.fields import TickList, choice
from sfumato.web.ui.inspection_charts import draw_columns
from sfumato.web.ui.step_editor import StepEditor
from sfumato.web.ui.step_table import draw_effects, draw_steps

NAVIGATION = NavigationEntry(
    title="By hand",
    about="Take steps yourself, one by one, and see after each what intruders still see and what analysts lose. "
    "The search can do the rest.",
)
DOING = {"undo": "Taking the step back …", "redo": "Doing the step again …"}


def routes(bench: Bench) -> APIRouter:
    router = APIRouter(prefix="/projects/{project_id}")

    @router.get("/by-hand.toml")
    def study(project_id: str) -> PlainTextResponse:
        project = bench.workspace.project(project_id)
        text = study_text(project, kept_steps(project), folder=Path())
        headers = {"content-disposition": 'attachment; filename="by-hand.toml"'}
        return PlainTextResponse(text, media_type="application/toml", headers=headers)

    return router


async def draw(visit: Visit) -> None:
    with html.waiting(f"Reading {visit.project.name} …"):
        columns = (await visit.ask("columns"))["columns"]
        found = await visit.ask("by_hand", {"settings": kept_steps(visit.project)})
    if not any(column["role"] == "key" for column in columns):
        html.notice("No column is a key: say on the page Data what an intruder may know.", kind="bad")
        return
    await HandBench(visit, found).draw()


class HandBench:
    """The steps so far, what can be done with them, and the editor of the next one."""

    def __init__(self, visit: Visit, found: dict[str, Any]) -> None:
        self._visit, self._found = visit, found
        with html.panel("Steps so far", about=_about(found)):
            self._steps = ui.element("div")
            self._said = html.said_aloud()
        with html.panel("Take a step"):
            self._editor = StepEditor(self._add, self._ask)
        self._compared, self._fixed, self._next = (ui.element("div") for _ in range(3))

    async def draw(self) -> None:
        self._draw_steps()
        await self._editor.draw(self._found["columns"])
        self._draw_comparison()
        self._draw_fixed()
        self._draw_next()

    async def _add(self, step: Any) -> bool:
        """Take a step; whether it could be taken is told, and if not why beside the editor."""
        return await self._do("add", "Taking the step …", place=self._editor.said, step=step)

    async def _ask(self, question: str, given: dict[str, Any]) -> dict[str, Any]:
        """Ask about the file as the last step left it."""
        found: dict[str, Any] = await self._visit.ask(
            question, {**given, "settings": self._found["settings"]}
        )
        return found

    async def _do(self, what: str, doing: str, *, place: Any = None, **given: Any) -> bool:
        asked = {"settings": self._found["settings"], "do": what, **given}
        found = await html.attempted(place or self._said, doing, lambda: self._visit.ask("by_hand", asked))
        if found is None:
            return False
        self._found = found
        await asyncio.to_thread(keep_steps, self._visit.project, found["settings"])
        await self.draw()
        return True

    def _draw_steps(self) -> None:
        found = self._found
        self._steps.clear()
        with self._steps:
            draw_steps(found["states"], drop=self._drop)
            with html.row():
                if len(found["states"]) > 1:
                    html.action("Undo", lambda: self._do("undo", DOING["undo"]))
                if found["undone"]:
                    html.action("Redo", lambda: self._do("redo", DOING["redo"]))
                    html.words(f"Taken back last: {found['undone'][0]}", tag="span", kind="small faint")

    async def _drop(self, number: int) -> None:
        await self._do("drop", "Taking the step out …", number=number)

    def _draw_comparison(self) -> None:
        """Two states to choose, once there are two."""
        self._compared.clear()
        titles = {str(at): _numbered(at, one["title"]) for at, one in enumerate(self._found["states"])}
        if len(titles) < 2:
            return
        with self._compared, html.panel("Compare two states"):
            with html.row():
                last = str(len(titles) - 1)
                earlier = choice("From", titles, value="0")
                later = choice("To", titles, value=last)
                html.action("Compare", lambda: compare())
            place = html.said_aloud()

        async def compare() -> None:
            asked = {
                "settings": self._found["settings"],
                "states": [int(earlier.value), int(later.value)],
            }
            found = await html.attempted(
                place, "Comparing …", lambda: self._visit.ask("compared_states", asked)
            )
            if found is not None:
                with place:
                    _draw_compared(found)

    def _draw_fixed(self) -> None:
        self._fixed.clear()
        names = [column["name"] for column in self._found["columns"]]
        about = "Neither a step nor the search changes the columns that are ticked."
        with self._fixed, html.panel("What must stay as it is", about=about):
            said = html.said_aloud()

            async def fix(columns: tuple[str, ...]) -> None:
                if not await self._do("fix", "Looking at the steps …", place=said, columns=list(columns)):
                    ticked.put(self._found["fixed"])  # what could not be fixed is not ticked either

            ticked = TickList(
                "Columns that nothing may change",
                names,
                ticked=self._found["fixed"],
                on_change=fix,
                bare=True,
            )

    def _draw_next(self) -> None:
        self._next.clear()
        settings = self._found["settings"]
        with self._next, html.panel("What comes next"):
            if not settings.get("first") and not settings.get("fixed"):
                html.words(
                    "Once a step is taken, the search can do the rest, or the file can be released as it is."
                )
                return
            html.words(
                "The search does these steps first and tries what may still help; the file as the steps leave it is "
                "one of its candidates. Or release what the steps made, if it meets what you require.",
                kind="faint",
            )
            with html.row():
                html.link("Let the search finish it", self._visit.address("protect"), kind="action main")
                if settings.get("first"):
                    html.link(
                        "Release it as it is", f"{self._visit.address('release')}?by-hand=yes", kind="action"
                    )
                address = f"/api/projects/{self._visit.project.id}/by-hand.toml"
                html.link("Download the study", address, kind="action", download=True)


def _about(found: dict[str, Any]) -> str:
    if found["looked_at"] < found["records"]:
        return f"Shown on {found['looked_at']:,} records drawn at random from {found['records']:,}."
    return f"{found['records']:,} records. Steps that draw at random are shown as one draw; a release draws anew."


def _numbered(number: int, title: str) -> str:
    shown = title if len(title) <= 60 else f"{title[:59]}…"
    return f"{number}. {shown}" if number else title


def _draw_compared(found: dict[str, Any]) -> None:
    draw_effects(found)
    changed = [(name, share) for name, share in found["changed"].items() if share > 0]
    if not changed:
        html.words("No value is another one.")
        return
    html.facts(
        ("Column", "Changed"),
        [(name, f"{share:.1f} %") for name, share in changed],
        caption="Share of records whose value is another one",
        figures=(1,),
    )
    names = {name for name, _ in changed}
    draw_columns([column for column in found["columns"] if column["name"] in names])
