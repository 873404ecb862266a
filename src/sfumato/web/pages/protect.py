"""Protect: let the search run, and watch loss and risk on a map while it does."""

from typing import Any

from fastapi import APIRouter
from nicegui import ui
from nicegui.element import Element

from sfumato.core import registry
from sfumato.jobs import Job
from sfumato.masking import ByHand
from sfumato.web.bench import Bench, NavigationEntry, Visit
from sfumato.web.hand_steps import searched_steps
from sfumato.web.runs.project_job import is_release, output_name
from sfumato.web.runs.risk_utility_map import map_of
from sfumato.web.runs.run_state import RunState
from sfumato.web.server.run_api import run_routes
from sfumato.web.ui import html
from sfumato.web.ui.fields import Tick, TickList, tick
from sfumato.web.ui.job_form import JobForm
from sfumato.web.ui.map_chart import OTHERS, MapChart
from sfumato.web.ui.remedies import draw_remedies
from sfumato.web.ui.requirement_fields import ASKED, RequirementFields
from sfumato.web.ui.run_list import RunList

NAVIGATION = NavigationEntry(
    title="Protect",
    about="Many ways to mask the file are tried. Each becomes a point: to the left the data stay useful, "
    "further down people are safer. The search looks for the lower left corner.",
    step=3,
)
SCORES = {
    "verdict": "what analysts lose, if no more is given away than a guess",
    "max": "the larger of loss and risk",
    "mean": "the mean of loss and risk",
}
EFFORTS = {
    "": "no, only try methods",
    "30s": "for 30 seconds",
    "2m": "for 2 minutes",
    "10m": "for 10 minutes",
    "60g": "for 60 generations (repeatable)",
    "300g": "for 300 generations (repeatable)",
}
SCORE = "score = max(information loss, disclosure risk), or their mean; both in percent, lower is better"


def routes(bench: Bench) -> APIRouter:
    return run_routes(bench)


async def draw(visit: Visit) -> None:
    with html.waiting(f"Reading {visit.project.name} …"):
        columns, protect = (await visit.ask("columns"))["columns"], await visit.job("protect")
    if not any(column["role"] == "key" for column in columns):
        html.notice("No column is a key: say on the page Data what an intruder may know.", kind="bad")
        return
    form = ui.element("div")
    runs = _Maps(visit).runs
    with form:
        await _draw_form(visit, protect, runs)
    await runs.begin()


async def _draw_form(visit: Visit, protect: type[Job], runs: RunList) -> None:
    form = JobForm(protect)
    with html.panel("Look for the best protection"):
        requirements = RequirementFields(visit)
        await requirements.draw()
        steps = _draw_steps_taken(visit)
        with html.row():
            form.ask("score", "Best is the smallest of", words=SCORES)
            evolve = form.ask("evolve", "Then evolve the best", words=EFFORTS)
        with html.more("Choose the methods"):
            everything = tick("Try every method", value=True)
            methods = TickList("Or only these", registry.names("masking"))
        form.ask_more(beside=("methods", "masking", *ASKED, *ByHand.option_keys()))
        html.formula(SCORE)

        async def start() -> None:
            chosen = () if everything.value or not methods.value else methods.value
            settings = {"methods": chosen, "output": output_name(visit.project)}
            if steps is not None and steps.value:
                settings |= searched_steps(visit.project)
            settings |= requirements.settings()
            job = form.made(visit.project, settings)
            tried = f"{len(chosen)} methods" if chosen else "all methods"
            tried += ", after steps by hand" if steps is not None and steps.value else ""
            if epsilon := form.fields["epsilon"].value:
                tried = f"under a formal promise, ε = {epsilon:g}"
            evolved = f", evolved {EFFORTS[str(evolve.control.value)]}" if evolve.value else ""
            await runs.start(job, label=f"{tried}{evolved}{form.label_of_seed}")

        html.told_action("Start the search", start)


