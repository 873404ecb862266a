"""The form about a graph: how many people share a profile, what a profile is, and what happens to the edges."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.core import DataError
from sfumato.jobs import Job
from sfumato.web.ui import html
from sfumato.web.ui.fields import Field, choice
from sfumato.web.ui.form_fields import NumberField, number_field
from sfumato.web.ui.job_form import JobForm

STRUCTURES = {
    "": "leave the edges as they are",
    "k_degree": "k people have as many friends (k_degree)",
    "k_neighbourhood": "k people have the same circle of friends (k_neighbourhood)",
    "super_nodes": "k people are drawn anew from one super-node (super_nodes)",
    "edge_randomisation": "a tenth of the edges is exchanged (edge_randomisation)",
}
ASKED = ("k", "location", "topics", "structure", "seed", "directed")
NONE = "none"
PLACES = ("First", "Second", "Third")


@dataclass(frozen=True)
class GraphForm:
    """The fields of the form."""

    k: NumberField
    location: Field
    topics: Sequence[Field]
    structure: Field
    seed: NumberField
    more: JobForm

    @property
    def label(self) -> str:
        """What a run of it is called."""
        return f"k = {self.k.value}, {self.structure.value or 'edges stay'}"

    def settings(self) -> dict[str, Any]:
        """The settings of the job that the fields come to."""
        topics = tuple(topic.value for topic in self.topics if topic.value != NONE)
        if len({self.location.value, *topics}) <= len(topics):
            raise DataError("Location and topics must be different columns.")
        return {
            "k": self.k.value,
            "location": self.location.value,
            "topics": topics,
            "structure": self.structure.value or None,
            "seed": self.seed.value,
            "output": "protected.graphml",
            "record": "protected.record.json",
            **self.more.settings(),
        }


def graph_form(found: dict[str, Any], job: type[Job]) -> GraphForm | None:
    """Draw the fields for a graph; none where its people have too few columns."""
    names = [
        column["name"]
        for column in found["columns"]
        if column["scale"] != "numeric" and column["role"] != "identifier"
    ]
    if len(names) < 2:
        return None
    with html.row():
        k = number_field("People that share a profile, k", value=5, low=1, high=found["nodes"])
        location = choice("Column of locations", names, value=_usual("location", names, 0))
        topics = [_topic(place, names) for place in range(len(PLACES))]
    with html.row():
        structure = choice("Who knows whom", STRUCTURES, value="")
        seed = number_field("Seed", value=0)
    return GraphForm(k, location, topics, structure, seed, JobForm(job, beside=ASKED))


def _topic(place: int, names: list[str]) -> Field:
    options = names if place == 0 else [NONE, *names]
    return choice(f"{PLACES[place]} topic", options, value=_usual(f"topic{place + 1}", names, place + 1))


def _usual(wanted: str, names: list[str], place: int) -> str:
    if wanted in names:
        return wanted
    return names[place] if place < len(names) else NONE
