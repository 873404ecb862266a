"""The form about a graph: how many people share a profile, what a profile is, and what happens to the edges."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.core import DataError
from sfumato.jobs import Job
from sfumato.web.projects import Project
from sfumato.web.ui import html
from sfumato.web.ui.fields import Field, choice
from sfumato.web.ui.job_form import JobForm

STRUCTURES = {
    "": "leave the edges as they are",
    "k_degree": "k people have as many friends (k_degree)",
    "k_neighbourhood": "k people have the same circle of friends (k_neighbourhood)",
    "super_nodes": "k people are drawn anew from one super-node (super_nodes)",
    "edge_randomisation": "a tenth of the edges is exchanged (edge_randomisation)",
}
NONE = "none"
PLACES = ("First", "Second", "Third")


@dataclass(frozen=True)
class GraphForm:
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
        written = {"output": "protected.graphml", "record": "protected.record.json"}
        return self.form.made(project, {**settings, **profile, **written})


def graph_form(found: dict[str, Any], job: type[Job]) -> GraphForm | None:
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
    with html.row():
        form.ask("structure", "Who knows whom", words=STRUCTURES)
        form.ask("seed", "Seed")
    form.ask_more(beside=("location", "topics", "directed"))
    return GraphForm(form, location, topics)


def _topic(place: int, names: list[str]) -> Field:
    options = names if place == 0 else [NONE, *names]
    return choice(f"{PLACES[place]} topic", options, value=_usual(f"topic{place + 1}", names, place + 1))


def _usual(wanted: str, names: list[str], place: int) -> str:
    if wanted in names:
        return wanted
    return names[place] if place < len(names) else NONE