def _draw_steps_taken(visit: Visit) -> Tick | None:
    """The offer to begin with the steps that were taken by hand, if there are any."""
    taken = searched_steps(visit.project)
    if not taken:
        return None
    count = len(taken.get("first", ()))
    words = "the step" if count == 1 else f"the {count} steps"
    steps = tick(f"Begin with {words} taken by hand" if count else "Leave fixed columns alone", value=True)
    html.link("See what was done by hand", visit.address("by_hand"), kind="small")
    return steps


class _Maps:
    """The runs, the map of the chosen one, and the others it is compared with."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        chosen = visit.query.get("run", "")
        self.runs = RunList(visit.runs, ["protect"], show=self._show, chosen=chosen, wanted=self._is_search)
        self._place = ui.element("div")
        self._drawn: dict[str, tuple[MapChart, Element]] = {}  # of one run at a time

    def _is_search(self, run: RunState) -> bool:
        """Whether a run searches; the release of one point belongs to another page."""
        return not is_release(run, self._visit.runs.job(run.id))

    async def _show(self, run: RunState) -> None:
        """Draw the map of a run, or what was found since."""
        if run.id not in self._drawn:
            self._drawn = {run.id: self._draw(run)}
        chart, below = self._drawn[run.id]
        found = map_of(self._visit.runs.points(run.id), run)
        chart.show(found, self._others(run))
        below.clear()
        with below:
            self._draw_below(run, found)

    def _draw(self, run: RunState) -> tuple[MapChart, Element]:
        self._place.clear()
        about = "Click a point, or take one from the table, to look into it."
        with self._place, html.panel("Loss and risk", about=about):
            chart = MapChart(address=lambda point: self._address("inspect", run, point))
            return chart, ui.element("div")

    def _others(self, run: RunState) -> list[dict[str, Any]]:
        """The latest other searches that ended well, to compare with."""
        runs = self._visit.runs
        ended = [other for other in runs.list() if other.command == run.command and self._is_search(other)]
        chosen = [other for other in ended if other.id != run.id and other.state == "finished"][: len(OTHERS)]
        return [map_of(runs.points(other.id), other) for other in chosen]

    def _draw_below(self, run: RunState, found: dict[str, Any]) -> None:
        if run.error:
            html.notice(run.error, kind="bad")
            draw_remedies(self._visit, run)
        for note in run.notes[:3]:
            html.words(of_the_page(note), kind="small faint")
        tried, failing = len(found["candidates"]), len(found["failing"])
        counted = f"{tried} candidate{'s' * (tried > 1)} tried, {len(found['front'])} of them not beaten by another."
        if failing:
            counted += f" {failing} {'is' if failing == 1 else 'are'} known not to meet what is required."
        html.words(counted, kind="small faint")
        if found["release"] is not None:
            with html.row():
                html.link("Inspect the best", self._address("inspect", run, "release"), kind="action")
                html.link("Release it", self._address("release", run, "release"), kind="action main")
        _draw_comparison([found, *self._others(run)])

    def _address(self, page: str, run: RunState, point: str) -> str:
        return f"{self._visit.address(page)}?run={run.id}&point={point}"


def of_the_page(note: str) -> str:
    """A note without what it says about the options of commands.

    >>> of_the_page("left out: id (an identifier); keep a column with --keep NAME, or declare it in a schema.")
    'left out: id (an identifier).'
    """
    parts = [part for part in note.rstrip(".").split("; ") if " --" not in part]
    return f"{'; '.join(parts)}." if parts else ""


def _draw_comparison(maps: list[dict[str, Any]]) -> None:
    ended = [one for one in maps if one["release"] is not None]
    if len(ended) < 2:
        return
    html.heading("Runs beside each other", level=3)
    html.facts(
        ("Run", "Information loss", "Disclosure risk", "Larger of the two", "Candidates"),
        [
            (
                one["label"],
                f"{one['release']['loss']:.2f} %",
                f"{one['release']['risk']:.2f} %",
                f"{max(one['release']['loss'], one['release']['risk']):.2f} %",
                f"{len(one['candidates'])}",
            )
            for one in ended
        ],
        caption="The releases that runs ended with",
        figures=range(1, 5),
    )
