"""Graphs: a social graph drawn, protected, and judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from fastapi import APIRouter
from nicegui import ui
from nicegui.element import Element

from sfumato.core import DataError
from sfumato.jobs import Job
from sfumato.web.bench import Bench, Columns, NavigationEntry, Visit
from sfumato.web.projects import Project
from sfumato.web.runs.chosen_point import answer_routes
from sfumato.web.ui import html
from sfumato.web.ui.fields import Field, choice, tick
from sfumato.web.ui.graph_chart import degree_chart, graph_chart
from sfumato.web.ui.graph_results import draw_protected
from sfumato.web.ui.job_form import JobForm
from sfumato.web.ui.run_list import RunList, RunView

FEW_COLUMNS = 5  # of a table of edges


def _fits(columns: Columns) -> bool:
    """Whether a table may hold edges: it has few columns."""
    return len(columns) <= FEW_COLUMNS


NAVIGATION = NavigationEntry(
    title="Graphs",
    about="A social graph says who knows whom, and often where people are and what they like. Here it is drawn, its "
    "profiles are shared by groups of people, its edges changed if you like, and what that costs is judged.",
    kinds=("table", "graph"),
    fits=_fits,
)
JOB = "graph protect"
STRUCTURES = {
    "": "leave the edges as they are",
    "k_degree": "k people have as many friends (k_degree)",
    "k_neighbourhood": "k people have the same circle of friends (k_neighbourhood)",
    "super_nodes": "k people are drawn anew from one super-node (super_nodes)",
    "edge_randomisation": "a tenth of the edges is exchanged (edge_randomisation)",
}
NONE = "none"
PLACES = ("First", "Second", "Third")


def routes(bench: Bench) -> APIRouter:
    return answer_routes(bench, "graph_protection")


async def draw(visit: Visit) -> None:
    if visit.project.kind == "graph":
        await _draw_graph(visit, {}, ui.element("div"))
        return
    about = (
        f"If {visit.project.name} lists who knows whom, two names a line, choose the table of these people."
    )
    opening, place = ui.element("div"), ui.element("div")
    with opening, html.panel("A list of edges needs its people", about=about):
        _draw_opening(visit, place)


def _draw_opening(visit: Visit, place: Element) -> None:
    project = visit.project
    files = [] if project.uploaded else [one.name for one in visit.bench.workspace.beside(project)]
    if not files:
        html.words("There is no other table in its folder.")
        return
    with html.row():
        nodes = choice("Table of the people", files, value=files[0])
        directed = tick("Edges have a direction: who follows whom")

    async def draw_it() -> None:
        await _draw_graph(visit, {"nodes": nodes.value, "directed": str(directed.value).lower()}, place)

    html.action("Draw it", draw_it, kind="main")


async def _draw_graph(visit: Visit, how: dict[str, str], place: Element) -> None:
    place.clear()
    with place:
        with html.waiting(f"Drawing {visit.project.name} …"):
            found, job = await visit.ask("graph", how), await visit.job(JOB)
        _draw_today(found)
        questions = ui.element("div")
        runs = RunView(visit, {JOB: ("graph_protection", draw_protected)}).runs
        with questions, html.panel("Protect it", about="Similar people release what they have in common."):
            form = _graph_form(found, job)
            if form is None:
                html.words("The people need a column of locations and one of topics, or of other categories.")
            else:
                html.action("Protect the graph", partial(_start, visit, form, how, runs), kind="main")
        await runs.begin()


def _draw_today(found: dict[str, Any]) -> None:
    kind = "directed" if found["directed"] else "undirected"
    about = f"{found['nodes']:,} people and {found['edges']:,} {kind} edges."
    with html.panel("The graph as it is", about=about):
        if found["drawn"]:
            graph_chart(found, {"stayed": found["pairs"]}, title="The graph as it is")
        else:
            html.words(
                "It is too large to be drawn: a picture would show nothing. Friends are counted below."
            )
    narrowed = f"{found['exposed']:,} people can be narrowed down to fewer than five"
    with html.panel("Friends", about=f"{narrowed} by whoever only knows how many friends they have."):
        degree_chart({"in the graph": found["distribution"]})


@dataclass(frozen=True)
class _GraphForm:
    """The fields of the form."""

    form: JobForm
    location: Field
    topics: Sequence[Field]

    @property
    def label(self) -> str:
        asked = self.form.fields
        return f"k = {asked['k'].value}, {asked['structure'].value or 'edges stay'}"

    def made(self, project: Project, settings: dict[str, Any]) -> Job:
        """The job that the fields come to, with some settings that are no part of the form."""
        topics = tuple(topic.value for topic in self.topics if topic.value != NONE)
        if len({self.location.value, *topics}) <= len(topics):
            raise DataError("Location and topics must be different columns.")
        profile = {"location": self.location.value, "topics": topics}
        return self.form.made(project, {**settings, **profile, "output": "protected.graphml"})


async def _start(visit: Visit, form: _GraphForm, how: dict[str, str], runs: RunList) -> None:
    project, read = visit.project, {}
    if how:  # where its file does not say how the graph is read
        read = {"nodes": project.path.parent / how["nodes"], "directed": how["directed"] == "true"}
    await runs.start(form.made(project, read), label=form.label)


def _graph_form(found: dict[str, Any], job: type[Job]) -> _GraphForm | None:
    """Draw the fields for a graph; none where its people have too few columns."""
    names = [
        column["name"]
        for column in found["columns"]
        if column["scale"] != "numeric" and column["role"] != "identifier"
    ]
    if len(names) < 2:
        return None
    form = JobForm(job)
    with html.row():
        form.ask("k", "People that share a profile, k")
        location = choice("Column of locations", names, value=_usual("location", names, 0))
        topics = [_topic(place, names) for place in range(len(PLACES))]
        form.ask("structure", "Who knows whom", words=STRUCTURES)
    form.ask_more(beside=("location", "topics", "directed"))
    return _GraphForm(form, location, topics)


def _topic(place: int, names: list[str]) -> Field:
    options = names if place == 0 else [NONE, *names]
    return choice(f"{PLACES[place]} topic", options, value=_usual(f"topic{place + 1}", names, place + 1))


def _usual(wanted: str, names: list[str], place: int) -> str:
    if wanted in names:
        return wanted
    return names[place] if place < len(names) else NONE
