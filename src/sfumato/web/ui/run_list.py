"""The runs of some commands on a page: how each stands, what can be done with it, and what the chosen one found."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from html import escape
from typing import Any, Literal

from nicegui import ui

from sfumato.core.progress import duration_in_words
from sfumato.jobs import Job
from sfumato.web.bench import Visit
from sfumato.web.runs.chosen_point import ChosenPoint
from sfumato.web.runs.project_runs import ProjectRuns
from sfumato.web.runs.risk_utility_map import RELEASE
from sfumato.web.runs.run_state import RunState
from sfumato.web.ui import html
from sfumato.web.ui.envelope_panels import draw_envelopes
from sfumato.web.ui.search_charts import score_options

LOOK_EVERY = 0.7  # seconds

Drawn = Callable[[dict[str, Any]], None]
Shown = Callable[[RunState], Awaitable[None]]
Act = Literal["pause", "resume", "stop", "remove"]  # the methods of runs that have a button


class RunList:
    """The list of runs, looked at again every moment; `show` draws the chosen one whenever it has changed."""

    def __init__(
        self,
        runs: ProjectRuns,
        commands: Sequence[str],
        *,
        show: Shown,
        chosen: str = "",
        wanted: Callable[[RunState], bool] = lambda run: True,
    ) -> None:
        self._runs, self._commands, self._show, self._wanted = runs, commands, show, wanted
        self.chosen = chosen
        self._seen: tuple[object, ...] = ()
        self._rows: dict[str, RunRow] = {}
        with html.panel(
            "Runs", about="They go on when this page is closed, and are found again."
        ) as self._panel:
            self._place = ui.element("ul").classes("list runs")

    async def begin(self) -> None:
        await self.look()
        ui.timer(LOOK_EVERY, self.look, immediate=False)

    async def look(self) -> None:
        found = [run for run in self._runs.list() if run.command in self._commands and self._wanted(run)]
        self._panel.set_visibility(bool(found))
        if [run.id for run in found] != list(self._rows):
            self._draw(found)
        for run in found:
            self._rows[run.id].draw(run, is_chosen=run.id == self.chosen)
        await self._show_chosen(found)

    async def start(
        self, job: Job, *, label: str, workers: int | None = None, releases: bool = False
    ) -> None:
        started = self._runs.start(job, label=label, workers=workers, releases=releases)
        await self.choose(started.id)

    async def choose(self, id: str) -> None:
        self.chosen = id
        await self.look()

    def _draw(self, found: Sequence[RunState]) -> None:
        self._place.clear()
        if self.chosen not in [run.id for run in found]:
            self.chosen = found[0].id if found else ""
        with self._place:
            self._rows = {run.id: RunRow(run, self) for run in found}

    async def _show_chosen(self, found: Sequence[RunState]) -> None:
        run = next((run for run in found if run.id == self.chosen), None)
        seen = (run.id, run.state, run.finished, run.points) if run else ()
        if seen == self._seen:
            return
        self._seen = seen
        if run is not None:
            await self._show(run)
        else:
            ui.navigate.reload()  # the last one was removed: nothing is left to show

    async def act(self, what: Act, id: str) -> None:
        await asyncio.to_thread(getattr(self._runs, what), id)  # a process that is ending may be waited for
        await self.look()


class RunRow:
    """One run: its name, how it stands, and its buttons, which stay where they are while it goes on."""

    def __init__(self, run: RunState, owner: RunList) -> None:
        self._owner, self._state = owner, ""
        with ui.element("li").classes("run"):
            self._choose = html.action(run.label, lambda: owner.choose(run.id), kind="plain name")
            self._stands = html.words("", tag="span", kind="stands")
            self._bar = ui.element("progress").props("max=1")
            self._bar.props["aria-label"] = f"Progress of {run.label}"
            self._buttons = ui.element("span").classes("buttons")

    def draw(self, run: RunState, *, is_chosen: bool) -> None:
        self._choose.props(f"aria-pressed={'true' if is_chosen else 'false'}")
        self._stands.set_content(_stands(run))
        self._bar.props(f"value={run.done / run.total if run.total else 0:.3f}")
        self._bar.set_visibility(not run.is_over)
        if run.state != self._state:
            self._state = run.state
            self._draw_buttons(run)

    def _draw_buttons(self, run: RunState) -> None:
        self._buttons.clear()
        with self._buttons:
            for what in _possible(run):
                self._button(what, run)

    def _button(self, what: Act, run: RunState) -> None:
        async def act() -> None:  # no partial: with that, the page is not told when its last run is removed
            await self._owner.act(what, run.id)

        button = html.action(what.capitalize(), act, kind="plain")
        button.props["aria-label"] = f"{what.capitalize()} {run.label}"


def _possible(run: RunState) -> tuple[Act, ...]:
    if run.state in ("queued", "running"):
        return "pause", "stop"
    if run.state == "paused":
        return "resume", "stop"
    if run.state == "stopping":
        return ("stop",)
    return ("remove",) if run.state == "finished" else ("resume", "remove")


def _stands(run: RunState) -> str:
    """How a run stands, in a few words; as HTML, since the error may be any text."""
    parts: list[str] = ["waiting to begin" if run.state == "queued" else run.state]
    if not run.is_over:
        parts += [run.task, run.status, in_words(run.seconds_left)]
    elif run.finished:
        parts += [time.strftime("%d %b, %H:%M", time.localtime(run.finished))]
    if run.error:
        parts.append(run.error)
    return escape(" · ".join(part for part in parts if part))


def in_words(seconds: float | None) -> str:
    """A time that is left, as people say it.

    >>> in_words(42.0), in_words(200.0), in_words(7400.0), in_words(None)
    ('about 40 s left', 'about 3 min left', 'about 2 h left', '')
    """
    return "" if seconds is None else f"{duration_in_words(seconds)} left"


class RunView:
    """The place of a page where the chosen run is drawn.

    For each command there is a question about what it found, and what draws the answer. `runs` is the list to choose
    from, which stands above.
    """

    def __init__(self, visit: Visit, commands: Mapping[str, tuple[str, Drawn]]) -> None:
        self._visit, self._commands = visit, commands
        self.runs = RunList(visit.runs, list(commands), show=self._show, chosen=visit.query.get("run", ""))
        self._place = ui.element("div").classes("run-view")
        self._live: LiveScore | None = None

    async def _show(self, run: RunState) -> None:
        question, draw = self._commands[run.command]
        if not run.is_over:
            self._draw_live(run)
            return
        has_record = any(name.endswith("record.json") for name in run.files)
        found = await ChosenPoint(run, RELEASE).ask(self._visit, question) if has_record else None
        self._live = None
        self._place.clear()
        with self._place:
            if found is None:
                html.notice(run.error or "This run was stopped before it had found anything.", kind="bad")
            else:
                draw(found)
                draw_envelopes(self._visit, run)

    def _draw_live(self, run: RunState) -> None:
        points = [point for point in self._visit.runs.points(run.id) if point["generation"] is not None]
        if self._live is None or self._live.run != run.id:
            self._place.clear()
            self._live = None
        if self._live is None and len(points) > 1:
            with self._place:
                self._live = LiveScore(run.id)
        if self._live is not None:
            self._live.draw(points)


class LiveScore:
    """The score of a search that is at work; drawn once, then only its points change."""

    def __init__(self, run: str) -> None:
        self.run = run
        with html.panel("So far"):
            self._said = html.words("", kind="faint").props("role=status")
            with ui.element("figure").classes("chart").props('aria-label="Score by generation"'):
                self._chart = ui.echart({}, renderer="svg")

    def draw(self, points: list[dict[str, Any]]) -> None:
        self._said.set_content(
            f"The best score is {points[-1]['best']:.2f} after {points[-1]['generation']:,} generations."
        )
        self._chart.options.update(score_options(points))
        self._chart.update()
