"""What a run found, on a page: how far it has come while it is at work, then the answer to a question."""

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from sfumato.web.bench import Visit
from sfumato.web.runs.chosen_point import ChosenPoint
from sfumato.web.runs.risk_utility_map import RELEASE
from sfumato.web.runs.run_state import RunState
from sfumato.web.ui import html
from sfumato.web.ui.run_list import RunList
from sfumato.web.ui.search_charts import score_options

Drawn = Callable[[dict[str, Any]], None]


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
        has_record = any(name.endswith(".record.json") for name in run.files)
        found = await ChosenPoint(run, RELEASE).ask(self._visit, question) if has_record else None
        self._live = None
        self._place.clear()
        with self._place:
            if found is None:
                html.notice(run.error or "This run was stopped before it had found anything.", kind="bad")
            else:
                draw(found)
                _draw_files(self._visit, run)

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


def _draw_files(visit: Visit, run: RunState) -> None:
    about = "What tells how a release was made, such as a record, swaps or matrices, is for you alone."
    with html.panel("Files of this run", about=about), html.row():
        for name in run.files:
            address = f"/api/projects/{visit.project.id}/runs/{run.id}/files/{name}"
            html.link(name, address, download=True)
